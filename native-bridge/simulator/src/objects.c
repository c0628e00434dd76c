/* A hash set with open addressing; an entry is the pointer with its kind in the low bits. */
#include "objects.h"

#include <stdlib.h>

static uintptr_t *table;
static size_t capacity;
static size_t count;

static size_t place(uintptr_t object) {
  uint64_t hash = (uint64_t)object * 0x9e3779b97f4a7c15ull;
  size_t at = (size_t)(hash >> 32) & (capacity - 1);
  while (table[at] && table[at] != object) at = (at + 1) & (capacity - 1);
  return at;
}

static bool grow(void) {
  uintptr_t *old = table;
  size_t old_capacity = capacity;
  uintptr_t *bigger = calloc(old_capacity ? old_capacity * 2 : 64, sizeof *bigger);
  if (!bigger) return false;
  table = bigger;
  capacity = old_capacity ? old_capacity * 2 : 64;
  for (size_t i = 0; i < old_capacity; i++) {
    if (old[i]) table[place(old[i])] = old[i];
  }
  free(old);
  return true;
}

static uintptr_t entry_of(const void *object, sim_object_kind kind) {
  uintptr_t address = (uintptr_t)object;
  return address && (address & 15) == 0 ? address | (uintptr_t)kind : 0;
}

static void erase(uintptr_t entry) {
  size_t hole = place(entry);
  if (table[hole] != entry) return;
  table[hole] = 0;
  count -= 1;
  /* Entries after the hole may have been pushed there by what is gone. */
  for (size_t at = (hole + 1) & (capacity - 1); table[at]; at = (at + 1) & (capacity - 1)) {
    uintptr_t moved = table[at];
    table[at] = 0;
    table[place(moved)] = moved;
  }
}

bool sim_object_add(const void *object, sim_object_kind kind) {
  if (count * 2 >= capacity && !grow()) return false;
  erase(entry_of(object, SIM_OBJECT_GONE));
  uintptr_t entry = entry_of(object, kind);
  table[place(entry)] = entry;
  count += 1;
  return true;
}

bool sim_object_known(const void *object, sim_object_kind kind) {
  uintptr_t entry = entry_of(object, kind);
  return entry && capacity && table[place(entry)] == entry;
}

bool sim_object_ever(const void *object) {
  return sim_object_known(object, SIM_OBJECT_STREAM) || sim_object_known(object, SIM_OBJECT_EVENT) ||
         sim_object_known(object, SIM_OBJECT_GONE);
}

void sim_object_remove(const void *object, sim_object_kind kind) {
  if (!sim_object_known(object, kind)) return;
  erase(entry_of(object, kind));
  /* There is room: an entry was just taken out. */
  uintptr_t entry = entry_of(object, SIM_OBJECT_GONE);
  table[place(entry)] = entry;
  count += 1;
}
