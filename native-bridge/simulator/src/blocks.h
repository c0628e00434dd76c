/*
 * Blocks and the allocations inside them. A block is what the driver maps and shares as a whole; cuMemAlloc allocations
 * under 2 MiB share one. All calls hold sim_lock.
 */
#ifndef GPU_IPC_SIM_BLOCKS_H
#define GPU_IPC_SIM_BLOCKS_H

#include <sys/queue.h>

#include "exporters.h"
#include "sim.h"

typedef enum {
  SIM_KIND_DEVICE,
  SIM_KIND_MANAGED,
  SIM_KIND_HOST,
  SIM_KIND_POOL,
  SIM_KIND_IMPORT,
  SIM_KIND_REGISTERED,
  /** Addresses that cuMemMap gave physical memory (virtual_memory.h), and addresses that wait for it. */
  SIM_KIND_MAPPED,
  SIM_KIND_RESERVED,
} sim_kind;

struct sim_block;
struct sim_physical;

/** What a caller allocated, imported or registered: the unit of range checks. */
typedef struct sim_allocation {
  uint64_t base;
  /** As asked for. */
  uint64_t size;
  /** As taken from the block. */
  uint64_t taken;
  struct sim_block *block;
  uint64_t buffer_id;
  /** cuMemHostAlloc or cuMemHostRegister flags. */
  unsigned int host_flags;
  /** Imports: times it is open, and the size as its handle gives it, which may be wrong. */
  int opens;
  uint64_t named_size;
  bool sync_memops;
  /** Pool memory whose free is queued behind other work: no address leads to it, and its place is not given again. */
  bool freed;
} sim_allocation;

typedef struct sim_block {
  sim_kind kind;
  /** Context that owns it; NULL for pool memory and virtual memory. */
  CUcontext context;
  /** Visible ordinal, and index on the machine of the physical memory (another device's for imports). */
  CUdevice device;
  int physical;
  uint64_t base;
  uint64_t bytes;
  uint64_t id;
  /** The memfd that holds the bytes, or -1 for memory of the host. */
  int fd;
  /** Index in the own control table, or in the exporter's for an import; -1 for memory that is not shared. */
  int64_t entry;
  /** Whether `entry` is this process's, and whether the bytes count as this process's. */
  bool owns_entry;
  bool counted;
  /** Different for every block of a process, when the index is used again too. Imports: as their handle has it. */
  uint64_t counter;
  /** What a handle says about the block's size, in pages of 4 KiB. */
  uint32_t pages;
  /** Imports: whose block, and the own table's note of it. */
  sim_exporter *exporter;
  int64_t import_entry;
  /** Pool memory, own or imported: whose. */
  CUmemoryPool pool;
  /**
   * Pool memory whose last free nobody has waited for: the context and the stream of that free. NULL otherwise. Until one
   * of them is synchronised the chunk stays reserved, trimmed or not (measured); the pool may give it again.
   */
  CUcontext awaited_context;
  uint64_t awaited_stream;
  /** Mapped memory: what is behind the addresses, the reservation they lie in, CUmemAccess_flags by device. */
  struct sim_physical *backing;
  struct sim_block *reservation;
  uint8_t access[SIM_MAX_DEVICES];
  /** Imports: a handle with a wrong offset or size named bytes that are not in it. */
  bool outside;
  /** One for being in the tables, one for each queued piece of work. */
  int references;
  bool listed;
  /** Ordered by address. */
  sim_allocation **allocations;
  size_t count;
  size_t capacity;
  uint64_t free_bytes;
  TAILQ_ENTRY(sim_block) link;
} sim_block;

TAILQ_HEAD(sim_block_list, sim_block);
/** Every block of the process, in order of creation. */
extern struct sim_block_list sim_blocks;

/**
 * A new allocation of `size` bytes (over 0) for a context. Sets `*result` to CUDA_ERROR_OUT_OF_MEMORY and returns NULL
 * when the device, the address space or the host has no room.
 */
