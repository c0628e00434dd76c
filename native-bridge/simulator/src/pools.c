/* Pools as objects: create, destroy, attributes, access. */
#include "pools.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"
#include "devices.h"

/* What a limit is rounded up to: a pool grows in chunks. */
#define LIMIT_UNIT (32ull << 20)

static TAILQ_HEAD(, CUmemPoolHandle_st) pools = TAILQ_HEAD_INITIALIZER(pools);
/* By visible ordinal. */
static CUmemoryPool defaults[SIM_MAX_DEVICES], currents[SIM_MAX_DEVICES];

CUmemoryPool sim_pool_create(const sim_pool_options *options) {
  CUmemoryPool pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  static uint32_t last_number;
  pool->options = *options;
  pool->number = ++last_number;
  pool->fd = -1;
  pool->access[options->device] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (int i = 0; i < 3; i++) pool->reuse[i] = 1;
  TAILQ_INSERT_TAIL(&pools, pool, link);
  return pool;
}

bool sim_pool_known(CUmemoryPool pool) {
  CUmemoryPool known;
  TAILQ_FOREACH(known, &pools, link) {
    if (known == pool) return !pool->destroyed;
  }
  return false;
}

CUmemoryPool sim_pool_imported_as(uint64_t owner_token, uint32_t number) {
  CUmemoryPool known;
  TAILQ_FOREACH(known, &pools, link) {
    bool same = sim_pool_imported(known) && known->owner_token == owner_token && known->number == number;
    if (same && !known->destroyed) return known;
  }
  return NULL;
}

CUmemoryPool sim_default_pool(CUdevice device) {
  if (!defaults[device]) {
    defaults[device] = sim_pool_create(&(sim_pool_options){.device = sim_device_physical(device)});
    if (defaults[device]) defaults[device]->is_default = true;
  }
  return defaults[device];
}

CUmemoryPool sim_current_pool(CUdevice device) {
  return currents[device] ? currents[device] : sim_default_pool(device);
}

CUdevice sim_pool_device(CUmemoryPool pool) { return sim_device_visible(pool->options.device); }

unsigned int sim_pool_access(CUmemoryPool pool, int device) { return pool->access[device]; }

bool sim_pool_may_grow(CUmemoryPool pool, uint64_t bytes) {
  uint64_t most = pool->options.max_bytes;
  return most == 0 || pool->reserved + bytes <= SIM_ROUND_UP(most, LIMIT_UNIT);
}

void sim_pool_grow(CUmemoryPool pool, uint64_t bytes) {
  pool->reserved += bytes;
  if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
}

static void end_when_empty(CUmemoryPool pool) {
  if (!pool->destroyed || pool->reserved > 0) return;
  TAILQ_REMOVE(&pools, pool, link);
  if (pool->fd >= 0) close(pool->fd);
  free(pool);
}

void sim_pool_shrink(CUmemoryPool pool, uint64_t bytes) {
  pool->reserved -= bytes;
  end_when_empty(pool);
}

void sim_pool_use(CUmemoryPool pool, uint64_t bytes) {
  pool->used += bytes;
  if (pool->used > pool->used_high) pool->used_high = pool->used;
}

void sim_pool_unuse(CUmemoryPool pool, uint64_t bytes) { pool->used -= bytes; }

uint64_t sim_pool_reserved(CUmemoryPool pool) { return pool->reserved; }

bool sim_pool_keeps_chunks(CUmemoryPool pool) {
  return !pool->destroyed && !sim_pool_imported(pool) && pool->reserved <= pool->release_threshold;
}

