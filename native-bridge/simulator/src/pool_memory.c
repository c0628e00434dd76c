/* Stream-ordered memory: allocations of pools, and frees that wait for the work before them. */
#include <stdlib.h>

#include "blocks.h"
#include "contexts.h"
#include "pools.h"
#include "streams.h"

/* Holds sim_lock. NULL for the pool takes the current one of the stream's device. */
static CUresult allocate(CUdeviceptr *dptr, size_t bytes, CUmemoryPool pool, CUstream handle) {
  CUstream stream;
  CUresult result = sim_stream_resolve(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  if (!pool) pool = sim_current_pool(stream->context->device);
  if (!pool) return CUDA_ERROR_OUT_OF_MEMORY;
  sim_allocation *allocation = sim_allocate_from_pool(pool, bytes, &result);
  if (allocation) *dptr = allocation->base;
  return result;
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
  CUresult result = allocate(dptr, bytesize, NULL, hStream);
  sim_lock_drop();
  return result;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  SIM_ENTER_CONTEXT(cuMemAllocFromPoolAsync);
  (void)context;
  if (!dptr) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  if (sim_pool_known(pool) && !sim_pool_imported(pool)) {
    result = CUDA_SUCCESS;
    if (bytesize == 0) *dptr = 0;
    else result = allocate(dptr, bytesize, pool, hStream);
  }
  sim_lock_drop();
  return result;
}

/* By address and id: the context of cuMemAlloc memory may be gone before its streams notice. */
typedef struct {
  sim_work work;
  uint64_t base;
  uint64_t buffer_id;
  CUcontext context;
  uint64_t stream;
} free_work;

static void run_free(sim_work *work, CUstream stream) {
  (void)work;
  (void)stream;
}

static void finish_free(sim_work *work, bool ran) {
  const free_work *later = (free_work *)work;
  sim_allocation *allocation = sim_find_freed(later->base, later->buffer_id);
  if (!allocation) return;
  /* Work that was dropped was its context's, and nobody can wait for that any more. */
  if (ran) sim_deallocate_on(allocation, later->context, later->stream);
  else sim_deallocate(allocation);
}

/* The address is invalid at once, but its place is not given to others before the stream gets there. */
static CUresult free_on(CUstream stream, sim_allocation *allocation) {
  bool imported = allocation->block->pool && sim_pool_imported(allocation->block->pool);
  if (imported || sim_stream_idle(stream)) {
    sim_deallocate_on(allocation, stream->context, stream->id);
    return CUDA_SUCCESS;
  }
  free_work *later = calloc(1, sizeof *later);
  if (!later) return CUDA_ERROR_OUT_OF_MEMORY;
  *later = (free_work){.work = {.run = run_free, .finish = finish_free},
                       .base = allocation->base, .buffer_id = allocation->buffer_id,
                       .context = stream->context, .stream = stream->id};
  CUresult result = sim_stream_submit(stream, &later->work);
  if (result == CUDA_SUCCESS) sim_mark_freed(allocation);
  else free(later);
  return result;
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  SIM_ENTER_CONTEXT(cuMemFreeAsync);
  (void)context;
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS && dptr != 0) {
    /* Memory of cuMemAlloc too. */
    sim_allocation *allocation = sim_find_own(dptr, 1u << SIM_KIND_POOL | 1u << SIM_KIND_DEVICE);
    result = allocation ? free_on(stream, allocation) : CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_drop();
  return result;
}
