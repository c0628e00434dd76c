/* Stream-ordered memory from a device's default pool. It cannot be shared with the legacy calls. */
#include "pool_memory.h"

#include "blocks.h"
#include "contexts.h"
#include "devices.h"
#include "streams.h"

struct CUmemPoolHandle_st {
  CUdevice device;
};

static struct CUmemPoolHandle_st defaults[SIM_MAX_DEVICES];

CUmemoryPool sim_default_pool(CUdevice device) {
  defaults[device].device = device;
  return &defaults[device];
}

static CUresult pool_of(CUmemoryPool *pool, CUdevice dev) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  *pool = sim_default_pool(dev);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
  SIM_ENTER(cuDeviceGetDefaultMemPool);
  return pool_of(pool_out, dev);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
  SIM_ENTER(cuDeviceGetMemPool);
  return pool_of(pool, dev);
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  SIM_ENTER_CONTEXT(cuMemAllocAsync);
  (void)context;
  if (!dptr) return CUDA_ERROR_INVALID_VALUE;
  if (bytesize == 0) {
    *dptr = 0;
    return CUDA_SUCCESS;
  }
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS) {
    sim_allocation *allocation = sim_allocate(SIM_KIND_POOL, NULL, stream->context->device, bytesize, &result);
    if (allocation) *dptr = allocation->base;
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  SIM_ENTER_CONTEXT(cuMemFreeAsync);
  (void)context;
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS && dptr != 0) {
    sim_allocation *allocation = sim_find(dptr);
    if (!allocation || allocation->base != dptr || allocation->block->kind != SIM_KIND_POOL) {
      result = CUDA_ERROR_INVALID_VALUE;
    } else {
      /* The address is invalid at once; work that is already queued keeps the block. */
      sim_deallocate(allocation);
    }
  }
  sim_lock_drop();
  return result;
}
