/* Own tables of events and those of other processes. */
#include "event_tables.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"
#include "machine.h"

#define TABLE_MAGIC 0x746e657663706770ull
/* Where the memfds go, so that low descriptors stay free for select(). */
#define TABLE_FD_MINIMUM 256

/* What processes share. */
typedef struct {
  uint64_t magic;
  int32_t pid;
  uint32_t number;
  sim_event_slot slots[SIM_EVENT_SLOTS];
} table_memory;

enum { SLOT_FREE = 0, SLOT_TAKEN = 1, SLOT_DESTROYED = 2 };

struct sim_event_table {
  table_memory *memory;
  int fd;
  int32_t pid;
  uint32_t number;
  /** An own one's entry in the control table, or a held one's. */
  sim_table_entry *entry;
  /** Own ones: whose events are in it (NULL: nobody's any more), and which slots are. */
  CUcontext context;
  unsigned char slots[SIM_EVENT_SLOTS];
  /** When each was given back; counts up. */
  uint64_t given_back[SIM_EVENT_SLOTS], last_given_back;
  /** Held ones: imported events. */
  int references;
  struct sim_event_table *next;
};

static sim_event_table *own, *held;

static void table_name(char out[64], int32_t pid, uint32_t number) {
  snprintf(out, 64, SIM_EVENTS_NAME ".%d.%u", pid, number);
}

static table_memory *map_table(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || (uint64_t)status.st_size != sizeof(table_memory)) return NULL;
  void *map = mmap(NULL, sizeof(table_memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return map == MAP_FAILED ? NULL : map;
}

static void unmap(sim_event_table *table) {
  if (table->memory) munmap(table->memory, sizeof *table->memory);
  if (table->fd >= 0) close(table->fd);
  free(table);
}

static sim_table_entry *free_entry(sim_table_entry *entries, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (atomic_load(&entries[i].state) != SIM_ENTRY_LIVE) return &entries[i];
  }
  return NULL;
}

static void announce(sim_event_table *table, sim_table_entry *entry) {
  table->entry = entry;
  entry->pid = table->pid;
  entry->number = table->number;
  entry->fd = table->fd;
  atomic_store(&entry->state, SIM_ENTRY_LIVE);
}

