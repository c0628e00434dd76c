/* Counting device memory: owners count their live blocks; a block whose owner freed it or died counts once by whoever
   still has it open. */
#include "accounting.h"

#include <stdlib.h>

#include "control.h"
#include "devices.h"
#include "machine.h"

typedef struct {
  const sim_control *controls[256];
  int count;
  int physical;
  uint64_t used;
} survey;

static void add_process(const sim_control *control, void *data) {
  survey *all = data;
  all->used += atomic_load(&control->own_bytes[all->physical]);
  if (all->count < (int)(sizeof all->controls / sizeof all->controls[0])) all->controls[all->count++] = control;
}

static bool owner_counts_it(const survey *all, const sim_import_entry *import) {
  for (int i = 0; i < all->count; i++) {
    const sim_control *owner = all->controls[i];
    if (owner->token != import->token || import->block >= SIM_BLOCK_ENTRIES) continue;
    const sim_block_entry *block = &owner->blocks[import->block];
    return atomic_load(&block->state) == SIM_ENTRY_LIVE && block->counter == import->counter;
  }
  return false;
}

typedef struct {
  uint64_t token;
  uint64_t bytes;
  uint32_t counter;
} orphan;

static int by_identity(const void *left, const void *right) {
  const orphan *a = left, *b = right;
  if (a->token != b->token) return a->token < b->token ? -1 : 1;
  return a->counter < b->counter ? -1 : a->counter > b->counter;
}

static uint64_t orphan_bytes(const survey *all) {
  orphan *orphans = NULL;
  size_t count = 0, capacity = 0;
  for (int i = 0; i < all->count; i++) {
    uint32_t used = atomic_load(&all->controls[i]->imports_used);
    if (used > SIM_IMPORT_ENTRIES) used = SIM_IMPORT_ENTRIES;
    for (uint32_t j = 0; j < used; j++) {
      const sim_import_entry *import = &all->controls[i]->imports[j];
      if (atomic_load(&import->state) != SIM_ENTRY_LIVE || import->physical != all->physical) continue;
      if (owner_counts_it(all, import)) continue;
      if (count == capacity) {
        size_t more = capacity ? capacity * 2 : 64;
        orphan *grown = realloc(orphans, more * sizeof *orphans);
        if (!grown) break;
        orphans = grown;
        capacity = more;
      }
      orphans[count++] = (orphan){import->token, import->bytes, import->counter};
    }
  }
  if (count) qsort(orphans, count, sizeof *orphans, by_identity);
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || by_identity(&orphans[i - 1], &orphans[i]) != 0) bytes += orphans[i].bytes;
  }
  free(orphans);
  return bytes;
}

uint64_t sim_accounting_used(int physical) {
  survey all = {.physical = physical};
  add_process(sim_own, &all);
  sim_machine_visit_others(add_process, &all);
  return all.used + orphan_bytes(&all);
}

bool sim_accounting_reserve(int physical, uint64_t bytes) {
  if (bytes > sim_device_bytes()) return false;
  /* Count first, look then: two processes that take the last memory at once both see both. */
  atomic_fetch_add(&sim_own->own_bytes[physical], bytes);
  if (sim_accounting_used(physical) <= sim_device_bytes()) return true;
  atomic_fetch_sub(&sim_own->own_bytes[physical], bytes);
  return false;
}

void sim_accounting_release(int physical, uint64_t bytes) { atomic_fetch_sub(&sim_own->own_bytes[physical], bytes); }
