/* Finding the other simulator processes of this user. */
#include "machine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MACHINE_MAGIC 0x656e696863616d67ull
#define MACHINE_LAYOUT 2
/* The machine memfd sits at one of these descriptors in every process, so that finding it costs no directory listing. */
#define MACHINE_FD 776
#define MACHINE_FD_LOW 200
#define MACHINE_FD_TRIES 4

typedef struct {
  _Atomic int32_t pid;
  _Atomic int32_t control_fd;
  _Atomic uint64_t token;
  _Atomic uint32_t rm_client;
} machine_slot;

typedef struct {
  uint64_t magic;
  uint32_t layout;
  _Atomic uint32_t slots_used;
  /** Counts up; its low 16 bits are in the RM client numbers. */
  _Atomic uint32_t next_client;
  machine_slot slots[SIM_MACHINE_SLOTS];
} machine_table;

static machine_table *machine;
/* SIM_MACHINE_NAME, and GPU_IPC_SIM_MACHINE behind a dot where it is set: tests count their memory apart with it. */
static char machine_name[64] = SIM_MACHINE_NAME;
static int machine_fd = -1;
static int own_slot = -1;

/* Control tables of the others, by slot. */
static struct {
  uint64_t token;
  sim_control *control;
} seen[SIM_MACHINE_SLOTS];

static bool is_memfd(const char *link, const char *name) {
  char target[128], expected[128];
  ssize_t length = readlink(link, target, sizeof target - 1);
  if (length <= 0) return false;
  target[length] = '\0';
  snprintf(expected, sizeof expected, "/memfd:%s", name);
  size_t prefix = strlen(expected);
  return strncmp(target, expected, prefix) == 0 && (target[prefix] == '\0' || target[prefix] == ' ');
}

static machine_table *map_machine(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || (uint64_t)status.st_size != sizeof(machine_table)) return NULL;
  void *map = mmap(NULL, sizeof(machine_table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return NULL;
  machine_table *table = map;
  if (table->magic != MACHINE_MAGIC || table->layout != MACHINE_LAYOUT) {
    munmap(map, sizeof(machine_table));
    return NULL;
  }
  madvise(map, sizeof(machine_table), MADV_DONTFORK);
  return table;
}

static int open_machine_of(long pid) {
  static const int places[] = {MACHINE_FD, MACHINE_FD_LOW};
  char path[64];
  for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
    for (int i = 0; i < MACHINE_FD_TRIES; i++) {
      snprintf(path, sizeof path, "/proc/%ld/fd/%d", pid, places[p] + i);
      if (!is_memfd(path, machine_name)) continue;
      int fd = open(path, O_RDWR | O_CLOEXEC);
      if (fd >= 0) return fd;
    }
  }
  return -1;
}

/* The machine of any living process of this user, or -1. */
static int find_machine(void) {
  DIR *processes = opendir("/proc");
  if (!processes) return -1;
  int found = -1;
  uid_t user = geteuid();
  struct dirent *entry;
  while (found < 0 && (entry = readdir(processes))) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    struct stat status;
    if (fstatat(dirfd(processes), entry->d_name, &status, 0) != 0 || status.st_uid != user) continue;
    long pid = strtol(entry->d_name, NULL, 10);
    if (pid != getpid()) found = open_machine_of(pid);
  }
  closedir(processes);
  return found;
}

static int make_machine(void) {
  int fd = sim_memfd(machine_name);
  if (fd < 0) return -1;
  machine_table head = {.magic = MACHINE_MAGIC, .layout = MACHINE_LAYOUT};
  if (ftruncate(fd, sizeof(machine_table)) != 0 || pwrite(fd, &head, 16, 0) != 16) {
    close(fd);
    return -1;
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return fd;
}

/* Locks of the open file: unlike a process's they are not lost when another descriptor of the file is closed, and two
   copies of the library in one process do not share a slot. */
static bool take_slot(int slot) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
  return fcntl(machine_fd, F_OFD_SETLK, &lock) == 0;
}