static sim_event_table *make_table(CUcontext context) {
  static uint32_t last_number;
  sim_table_entry *entry = free_entry(sim_own->own_tables, SIM_EVENT_TABLES);
  sim_event_table *table = entry ? calloc(1, sizeof *table) : NULL;
  if (!table) return NULL;
  char name[64];
  table->pid = sim_own->pid;
  table->number = last_number + 1;
  table->context = context;
  table_name(name, table->pid, table->number);
  table->fd = sim_fd_above(sim_memfd(name), TABLE_FD_MINIMUM);
  if (table->fd >= 0 && ftruncate(table->fd, sizeof(table_memory)) == 0) {
    fcntl(table->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    table->memory = map_table(table->fd);
  }
  if (!table->memory) {
    unmap(table);
    return NULL;
  }
  table->memory->magic = TABLE_MAGIC;
  table->memory->pid = table->pid;
  table->memory->number = table->number;
  last_number += 1;
  announce(table, entry);
  table->next = own;
  own = table;
  return table;
}

static bool is_complete(const sim_event_table *table, uint32_t index) {
  sim_event_slot *slot = &table->memory->slots[index];
  return atomic_load(&slot->completed) == atomic_load(&slot->recorded);
}

/* The one given back last; else the highest that was never taken. */
static int64_t free_slot(const sim_event_table *table) {
  int64_t given = -1, fresh = -1;
  for (uint32_t index = SIM_EVENT_SLOTS; index-- > 0;) {
    if (table->slots[index] == SLOT_FREE && fresh < 0) fresh = index;
    if (table->slots[index] != SLOT_DESTROYED || !is_complete(table, index)) continue;
    if (given < 0 || table->given_back[index] > table->given_back[given]) given = index;
  }
  return given >= 0 ? given : fresh;
}

static sim_event_slot *take_from(sim_event_table *table, sim_event_table **from, uint32_t *index) {
  int64_t found = free_slot(table);
  if (found < 0) return NULL;
  table->slots[found] = SLOT_TAKEN;
  *from = table;
  *index = (uint32_t)found;
  return &table->memory->slots[found];
}

sim_event_slot *sim_event_slot_take(CUcontext context, sim_event_table **table, uint32_t *index) {
  for (sim_event_table *one = own; one; one = one->next) {
    sim_event_slot *slot = one->context == context ? take_from(one, table, index) : NULL;
    if (slot) return slot;
  }
  for (sim_event_table *one = own; one; one = one->next) {
    if (one->context) continue;
    sim_event_slot *slot = take_from(one, table, index);
    if (!slot) continue;
    one->context = context;
    return slot;
  }
  sim_event_table *fresh = make_table(context);
  return fresh ? take_from(fresh, table, index) : NULL;
}

void sim_event_slot_give_back(sim_event_table *table, uint32_t index) {
  table->slots[index] = SLOT_DESTROYED;
  table->given_back[index] = ++table->last_given_back;
}

void sim_event_tables_free_context(CUcontext context) {
  for (sim_event_table *table = own; table; table = table->next) {
    if (table->context == context) table->context = NULL;
  }
}

/* Where a memfd of this table is open: in its own process, or in one that imported an event from it. */
typedef struct {
  int32_t pid;
  uint32_t number;
  int fd;
} search;

static void look(search *wanted, const sim_control *control, const sim_table_entry *entries, uint32_t count) {
  char name[64];
  table_name(name, wanted->pid, wanted->number);
  for (uint32_t i = 0; i < count && wanted->fd < 0; i++) {
    if (atomic_load(&entries[i].state) != SIM_ENTRY_LIVE) continue;
    if (entries[i].pid != wanted->pid || entries[i].number != wanted->number) continue;
    wanted->fd = sim_machine_open_memfd(control->pid, entries[i].fd, name);
  }
}

static void look_at_others(const sim_control *control, void *data) {
  look(data, control, control->held_tables, SIM_HELD_TABLES);
}

static void look_at_owner(search *wanted) {
  int fd = sim_machine_open_control(wanted->pid);
  if (fd < 0) return;
  sim_control *control = sim_control_map(fd);
  close(fd);
  if (!control) return;
  /* The number of a thread leads to its process too, but no table has its name. */
  if (control->pid == wanted->pid) look(wanted, control, control->own_tables, SIM_EVENT_TABLES);
  sim_control_unmap(control);
}

static int open_table(int32_t pid, uint32_t number) {
  search wanted = {.pid = pid, .number = number, .fd = -1};
  look_at_owner(&wanted);
  if (wanted.fd < 0) sim_machine_visit_others(look_at_others, &wanted);
  return wanted.fd;
}

sim_event_table *sim_event_table_open(int32_t pid, uint64_t number) {
  if (pid <= 0 || number == 0 || number > UINT32_MAX) return NULL;
  /* By name, like the driver, so what is open here already is the table; but a new process may have the pid by now. */
  int fd = open_table(pid, (uint32_t)number);
  struct stat found, known;
  bool elsewhere = fd >= 0 && fstat(fd, &found) == 0;
  for (sim_event_table *table = held; table; table = table->next) {
    if (table->pid != pid || table->number != number) continue;
    if (elsewhere && fstat(table->fd, &known) == 0 && known.st_ino != found.st_ino) continue;
    if (fd >= 0) close(fd);
    table->references += 1;
    return table;
  }
  sim_table_entry *entry = free_entry(sim_own->held_tables, SIM_HELD_TABLES);
  sim_event_table *table = fd >= 0 && entry ? calloc(1, sizeof *table) : NULL;
  if (!table) {
    if (fd >= 0) close(fd);
    return NULL;
  }
  table->fd = sim_fd_above(fd, TABLE_FD_MINIMUM);
  table->memory = map_table(table->fd);
  table->pid = pid;
  table->number = (uint32_t)number;
  table->references = 1;
  if (!table->memory || table->memory->magic != TABLE_MAGIC) {
    unmap(table);
    return NULL;
  }
  announce(table, entry);
  table->next = held;
  held = table;
  return table;
}

void sim_event_table_drop(sim_event_table *table) {
  if (--table->references > 0) return;
  for (sim_event_table **link = &held; *link; link = &(*link)->next) {
    if (*link != table) continue;
    *link = table->next;
    break;
  }
  atomic_store(&table->entry->state, SIM_ENTRY_FREED);
  unmap(table);
}

uint32_t sim_event_table_number(const sim_event_table *table) { return table->number; }

sim_event_slot *sim_event_slot_at(sim_event_table *table, uint32_t index) {
  return index < SIM_EVENT_SLOTS ? &table->memory->slots[index] : NULL;
}

static void close_all(sim_event_table *table) {
  for (; table; table = table->next) {
    close(table->fd);
    table->fd = -1;
  }
}

void sim_event_tables_close_in_child(void) {
  close_all(own);
  close_all(held);
}
