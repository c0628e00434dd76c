/* Device and managed memory: allocate, free, how much is left, which allocation an address belongs to. */
#include "accounting.h"
#include "blocks.h"
#include "contexts.h"
#include "devices.h"
#include "streams.h"

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  SIM_ENTER_CONTEXT(cuMemAlloc_v2);
  if (dptr && bytesize == 0) *dptr = 0;
  if (!dptr || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result;
  sim_allocation *allocation = sim_allocate(SIM_KIND_DEVICE, context, context->device, bytesize, &result);
  *dptr = allocation ? allocation->base : 0;
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
  if (allocation) {
    allocation->host_flags = CU_MEMHOSTALLOC_DEVICEMAP;
    *dptr = allocation->base;
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  SIM_ENTER(cuMemFree_v2);
  /* Needs no current context, but not a destroyed one either. */
  CUcontext context;
  if (sim_current(&context) == CUDA_ERROR_CONTEXT_IS_DESTROYED) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (dptr == 0) return CUDA_SUCCESS;
  const unsigned int waiting = 1u << SIM_KIND_DEVICE | 1u << SIM_KIND_MANAGED, stream_ordered = 1u << SIM_KIND_POOL;
  sim_lock_take();
  sim_allocation *allocation = sim_find_own(dptr, waiting | stream_ordered);
  if (allocation && allocation->block->kind != SIM_KIND_POOL) {
    /* The driver waits for all work of the context, whatever it uses; meanwhile another thread may free the memory. */
    sim_streams_wait_context(allocation->block->context);
    allocation = sim_find_own(dptr, waiting);
  }
  if (allocation) sim_deallocate(allocation);
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  SIM_ENTER_CONTEXT(cuMemGetInfo_v2);
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
  if (!pbase && !psize) return CUDA_SUCCESS;
  sim_lock_take();
  sim_allocation *allocation = sim_find(dptr);
  if (allocation && pbase) *pbase = allocation->base;
  if (allocation && psize) *psize = allocation->size;
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