sim_allocation *sim_allocate(sim_kind kind, CUcontext context, CUdevice device, uint64_t size, CUresult *result);
/** The same from a pool: CUDA_ERROR_OUT_OF_MEMORY also where its maximum size is reached. */
sim_allocation *sim_allocate_from_pool(CUmemoryPool pool, uint64_t size, CUresult *result);
/** Takes an allocation out of the tables; its block goes with its last allocation and last piece of queued work. */
void sim_deallocate(sim_allocation *allocation);
/** The same in the order of a stream: a chunk of a pool that becomes empty stays until that stream is synchronised. */
void sim_deallocate_on(sim_allocation *allocation, CUcontext context, uint64_t stream);
/** The program waited for a stream of a context, or for all of them (0): pools let go of what was freed there. */
void sim_pools_synchronised(CUcontext context, uint64_t stream);

/**
 * A block that stands for another process's memory, or for its first `pages` pages of 4 KiB; takes over `fd` and the
 * exporter's reference when it succeeds. `counter` is the handle's.
 */
sim_block *sim_import_block(CUcontext context, sim_exporter *exporter, uint32_t entry, uint32_t pages, uint64_t counter,
                            int fd, CUresult *result);
/**
 * The part of an imported block that a handle names; the existing one when it names the same again. The driver believes
 * the handle: the part may lie outside the block. CUDA_ERROR_ALREADY_MAPPED when it overlaps another part, or when it lies
 * outside a block that allocations share.
 */
sim_allocation *sim_import_allocation(sim_block *block, uint64_t offset, uint64_t size, CUresult *result);
/**
 * A chunk of an imported pool, in which sim_import_allocation makes allocations; takes over `fd` when it succeeds.
 * `theirs` is entry `entry` of the process with this token.
 */
sim_block *sim_import_chunk(CUmemoryPool pool, uint64_t token, const sim_block_entry *theirs, uint32_t entry, int fd);
/**
 * Lets go of the empty chunks of a pool, until at most `keep` bytes are reserved. Chunks whose free nobody has waited for
 * stay.
 */
void sim_trim_pool(CUmemoryPool pool, uint64_t keep);
/** Lets go of all empty chunks of a pool. */
void sim_empty_pool(CUmemoryPool pool);

/** Addresses that nothing is mapped to; NULL when none are left. `alignment` is a power of two. */
sim_block *sim_reserve_addresses(uint64_t bytes, uint64_t alignment);
/** The addresses of a reservation in which nothing is mapped are free again. */
void sim_free_addresses(sim_block *reservation);
/** Maps all of `backing` at an address of a reservation, without access. NULL when memory runs out. */
sim_block *sim_map_block(sim_block *reservation, uint64_t base, struct sim_physical *backing);
void sim_unmap_block(sim_block *block);
/** The block at this address, reservations included, or NULL. */
sim_block *sim_block_at(uint64_t address);

/** Undoes sim_import_block for a block in which nothing was opened. */
void sim_forget_import(sim_block *block);

/** Host memory that the caller owns. NULL when it overlaps memory the driver knows. */
sim_allocation *sim_register_host(CUcontext context, CUdevice device, void *pointer, uint64_t size);

/** The allocation that holds this address, or NULL. */
sim_allocation *sim_find(uint64_t address);
/** The allocation that begins at this address and is of one of the kinds (bits 1 << kind), or NULL. */
sim_allocation *sim_find_own(uint64_t address, unsigned int kinds);
/** Its free is queued: no address leads to it any more, and its pool does not count it as used. */
void sim_mark_freed(sim_allocation *allocation);
/** The allocation with this base and id whose free is still queued, or NULL. */
sim_allocation *sim_find_freed(uint64_t base, uint64_t buffer_id);
/** Frees everything a context owns, closing what it imported; pools let go of what was freed in it. */
void sim_free_context(CUcontext context);

void sim_block_hold(sim_block *block);
void sim_block_drop(sim_block *block);

static inline bool sim_kind_is_host(sim_kind kind) {
  return kind == SIM_KIND_MANAGED || kind == SIM_KIND_HOST || kind == SIM_KIND_REGISTERED;
}

#endif