/* Whether somebody else holds the slot. */
static bool is_taken(int slot) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
  return fcntl(machine_fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Two first processes must not each make a machine. A lock on a directory leaves nothing behind; give up after 2 s. */
static int rendezvous(void) {
  static const char *const places[] = {"/dev/shm", "/tmp", "/"};
  int fd = -1;
  for (size_t i = 0; fd < 0 && i < sizeof places / sizeof places[0]; i++) {
    fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  for (int i = 0; fd >= 0 && i < 1000 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
  }
  return fd;
}

static int slots_used(void) {
  uint32_t used = machine ? atomic_load(&machine->slots_used) : 0;
  return used > SIM_MACHINE_SLOTS ? SIM_MACHINE_SLOTS : (int)used;
}

static bool client_in_use(uint32_t rm_client) {
  for (int slot = 0; slot < slots_used(); slot++) {
    if (atomic_load(&machine->slots[slot].rm_client) == rm_client && slot != own_slot && is_taken(slot)) return true;
  }
  return false;
}

static void take_client(void) {
  /* Machines of different names count from different places, so that their numbers seldom meet. */
  uint32_t none = 0;
  atomic_compare_exchange_strong(&machine->next_client, &none, sim_own->rm_client & 0xffff);
  for (int tries = 0; tries < 0x10000; tries++) {
    uint32_t rm_client = 0xc1d00000u | (atomic_fetch_add(&machine->next_client, 1) & 0xffff);
    if (client_in_use(rm_client)) continue;
    sim_own->rm_client = rm_client;
    break;
  }
  atomic_store(&machine->slots[own_slot].rm_client, sim_own->rm_client);
}

void sim_machine_join(void) {
  const char *own_name = getenv("GPU_IPC_SIM_MACHINE");
  if (own_name && *own_name) snprintf(machine_name, sizeof machine_name, SIM_MACHINE_NAME ".%s", own_name);
  int gate = rendezvous();
  int fd = find_machine();
  machine = fd >= 0 ? map_machine(fd) : NULL;
  if (!machine) {
    if (fd >= 0) close(fd);
    fd = make_machine();
    machine = fd >= 0 ? map_machine(fd) : NULL;
  }
  if (!machine) {
    if (fd >= 0) close(fd);
    if (gate >= 0) close(gate);
    return;
  }
  int moved = sim_fd_above(fd, MACHINE_FD);
  machine_fd = moved == fd ? sim_fd_above(fd, MACHINE_FD_LOW) : moved;
  for (int slot = 0; slot < SIM_MACHINE_SLOTS && own_slot < 0; slot++) {
    if (!take_slot(slot)) continue;
    own_slot = slot;
    take_client();
    atomic_store(&machine->slots[slot].control_fd, sim_own_fd);
    atomic_store(&machine->slots[slot].token, sim_own->token);
    atomic_store(&machine->slots[slot].pid, sim_own->pid);
    uint32_t used = atomic_load(&machine->slots_used);
    while (used <= (uint32_t)slot && !atomic_compare_exchange_weak(&machine->slots_used, &used, (uint32_t)slot + 1)) {
    }
  }
  if (gate >= 0) close(gate);
}

void sim_machine_close_in_child(void) {
  if (machine_fd >= 0) close(machine_fd);
  machine_fd = -1;
  machine = NULL;
}

int sim_machine_open_memfd(int32_t pid, int fd_number, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd_number);
  return is_memfd(path, name) ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

static int open_control_at(int32_t pid, int fd_number) {
  return sim_machine_open_memfd(pid, fd_number, SIM_CONTROL_NAME);
}

static sim_control *map_control_at(int32_t pid, int fd_number) {
  int fd = open_control_at(pid, fd_number);
  if (fd < 0) return NULL;
  sim_control *control = sim_control_map(fd);
  close(fd);
  return control;
}

static sim_control *client_at(int32_t pid, int fd_number, uint32_t rm_client) {
  sim_control *control = map_control_at(pid, fd_number);
  if (!control || control->rm_client == rm_client) return control;
  sim_control_unmap(control);
  return NULL;
}

/* What processes of other machines (other names, other users) have at the usual place. */
static sim_control *find_client_elsewhere(uint32_t rm_client, int32_t *pid) {
  DIR *processes = opendir("/proc");
  if (!processes) return NULL;
  sim_control *found = NULL;
  struct dirent *entry;
  while (!found && (entry = readdir(processes))) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    *pid = (int32_t)strtol(entry->d_name, NULL, 10);
    if (*pid != getpid()) found = client_at(*pid, SIM_CONTROL_FD, rm_client);
  }
  closedir(processes);
  return found;
}

sim_control *sim_machine_find_client(uint32_t rm_client, int32_t *pid) {
  for (int slot = 0; slot < slots_used(); slot++) {
    if (atomic_load(&machine->slots[slot].rm_client) != rm_client || slot == own_slot || !is_taken(slot)) continue;
    *pid = atomic_load(&machine->slots[slot].pid);
    sim_control *control = client_at(*pid, atomic_load(&machine->slots[slot].control_fd), rm_client);
    if (control) return control;
  }
  return find_client_elsewhere(rm_client, pid);
}

int sim_machine_open_control(int32_t pid) {
  if (pid <= 0) return -1;
  for (int slot = 0; slot < slots_used(); slot++) {
    if (atomic_load(&machine->slots[slot].pid) != pid || !is_taken(slot)) continue;
    int fd = open_control_at(pid, atomic_load(&machine->slots[slot].control_fd));
    if (fd >= 0) return fd;
  }
  /* Another machine (another user's process seen by root): look at what the process has open. */
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *directory = opendir(path);
  if (!directory) return -1;
  int found = -1;
  struct dirent *entry;
  while (found < 0 && (entry = readdir(directory))) {
    if (isdigit((unsigned char)entry->d_name[0])) found = open_control_at(pid, atoi(entry->d_name));
  }
  closedir(directory);
  return found;
}

void sim_machine_visit_others(void (*visit)(const sim_control *control, void *data), void *data) {
  for (int slot = 0; slot < slots_used(); slot++) {
    if (slot == own_slot) continue;
    uint64_t token = atomic_load(&machine->slots[slot].token);
    bool alive = token != 0 && is_taken(slot);
    if (seen[slot].control && (!alive || seen[slot].token != token)) {
      sim_control_unmap(seen[slot].control);
      seen[slot].control = NULL;
    }
    if (!alive) continue;
    if (!seen[slot].control) {
      sim_control *control =
          map_control_at(atomic_load(&machine->slots[slot].pid), atomic_load(&machine->slots[slot].control_fd));
      if (!control) continue;
      if (control->token != token) {
        sim_control_unmap(control);
        continue;
      }
      seen[slot].control = control;
      seen[slot].token = token;
    }
    visit(seen[slot].control, data);
  }
}