CUresult sim_check_location(const CUmemLocation *location, CUdevice *device) {
  if (location->type == CU_MEM_LOCATION_TYPE_INVALID || location->type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  /* Memory of the host is not simulated in pools and virtual memory. */
  if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  if (sim_device_physical(location->id) < 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = location->id;
  return CUDA_SUCCESS;
}

CUresult sim_check_handle_types(unsigned int types) {
  const unsigned int known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
  return types & ~known ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
  SIM_ENTER(cuMemPoolCreate);
  if (!pool || !poolProps || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < sizeof poolProps->reserved; i++) {
    if (poolProps->reserved[i]) return CUDA_ERROR_INVALID_VALUE;
  }
  CUdevice device;
  CUresult result = sim_check_location(&poolProps->location, &device);
  if (result == CUDA_SUCCESS) result = sim_check_handle_types(poolProps->handleTypes);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  CUmemoryPool created = sim_pool_create(&(sim_pool_options){.device = sim_device_physical(device),
                                                             .handle_types = poolProps->handleTypes,
                                                             .max_bytes = poolProps->maxSize});
  sim_lock_drop();
  if (!created) return CUDA_ERROR_OUT_OF_MEMORY;
  *pool = created;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  SIM_ENTER(cuMemPoolDestroy);
  sim_lock_take();
  bool may = sim_pool_known(pool) && !pool->is_default;
  /* An imported one goes after its pointers. */
  if (may && sim_pool_imported(pool) && pool->reserved > 0) may = false;
  if (may) {
    for (int i = 0; i < SIM_MAX_DEVICES; i++) {
      if (currents[i] == pool) currents[i] = NULL;
    }
    sim_empty_pool(pool);
    pool->destroyed = true;
    end_when_empty(pool);
  }
  sim_lock_drop();
  return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  SIM_ENTER(cuMemPoolTrimTo);
  sim_lock_take();
  bool may = sim_pool_known(pool) && !sim_pool_imported(pool);
  if (may) sim_trim_pool(pool, minBytesToKeep);
  sim_lock_drop();
  return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, const void *value) {
  if (attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
      attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES) {
    int on;
    memcpy(&on, value, sizeof on);
    pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = on != 0;
    return CUDA_SUCCESS;
  }
  uint64_t number;
  memcpy(&number, value, sizeof number);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      pool->release_threshold = number;
      return CUDA_SUCCESS;
    /* The high marks can only be set back. */
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      if (number == 0) pool->reserved_high = pool->reserved;
      return number == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (number == 0) pool->used_high = pool->used;
      return number == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult get_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  uint64_t number;
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      memcpy(value, &pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], sizeof(int));
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      number = pool->release_threshold;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      number = pool->reserved;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      number = pool->reserved_high;
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      number = pool->used;
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      number = pool->used_high;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  memcpy(value, &number, sizeof number);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  SIM_ENTER(cuMemPoolSetAttribute);
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = sim_pool_known(pool) ? set_attribute(pool, attr, value) : CUDA_ERROR_INVALID_VALUE;
  sim_lock_drop();
  return result;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  SIM_ENTER(cuMemPoolGetAttribute);
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  /* Measured of an imported pool: what it reserves is not told. So is nothing else of it here. */
  bool may = sim_pool_known(pool) && !sim_pool_imported(pool);
  CUresult result = may ? get_attribute(pool, attr, value) : CUDA_ERROR_INVALID_VALUE;
  sim_lock_drop();
  return result;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  SIM_ENTER(cuMemPoolSetAccess);
  if (!map && count > 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = sim_pool_known(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  uint8_t access[SIM_MAX_DEVICES];
  if (result == CUDA_SUCCESS) memcpy(access, pool->access, sizeof access);
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
    CUdevice device;
    result = sim_check_location(&map[i].location, &device);
    if (result != CUDA_SUCCESS) break;
    int physical = sim_device_physical(device);
    bool all = map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, none = map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
    /* Pools have no read-only access, and a device keeps its own memory. */
    if (map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ) result = CUDA_ERROR_NOT_SUPPORTED;
    else if (!all && !none) result = CUDA_ERROR_INVALID_VALUE;
    else if (none && physical == pool->options.device) result = CUDA_ERROR_INVALID_DEVICE;
    else access[physical] = (uint8_t)map[i].flags;
  }
  if (result == CUDA_SUCCESS) memcpy(pool->access, access, sizeof access);
  sim_lock_drop();
  return result;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
  SIM_ENTER(cuMemPoolGetAccess);
  if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUdevice device;
  CUresult result = sim_pool_known(memPool) ? sim_check_location(location, &device) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *flags = (CUmemAccess_flags)memPool->access[sim_device_physical(device)];
  sim_lock_drop();
  return result;
}

static CUresult pool_of(CUmemoryPool *pool, CUdevice dev, CUmemoryPool (*which)(CUdevice)) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  *pool = which(dev);
  sim_lock_drop();
  return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
  SIM_ENTER(cuDeviceGetDefaultMemPool);
  return pool_of(pool_out, dev, sim_default_pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
  SIM_ENTER(cuDeviceGetMemPool);
  return pool_of(pool, dev, sim_current_pool);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  SIM_ENTER(cuDeviceSetMemPool);
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  bool may = sim_pool_known(pool) && !sim_pool_imported(pool) && sim_pool_device(pool) == dev;
  if (may) currents[dev] = pool;
  sim_lock_drop();
  return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
