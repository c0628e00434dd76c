/* Reserving device addresses, mapping physical memory to them, and who may use it there. */
#include <string.h>

#include "blocks.h"
#include "devices.h"
#include "physical_memory.h"
#include "pools.h"

static bool is_granular(uint64_t value) { return value % SIM_GRANULE == 0; }

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  SIM_ENTER(cuMemAddressReserve);
  /* `addr` is a wish, which is not granted. */
  (void)addr;
  if (!ptr || flags != 0 || size == 0 || !is_granular(size) || (alignment & (alignment - 1))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_take();
  sim_block *reservation = sim_reserve_addresses(size, alignment > SIM_GRANULE ? alignment : SIM_GRANULE);
  if (reservation) *ptr = reservation->base;
  sim_lock_drop();
  return reservation ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  SIM_ENTER(cuMemAddressFree);
  sim_lock_take();
  sim_block *reservation = sim_block_at(ptr);
  /* Each mapping in it holds it once more. */
  bool whole = reservation && reservation->kind == SIM_KIND_RESERVED && reservation->base == ptr &&
               reservation->bytes == size && reservation->references == 1;
  if (whole) sim_free_addresses(reservation);
  sim_lock_drop();
  return whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The reservation in which nothing is mapped to these addresses yet, or NULL. */
static sim_block *free_range(uint64_t base, uint64_t bytes) {
  sim_block *reservation = sim_block_at(base);
  if (!reservation || reservation->kind != SIM_KIND_RESERVED) return NULL;
  if (bytes > reservation->bytes - (base - reservation->base)) return NULL;
  for (uint64_t at = base; at < base + bytes; at += SIM_GRANULE) {
    if (sim_block_at(at) != reservation) return NULL;
  }
  return reservation;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  SIM_ENTER(cuMemMap);
  if (flags != 0 || size == 0 || !is_granular(ptr) || !is_granular(size) || !is_granular(offset)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_take();
  sim_physical *physical = sim_physical_of(handle);
  sim_block *reservation = free_range(ptr, size);
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  if (physical && reservation) {
    /* Only the whole of it can be mapped. */
    result = CUDA_ERROR_NOT_SUPPORTED;
    if (offset == 0 && size == physical->bytes) {
      result = sim_map_block(reservation, ptr, physical) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  sim_lock_drop();
  return result;
}

/* Whether whole mappings, side by side, fill these addresses. */
static bool is_mapped(uint64_t base, uint64_t bytes) {
  if (bytes == 0 || bytes > UINT64_MAX - base) return false;
  uint64_t at = base;
  while (at < base + bytes) {
    const sim_block *block = sim_block_at(at);
    if (!block || block->kind != SIM_KIND_MAPPED || block->base != at) return false;
    at += block->bytes;
  }
  return at == base + bytes;
}

/* Whether these addresses are whole mappings and reserved addresses with nothing behind them. */
static bool may_unmap(uint64_t base, uint64_t bytes) {
  if (bytes == 0 || bytes > UINT64_MAX - base || !is_granular(base) || !is_granular(bytes)) return false;
  uint64_t at = base;
  while (at < base + bytes) {
    const sim_block *block = sim_block_at(at);
    bool mapped = block && block->kind == SIM_KIND_MAPPED && block->base == at;
    if (!mapped && !(block && block->kind == SIM_KIND_RESERVED)) return false;
    at += mapped ? block->bytes : SIM_GRANULE;
  }
  return at == base + bytes;
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  SIM_ENTER(cuMemUnmap);
  sim_lock_take();
  bool may = may_unmap(ptr, size);
  for (uint64_t at = ptr; may && at < ptr + size;) {
    sim_block *block = sim_block_at(at);
    /* What is not mapped (any more) is no error. */
    bool mapped = block->kind == SIM_KIND_MAPPED;
    at += mapped ? block->bytes : SIM_GRANULE;
    if (mapped) sim_unmap_block(block);
  }
  sim_lock_drop();
  return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool is_access(unsigned int flags) {
  return flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
         flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
  SIM_ENTER(cuMemSetAccess);
  if (!desc || count == 0) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    CUdevice device;
    CUresult result = sim_check_location(&desc[i].location, &device);
    if (result != CUDA_SUCCESS) return result;
    if (!is_access(desc[i].flags)) return CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_take();
  bool mapped = is_mapped(ptr, size);
  for (uint64_t at = ptr; mapped && at < ptr + size;) {
    sim_block *block = sim_block_at(at);
    for (size_t i = 0; i < count; i++) {
      block->access[sim_device_physical(desc[i].location.id)] = (uint8_t)desc[i].flags;
    }
    at += block->bytes;
  }
  sim_lock_drop();
  return mapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Measured for cuMemAlloc memory: it is answered too. That its own device may do all is taken for granted. */
static unsigned int access_of(const sim_block *block, int device) {
  if (block->kind == SIM_KIND_MAPPED) return block->access[device];
  if (block->pool) return sim_pool_access(block->pool, device);
  bool may = sim_kind_is_host(block->kind) || block->physical == device;
  return may ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr) {
  SIM_ENTER(cuMemGetAccess);
  if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
  CUdevice device;
  CUresult result = sim_check_location(location, &device);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  const sim_allocation *allocation = sim_find(ptr);
  if (allocation) *flags = access_of(allocation->block, sim_device_physical(device));
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
