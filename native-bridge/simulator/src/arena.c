/* Virtual addresses of device and driver-allocated host memory. */
#include "arena.h"

#include <sys/mman.h>

/* Enough for hundreds of simulated devices; less where the address space is limited (ulimit -v). */
#define LARGEST_ARENA (4ull << 40)
#define SMALLEST_ARENA (16ull << 30)

static uint64_t arena_base;
static uint64_t granule_count;
static struct sim_block **owners;
static uint64_t lowest_free;

bool sim_arena_start(void) {
  if (owners) return true;
  for (uint64_t bytes = LARGEST_ARENA; bytes >= SMALLEST_ARENA; bytes /= 2) {
    void *range = mmap(NULL, bytes + SIM_GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    madvise(range, bytes + SIM_GRANULE, MADV_DONTDUMP);
    void *table = mmap(NULL, bytes / SIM_GRANULE * sizeof *owners, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) {
      munmap(range, bytes + SIM_GRANULE);
      continue;
    }
    arena_base = SIM_ROUND_UP((uint64_t)(uintptr_t)range, SIM_GRANULE);
    granule_count = bytes / SIM_GRANULE;
    owners = table;
    return true;
  }
  return false;
}

uint64_t sim_arena_reserve(uint64_t bytes, struct sim_block *owner) {
  return sim_arena_reserve_aligned(bytes, SIM_GRANULE, owner);
}

uint64_t sim_arena_reserve_aligned(uint64_t bytes, uint64_t alignment, struct sim_block *owner) {
  uint64_t wanted = bytes / SIM_GRANULE;
  uint64_t run = 0;
  for (uint64_t i = lowest_free; i < granule_count; i++) {
    bool starts = run > 0 || (arena_base + i * SIM_GRANULE) % alignment == 0;
    run = owners[i] || !starts ? 0 : run + 1;
    if (run < wanted) continue;
    uint64_t first = i + 1 - wanted;
    for (uint64_t j = first; j <= i; j++) owners[j] = owner;
    if (first == lowest_free) {
      lowest_free = i + 1;
      while (lowest_free < granule_count && owners[lowest_free]) lowest_free++;
    }
    return arena_base + first * SIM_GRANULE;
  }
  return 0;
}

void sim_arena_give(uint64_t base, uint64_t bytes, struct sim_block *owner) {
  uint64_t first = (base - arena_base) / SIM_GRANULE;
  for (uint64_t i = 0; i < bytes / SIM_GRANULE; i++) owners[first + i] = owner;
}

void sim_arena_release(uint64_t base, uint64_t bytes) {
  uint64_t first = (base - arena_base) / SIM_GRANULE;
  for (uint64_t i = 0; i < bytes / SIM_GRANULE; i++) owners[first + i] = NULL;
  if (first < lowest_free) lowest_free = first;
}

struct sim_block *sim_arena_owner(uint64_t address) {
  if (address < arena_base) return NULL;
  uint64_t granule = (address - arena_base) / SIM_GRANULE;
  return granule < granule_count ? owners[granule] : NULL;
}
