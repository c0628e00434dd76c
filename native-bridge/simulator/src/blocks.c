/* Blocks of memory: memfds for device memory, plain mappings for host and managed memory, and what lies in them. */
#include "blocks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accounting.h"
#include "arena.h"
#include "contexts.h"
#include "devices.h"
#include "physical_memory.h"
#include "pools.h"

/* Addresses and sizes of small allocations are multiples of this. */
#define SMALL_UNIT 512u
#define POOL_CHUNK (32ull << 20)
#define PAGE 4096u
/* Where block memfds go, so that low descriptors stay free for select(). */
#define BLOCK_FD_MINIMUM 256

struct sim_block_list sim_blocks = TAILQ_HEAD_INITIALIZER(sim_blocks);

/* Registered host memory, ordered by address. */
static sim_block **registered;
static size_t registered_count, registered_capacity;

/* Blocks with `outside` set. */
static size_t outside_count;

static uint64_t chunk_of(sim_kind kind) { return kind == SIM_KIND_POOL ? POOL_CHUNK : SIM_GRANULE; }

static void *grown(void *array, size_t *capacity, size_t element) {
  size_t more = *capacity ? *capacity * 2 : 8;
  void *bigger = realloc(array, more * element);
  if (bigger) *capacity = more;
  return bigger;
}

