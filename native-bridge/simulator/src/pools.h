/* Memory pools: the devices' default ones, those a program makes, and those it imports. All calls hold sim_lock. */
#ifndef GPU_IPC_SIM_POOLS_H
#define GPU_IPC_SIM_POOLS_H

#include <sys/queue.h>

#include "sim.h"

/** What a pool is made with, or imported with. */
typedef struct {
  /** Index of the device on the machine. */
  int device;
  /** CUmemAllocationHandleType bits. */
  unsigned int handle_types;
  /** 0 for no limit. */
  uint64_t max_bytes;
} sim_pool_options;

struct CUmemPoolHandle_st {
  sim_pool_options options;
  bool is_default;
  /** Gone for the program; the object stays until its last memory is free. */
  bool destroyed;
  /** Its number in this process; in an imported pool that in the process it comes from. */
  uint32_t number;
  /** Own pools: the memfd that is exported, made by the first export; -1 before. */
  int fd;
  /** Imported pools: whose. A number of 0 for `owner_client` says that it is not imported. */
  uint64_t owner_token;
  uint32_t owner_client;
  int32_t owner_pid;
  /** CUmemAccess_flags by device of the machine. */
  uint8_t access[SIM_MAX_DEVICES];
  /** CUmemPool_attribute 1 to 3, and 4 to 8. */
  int reuse[3];
  uint64_t release_threshold;
  uint64_t reserved, reserved_high, used, used_high;
  TAILQ_ENTRY(CUmemPoolHandle_st) link;
};

static inline bool sim_pool_imported(const struct CUmemPoolHandle_st *pool) { return pool->owner_client != 0; }

/** A new pool; NULL when memory runs out. */
CUmemoryPool sim_pool_create(const sim_pool_options *options);
/** Whether a caller's pointer is a pool. */
bool sim_pool_known(CUmemoryPool pool);
/** The pool that stands for pool `number` of the process with this token here, or NULL. */
CUmemoryPool sim_pool_imported_as(uint64_t owner_token, uint32_t number);
/** The default pool of a visible device, and the one cuMemAllocAsync takes. NULL when memory runs out. */
CUmemoryPool sim_default_pool(CUdevice device);
CUmemoryPool sim_current_pool(CUdevice device);

/** Visible ordinal of its device; -1 when it is hidden. */
CUdevice sim_pool_device(CUmemoryPool pool);
/** CUmemAccess_flags of a device of the machine. */
unsigned int sim_pool_access(CUmemoryPool pool, int device);

/** Whether another chunk of `bytes` bytes is within its maximum size. */
bool sim_pool_may_grow(CUmemoryPool pool, uint64_t bytes);
void sim_pool_grow(CUmemoryPool pool, uint64_t bytes);
/** May end a pool that is destroyed. */
void sim_pool_shrink(CUmemoryPool pool, uint64_t bytes);
void sim_pool_use(CUmemoryPool pool, uint64_t bytes);
void sim_pool_unuse(CUmemoryPool pool, uint64_t bytes);
uint64_t sim_pool_reserved(CUmemoryPool pool);
/** Whether a chunk that just became empty stays reserved. */
bool sim_pool_keeps_chunks(CUmemoryPool pool);

/** Whether locations and handle types are such as a pool can be made with; the visible device. */
CUresult sim_check_location(const CUmemLocation *location, CUdevice *device);
CUresult sim_check_handle_types(unsigned int types);

#endif
