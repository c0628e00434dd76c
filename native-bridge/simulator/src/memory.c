/* Device and managed memory: allocate, free, how much is left, which allocation an address belongs to. */
#include "accounting.h"
#include "blocks.h"
#include "contexts.h"
#include "devices.h"
#include "streams.h"

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  SIM_ENTER_CONTEXT(cuMemAlloc_v2);
  if (!dptr || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result;
  sim_allocation *allocation = sim_allocate(SIM_KIND_DEVICE, context, context->device, bytesize, &result);
  if (allocation) *dptr = allocation->base;
  sim_lock_drop();
  return result;
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
  SIM_ENTER_CONTEXT(cuMemAllocManaged);
  if (!dptr || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result;
  sim_allocation *allocation = sim_allocate(SIM_KIND_MANAGED, context, context->device, bytesize, &result);
  if (allocation) *dptr = allocation->base;
  sim_lock_drop();
  return result;
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  SIM_ENTER_CONTEXT(cuMemFree_v2);
  (void)context;
  if (dptr == 0) return CUDA_SUCCESS;
  sim_lock_take();
  sim_allocation *allocation = sim_find(dptr);
  bool owned = allocation && allocation->base == dptr;
  if (owned) {
    sim_kind kind = allocation->block->kind;
    owned = kind == SIM_KIND_DEVICE || kind == SIM_KIND_MANAGED || kind == SIM_KIND_POOL;
  }
  /* Queued work that uses the memory keeps its block, so it is safe to free before that work is done. */
  if (owned) sim_deallocate(allocation);
  sim_lock_drop();
  return owned ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  SIM_ENTER_CONTEXT(cuMemGetInfo_v2);
  if (!free && !total) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  uint64_t all = sim_device_bytes();
  uint64_t used = sim_accounting_used(sim_device_physical(context->device));
  sim_lock_drop();
  if (free) *free = used < all ? all - used : 0;
  if (total) *total = all;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  SIM_ENTER_CONTEXT(cuMemGetAddressRange_v2);
  (void)context;
  sim_lock_take();
  sim_allocation *allocation = sim_find(dptr);
  if (allocation && pbase) *pbase = allocation->base;
  if (allocation && psize) *psize = allocation->size;
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* Only cuMemCreate memory has such a handle. */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
  SIM_ENTER_CONTEXT(cuMemRetainAllocationHandle);
  (void)context;
  (void)handle;
  (void)addr;
  return CUDA_ERROR_INVALID_VALUE;
}