/* Position of the first allocation whose base is above the address. */
static size_t upper_position(const sim_block *block, uint64_t address) {
  size_t low = 0, high = block->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (block->allocations[middle]->base <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

static sim_allocation *insert(sim_block *block, uint64_t base, uint64_t size, uint64_t taken) {
  if (block->count == block->capacity) {
    void *bigger = grown(block->allocations, &block->capacity, sizeof(sim_allocation *));
    if (!bigger) return NULL;
    block->allocations = bigger;
  }
  sim_allocation *allocation = calloc(1, sizeof *allocation);
  if (!allocation) return NULL;
  allocation->base = base;
  allocation->size = size;
  allocation->taken = taken;
  allocation->block = block;
  static uint64_t last_buffer_id;
  allocation->buffer_id = ++last_buffer_id;
  allocation->sync_memops = !sim_kind_is_host(block->kind) || block->kind == SIM_KIND_MANAGED;
  size_t at = upper_position(block, base);
  memmove(&block->allocations[at + 1], &block->allocations[at], (block->count - at) * sizeof block->allocations[0]);
  block->allocations[at] = allocation;
  block->count += 1;
  block->awaited_context = NULL;
  block->free_bytes -= taken < block->free_bytes ? taken : block->free_bytes;
  if (block->pool) sim_pool_use(block->pool, taken);
  return allocation;
}

static void take_out(sim_allocation *allocation) {
  sim_block *block = allocation->block;
  size_t at = upper_position(block, allocation->base) - 1;
  memmove(&block->allocations[at], &block->allocations[at + 1], (block->count - at - 1) * sizeof block->allocations[0]);
  block->count -= 1;
  block->free_bytes += allocation->taken;
  if (block->pool && !allocation->freed) sim_pool_unuse(block->pool, allocation->taken);
  free(allocation);
}

static sim_block *new_block(sim_kind kind, CUcontext context, CUdevice device, uint64_t bytes) {
  sim_block *block = calloc(1, sizeof *block);
  if (!block) return NULL;
  block->kind = kind;
  block->context = context;
  block->device = device;
  block->physical = sim_device_physical(device);
  block->bytes = bytes;
  block->free_bytes = bytes;
  block->id = sim_next_id();
  block->fd = -1;
  block->entry = -1;
  block->import_entry = -1;
  block->references = 1;
  return block;
}

static void list_block(sim_block *block) {
  TAILQ_INSERT_TAIL(&sim_blocks, block, link);
  block->listed = true;
}

/* Fresh zeroed device memory. It is sparse: pages come with the first write. */
static bool back_with_memfd(sim_block *block) {
  char name[64];
  snprintf(name, sizeof name, SIM_BLOCK_NAME ".%llu", (unsigned long long)block->id);
  struct stat status;
  block->fd = sim_fd_above(sim_memfd(name), BLOCK_FD_MINIMUM);
  if (block->fd < 0 || ftruncate(block->fd, (off_t)block->bytes) != 0 || fstat(block->fd, &status) != 0) return false;
  static uint32_t counter = 0x31;
  block->counter = ++counter;
  /* No legacy handle fits pool memory: none gives this number of pages. */
  if (block->kind == SIM_KIND_POOL) block->pages = SIM_PAGES_OF_NO_HANDLE;
  block->entry =
      sim_control_add_block(block->fd, status.st_ino, block->physical, block->bytes, block->pages,
                            (uint32_t)block->counter);
  block->owns_entry = block->entry >= 0;
  return block->owns_entry;
}

static bool back_with_host_memory(sim_block *block) {
  void *at = (void *)(uintptr_t)block->base;
  return mmap(at, block->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

static bool is_counted(sim_kind kind) { return kind == SIM_KIND_DEVICE || kind == SIM_KIND_POOL; }

/* Everything a block holds; also for one that was only half made. */
static void destroy(sim_block *block) {
  if (block->base && sim_kind_is_host(block->kind) && block->kind != SIM_KIND_REGISTERED) {
    mmap((void *)(uintptr_t)block->base, block->bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    sim_arena_release(block->base, block->bytes);
  }
  if (block->backing) sim_physical_unuse(block->backing);
  else if (block->fd >= 0) close(block->fd);
  if (block->counted) sim_accounting_release(block->physical, block->bytes);
  if (block->import_entry >= 0) sim_control_free_import((uint32_t)block->import_entry);
  sim_exporter_drop(block->exporter);
  if (block->pool) sim_pool_shrink(block->pool, block->bytes);
  free(block->allocations);
  free(block);
}

/* Out of the tables: no address leads here any more, and no other process can open it. */
static void unlist_block(sim_block *block) {
  if (!block->listed) return;
  block->listed = false;
  TAILQ_REMOVE(&sim_blocks, block, link);
  if (block->kind == SIM_KIND_REGISTERED) {
    for (size_t i = 0; i < registered_count; i++) {
      if (registered[i] != block) continue;
      memmove(&registered[i], &registered[i + 1], (registered_count - i - 1) * sizeof registered[0]);
      registered_count -= 1;
      break;
    }
  } else if (block->kind == SIM_KIND_MAPPED) {
    sim_arena_give(block->base, block->bytes, block->reservation);
    sim_block_drop(block->reservation);
  } else if (!sim_kind_is_host(block->kind)) {
    sim_arena_release(block->base, block->bytes);
  }
  if (block->owns_entry) sim_control_free_block((uint32_t)block->entry);
  if (block->outside) outside_count -= 1;
  sim_block_drop(block);
}

static sim_block *create_block(sim_kind kind, CUcontext context, CUdevice device, CUmemoryPool pool, uint64_t bytes,
                               uint32_t pages) {
  int physical = sim_device_physical(device);
  if (pool && !sim_pool_may_grow(pool, bytes)) return NULL;
  if (is_counted(kind) && !sim_accounting_reserve(physical, bytes)) return NULL;
  sim_block *block = new_block(kind, context, device, bytes);
  if (!block) {
    if (is_counted(kind)) sim_accounting_release(physical, bytes);
    return NULL;
  }
  block->counted = is_counted(kind);
  block->pages = pages;
  block->pool = pool;
  if (pool) sim_pool_grow(pool, bytes);
  block->base = sim_arena_reserve(bytes, block);
  if (!block->base || !(sim_kind_is_host(kind) ? back_with_host_memory(block) : back_with_memfd(block))) {
    if (block->base && !sim_kind_is_host(kind)) sim_arena_release(block->base, bytes);
    if (block->owns_entry) sim_control_free_block((uint32_t)block->entry);
    destroy(block);
    return NULL;
  }
  list_block(block);
  return block;
}

/* The first gap of a shared block that fits, lowest address first; 0 when there is none. */
static uint64_t find_gap(const sim_block *block, uint64_t taken) {
  uint64_t at = block->base;
  for (size_t i = 0; i < block->count; i++) {
    if (block->allocations[i]->base - at >= taken) return at;
    at = block->allocations[i]->base + block->allocations[i]->taken;
  }
  return block->base + block->bytes - at >= taken ? at : 0;
}

static sim_allocation *allocate(sim_kind kind, CUcontext context, CUdevice device, CUmemoryPool pool, uint64_t size,
                                CUresult *result) {
  uint64_t chunk = chunk_of(kind);
  *result = CUDA_ERROR_OUT_OF_MEMORY;
  if (size > UINT64_MAX / 2) return NULL;
  bool small = size < chunk;
  uint64_t taken = small ? SIM_ROUND_UP(size, SMALL_UNIT) : SIM_ROUND_UP(size, chunk);
  sim_block *block = NULL;
  uint64_t base = 0;
  if (small || pool) {
    /* A large one has a block to itself, and may have one that its pool kept. */
    uint64_t wanted = small ? chunk : taken;
    TAILQ_FOREACH(block, &sim_blocks, link) {
      if (block->kind != kind || block->context != context || block->device != device || block->pool != pool) continue;
      if (block->bytes != wanted || block->free_bytes < taken) continue;
      base = find_gap(block, taken);
      if (base) break;
    }
  }
  if (!base) {
    /* A handle gives the chunk for what is in one, else the allocation's own size. */
    uint64_t pages = SIM_ROUND_UP(size > chunk ? size : chunk, PAGE) / PAGE;
    block = create_block(kind, context, device, pool, small ? chunk : taken, (uint32_t)pages);
    if (!block) return NULL;
    base = block->base;
  }
  sim_allocation *allocation = insert(block, base, size, taken);
  if (!allocation) {
    if (block->count == 0) unlist_block(block);
    return NULL;
  }
  *result = CUDA_SUCCESS;
  return allocation;
}

sim_allocation *sim_allocate(sim_kind kind, CUcontext context, CUdevice device, uint64_t size, CUresult *result) {
  return allocate(kind, context, device, NULL, size, result);
}

sim_allocation *sim_allocate_from_pool(CUmemoryPool pool, uint64_t size, CUresult *result) {
  return allocate(SIM_KIND_POOL, NULL, sim_pool_device(pool), pool, size, result);
}

/* A block without allocations; one of a pool stays when its pool keeps as much. */
static void let_go(sim_block *block) {
  if (!block->pool || !sim_pool_keeps_chunks(block->pool)) unlist_block(block);
}

void sim_deallocate(sim_allocation *allocation) {
  sim_block *block = allocation->block;
  take_out(allocation);
  if (block->count == 0) let_go(block);
}

void sim_deallocate_on(sim_allocation *allocation, CUcontext context, uint64_t stream) {
  sim_block *block = allocation->block;
  if (!block->pool || !sim_pool_known(block->pool) || sim_pool_imported(block->pool)) {
    sim_deallocate(allocation);
    return;
  }
  take_out(allocation);
  block->awaited_context = context;
  block->awaited_stream = stream;
}

void sim_pools_synchronised(CUcontext context, uint64_t stream) {
  sim_block *next;
  for (sim_block *block = TAILQ_FIRST(&sim_blocks); block; block = next) {
    next = TAILQ_NEXT(block, link);
    if (block->awaited_context != context || (stream && block->awaited_stream != stream)) continue;
    block->awaited_context = NULL;
    if (block->count == 0) let_go(block);
  }
}

void sim_trim_pool(CUmemoryPool pool, uint64_t keep) {
  sim_block *next;
  for (sim_block *block = TAILQ_FIRST(&sim_blocks); block; block = next) {
    next = TAILQ_NEXT(block, link);
    if (block->pool != pool || block->count > 0 || block->awaited_context) continue;
    if (sim_pool_reserved(pool) >= keep + block->bytes) unlist_block(block);
  }
}

void sim_empty_pool(CUmemoryPool pool) {
  sim_block *next;
  for (sim_block *block = TAILQ_FIRST(&sim_blocks); block; block = next) {
    next = TAILQ_NEXT(block, link);
    if (block->pool == pool && block->count == 0) unlist_block(block);
  }
}

sim_block *sim_import_block(CUcontext context, sim_exporter *exporter, uint32_t entry, uint32_t pages, uint64_t counter,
                            int fd, CUresult *result) {
  const sim_block_entry *theirs = &exporter->control->blocks[entry];
  *result = CUDA_ERROR_OUT_OF_MEMORY;
  uint64_t named = SIM_ROUND_UP((uint64_t)pages * PAGE, SIM_GRANULE);
  sim_block *block =
      new_block(SIM_KIND_IMPORT, context, context->device, named < theirs->bytes ? named : theirs->bytes);
  if (!block) return NULL;
  block->base = sim_arena_reserve(block->bytes, block);
  if (!block->base) {
    destroy(block);
    return NULL;
  }
  block->physical = theirs->physical;
  block->entry = entry;
  block->counter = counter;
  block->pages = pages;
  block->import_entry =
      sim_control_add_import(exporter->token, entry, theirs->counter, theirs->physical, theirs->bytes);
  block->exporter = exporter;
  block->fd = sim_fd_above(fd, BLOCK_FD_MINIMUM);
  list_block(block);
  *result = CUDA_SUCCESS;
  return block;
}

sim_block *sim_import_chunk(CUmemoryPool pool, uint64_t token, const sim_block_entry *theirs, uint32_t entry, int fd) {
  sim_block *block = new_block(SIM_KIND_POOL, NULL, sim_pool_device(pool), theirs->bytes);
  if (!block) return NULL;
  block->physical = theirs->physical;
  block->base = sim_arena_reserve(block->bytes, block);
  if (!block->base) {
    destroy(block);
    return NULL;
  }
  block->entry = entry;
  block->counter = theirs->counter;
  block->pages = (uint32_t)(theirs->bytes / PAGE);
  block->import_entry = sim_control_add_import(token, entry, theirs->counter, theirs->physical, theirs->bytes);
  block->fd = sim_fd_above(fd, BLOCK_FD_MINIMUM);
  block->pool = pool;
  sim_pool_grow(pool, block->bytes);
  list_block(block);
  return block;
}

sim_block *sim_reserve_addresses(uint64_t bytes, uint64_t alignment) {
  sim_block *block = new_block(SIM_KIND_RESERVED, NULL, 0, bytes);
  if (!block) return NULL;
  block->base = sim_arena_reserve_aligned(bytes, alignment, block);
  if (block->base) return block;
  destroy(block);
  return NULL;
}

void sim_free_addresses(sim_block *reservation) {
  sim_arena_release(reservation->base, reservation->bytes);
  sim_block_drop(reservation);
}

sim_block *sim_map_block(sim_block *reservation, uint64_t base, sim_physical *backing) {
  sim_block *block = new_block(SIM_KIND_MAPPED, NULL, sim_device_visible(backing->device), backing->bytes);
  if (!block) return NULL;
  block->physical = backing->device;
  block->base = base;
  if (!insert(block, base, backing->bytes, backing->bytes)) {
    destroy(block);
    return NULL;
  }
  block->fd = backing->fd;
  block->backing = backing;
  sim_physical_use(backing);
  block->reservation = reservation;
  sim_block_hold(reservation);
  sim_arena_give(base, block->bytes, block);
  list_block(block);
  return block;
}

void sim_unmap_block(sim_block *block) {
  take_out(block->allocations[0]);
  unlist_block(block);
}

sim_block *sim_block_at(uint64_t address) { return sim_arena_owner(address); }

sim_allocation *sim_import_allocation(sim_block *block, uint64_t offset, uint64_t size, CUresult *result) {
  uint64_t base = block->base + offset, most = (uint64_t)block->pages * PAGE;
  uint64_t taken = size < most ? size : most;
  for (size_t i = 0; i < block->count; i++) {
    sim_allocation *known = block->allocations[i];
    *result = CUDA_SUCCESS;
    if (known->base == base && known->named_size == size) return known;
    *result = CUDA_ERROR_ALREADY_MAPPED;
    if (known->base < base + taken && base < known->base + known->size) return NULL;
  }
  bool shared = block->kind == SIM_KIND_IMPORT && most == SIM_GRANULE;
  *result = CUDA_ERROR_ALREADY_MAPPED;
  if (shared && offset + taken > block->bytes) return NULL;
  sim_allocation *allocation = insert(block, base, taken, taken);
  *result = allocation ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (!allocation) return NULL;
  allocation->named_size = size;
  if (offset + taken > block->bytes && !block->outside) {
    block->outside = true;
    outside_count += 1;
  }
  return allocation;
}

void sim_forget_import(sim_block *block) { unlist_block(block); }

/* Position of the first registered block whose base is above the address. */
static size_t registered_position(uint64_t address) {
  size_t low = 0, high = registered_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (registered[middle]->base <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

sim_allocation *sim_register_host(CUcontext context, CUdevice device, void *pointer, uint64_t size) {
  uint64_t base = (uint64_t)(uintptr_t)pointer;
  size_t at = registered_position(base);
  if (at > 0 && registered[at - 1]->base + registered[at - 1]->bytes > base) return NULL;
  if (at < registered_count && registered[at]->base < base + size) return NULL;
  if (sim_arena_owner(base) || sim_arena_owner(base + size - 1)) return NULL;
  if (registered_count == registered_capacity) {
    void *bigger = grown(registered, &registered_capacity, sizeof registered[0]);
    if (!bigger) return NULL;
    registered = bigger;
  }
  sim_block *block = new_block(SIM_KIND_REGISTERED, context, device, size);
  if (!block) return NULL;
  block->base = base;
  sim_allocation *allocation = insert(block, base, size, size);
  if (!allocation) {
    destroy(block);
    return NULL;
  }
  memmove(&registered[at + 1], &registered[at], (registered_count - at) * sizeof registered[0]);
  registered[at] = block;
  registered_count += 1;
  list_block(block);
  return allocation;
}

static sim_allocation *find_in(const sim_block *block, uint64_t address) {
  size_t after = upper_position(block, address);
  sim_allocation *allocation = after ? block->allocations[after - 1] : NULL;
  return allocation && !allocation->freed && address - allocation->base < allocation->size ? allocation : NULL;
}

static sim_allocation *find_outside(uint64_t address) {
  sim_block *block;
  TAILQ_FOREACH(block, &sim_blocks, link) {
    sim_allocation *allocation = block->outside ? find_in(block, address) : NULL;
    if (allocation) return allocation;
  }
  return NULL;
}

sim_allocation *sim_find(uint64_t address) {
  sim_block *block = sim_arena_owner(address);
  if (!block) {
    size_t after = registered_position(address);
    if (after > 0) block = registered[after - 1];
  }
  sim_allocation *allocation = block ? find_in(block, address) : NULL;
  return allocation || outside_count == 0 ? allocation : find_outside(address);
}

sim_allocation *sim_find_own(uint64_t address, unsigned int kinds) {
  sim_allocation *allocation = sim_find(address);
  bool own = allocation && allocation->base == address && (kinds >> allocation->block->kind & 1);
  return own ? allocation : NULL;
}

void sim_mark_freed(sim_allocation *allocation) {
  allocation->freed = true;
  if (allocation->block->pool) sim_pool_unuse(allocation->block->pool, allocation->taken);
}

sim_allocation *sim_find_freed(uint64_t base, uint64_t buffer_id) {
  sim_block *block = sim_arena_owner(base);
  size_t after = block ? upper_position(block, base) : 0;
  sim_allocation *allocation = after ? block->allocations[after - 1] : NULL;
  return allocation && allocation->freed && allocation->buffer_id == buffer_id ? allocation : NULL;
}

void sim_free_context(CUcontext context) {
  /* Nobody can wait for it any more. */
  sim_pools_synchronised(context, 0);
  sim_block *next;
  for (sim_block *block = TAILQ_FIRST(&sim_blocks); block; block = next) {
    next = TAILQ_NEXT(block, link);
    if (block->context != context) continue;
    while (block->count > 1) take_out(block->allocations[block->count - 1]);
    if (block->count == 1) sim_deallocate(block->allocations[0]);
    else unlist_block(block);
  }
}

void sim_block_hold(sim_block *block) { block->references += 1; }

void sim_block_drop(sim_block *block) {
  if (--block->references == 0) destroy(block);
}
