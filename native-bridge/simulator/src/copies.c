/* Copies, synchronous and on streams. */
#include <stdlib.h>
#include <string.h>

#include "contexts.h"
#include "spans.h"
#include "streams.h"

/* Pageable source bytes up to this size are taken over when the call returns, as the driver's staging buffers do. */
#define STAGING_BYTES (64ull << 20)

typedef struct {
  sim_work work;
  sim_span to;
  sim_span from;
  uint64_t bytes;
  char *staging;
} copy_work;

static void run_copy(sim_work *work, CUstream stream) {
  (void)stream;
  copy_work *copy = (copy_work *)work;
  sim_span_copy(&copy->to, &copy->from, copy->bytes);
}

static void finish_copy(sim_work *work, bool ran) {
  (void)ran;
  copy_work *copy = (copy_work *)work;
  sim_span_drop(&copy->to);
  sim_span_drop(&copy->from);
  free(copy->staging);
}

/* The two ends are held; this call drops them, now or when the work is done. Holds sim_lock. */
static CUresult copy_on(CUstream stream, sim_span to, sim_span from, uint64_t bytes, bool wait) {
  if (sim_stream_idle(stream) && wait) {
    sim_lock_drop();
    CUresult result = sim_span_copy(&to, &from, bytes);
    sim_lock_take();
    sim_span_drop(&to);
    sim_span_drop(&from);
    return result;
  }
  copy_work *copy = calloc(1, sizeof *copy);
  CUresult result = copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  bool pageable_source = from.host && !from.block;
  if (result == CUDA_SUCCESS && !wait && pageable_source && bytes <= STAGING_BYTES) {
    copy->staging = malloc(bytes);
    if (copy->staging) {
      memcpy(copy->staging, from.host, bytes);
      from.host = copy->staging;
      pageable_source = false;
    }
  }
  if (result == CUDA_SUCCESS) {
    copy->work.run = run_copy;
    copy->work.finish = finish_copy;
    copy->to = to;
    copy->from = from;
    copy->bytes = bytes;
    result = sim_stream_submit(stream, &copy->work);
  }
  if (result != CUDA_SUCCESS) {
    sim_span_drop(&to);
    sim_span_drop(&from);
    if (copy) free(copy->staging);
    free(copy);
    return result;
  }
  /* Pageable host memory is used before the call returns, in either direction. */
  bool pageable_target = to.host && !to.block;
  if (wait || pageable_source || pageable_target) sim_stream_wait(stream, stream->submitted);
  return CUDA_SUCCESS;
}

enum { END_DEVICE, END_HOST };

static CUresult span_of(uint64_t address, uint64_t bytes, int end, sim_purpose purpose, sim_span *span) {
  return end == END_DEVICE ? sim_span_device(address, bytes, purpose, span)
                           : sim_span_host((const void *)(uintptr_t)address, bytes, purpose, span);
}

/* One piece, which lies in one allocation at either end. Holds sim_lock. */
static CUresult copy_piece(CUstream stream, uint64_t to_address, int to_end, uint64_t from_address, int from_end,
                           uint64_t bytes, bool synchronous) {
  sim_span to, from;
  CUresult result = span_of(to_address, bytes, to_end, SIM_FOR_WRITING, &to);
  if (result != CUDA_SUCCESS) return result;
  result = span_of(from_address, bytes, from_end, SIM_FOR_READING, &from);
  if (result != CUDA_SUCCESS) {
    sim_span_drop(&to);
    return result;
  }
  /* Between two pieces of device memory even the plain calls do not wait for the copy: later work is ordered. */
  bool wait = synchronous && (sim_stream_idle(stream) || to.host || from.host);
  return copy_on(stream, to, from, bytes, wait);
}

/* Mapped memory may go on in the next mapping; nothing is copied when a later part is not there. Holds sim_lock. */
static CUresult copy_pieces(CUstream stream, uint64_t to_address, int to_end, uint64_t from_address, int from_end,
                            uint64_t bytes, bool synchronous) {
  CUresult result = CUDA_SUCCESS;
  if (sim_span_reach(to_address, bytes) < bytes) result = sim_span_check(to_address, bytes, SIM_FOR_WRITING);
  if (result == CUDA_SUCCESS && sim_span_reach(from_address, bytes) < bytes) {
    result = sim_span_check(from_address, bytes, SIM_FOR_READING);
  }
  while (bytes && result == CUDA_SUCCESS) {
    uint64_t step = sim_span_reach(from_address, sim_span_reach(to_address, bytes));
    result = copy_piece(stream, to_address, to_end, from_address, from_end, step, synchronous);
    to_address += step;
    from_address += step;
    bytes -= step;
  }
  return result;
}

static CUresult copy(uint64_t to_address, int to_end, uint64_t from_address, int from_end, size_t bytes,
                     CUstream handle, bool synchronous) {
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  CUstream stream;
  result = sim_stream_resolve(handle, &stream);
  if (result == CUDA_SUCCESS) {
    result = copy_pieces(stream, to_address, to_end, from_address, from_end, bytes, synchronous);
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  SIM_ENTER(cuMemcpy);
  return copy(dst, END_HOST, src, END_HOST, ByteCount, NULL, true);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  SIM_ENTER(cuMemcpyAsync);
  return copy(dst, END_HOST, src, END_HOST, ByteCount, hStream, false);
}

/* With unified addressing the contexts say nothing that the addresses do not: none is as good. */
static CUresult peer_contexts(CUcontext to, CUcontext from) {
  CUcontext both[] = {to, from};
  CUresult result = CUDA_SUCCESS;
  sim_lock_take();
  for (int i = 0; i < 2 && result == CUDA_SUCCESS; i++) {
    if (!both[i]) continue;
    if (!sim_context_known(both[i])) result = CUDA_ERROR_INVALID_CONTEXT;
    else if (!both[i]->alive) result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount) {
  SIM_ENTER(cuMemcpyPeer);
  CUresult result = peer_contexts(dstContext, srcContext);
  return result == CUDA_SUCCESS ? copy(dstDevice, END_DEVICE, srcDevice, END_DEVICE, ByteCount, NULL, true) : result;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream) {
  SIM_ENTER(cuMemcpyPeerAsync);
  CUresult result = peer_contexts(dstContext, srcContext);
  return result == CUDA_SUCCESS ? copy(dstDevice, END_DEVICE, srcDevice, END_DEVICE, ByteCount, hStream, false) : result;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  SIM_ENTER(cuMemcpyHtoD_v2);
  return copy(dstDevice, END_DEVICE, (uint64_t)(uintptr_t)srcHost, END_HOST, ByteCount, NULL, true);
}

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  SIM_ENTER(cuMemcpyDtoH_v2);
  return copy((uint64_t)(uintptr_t)dstHost, END_HOST, srcDevice, END_DEVICE, ByteCount, NULL, true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  SIM_ENTER(cuMemcpyDtoD_v2);
  return copy(dstDevice, END_DEVICE, srcDevice, END_DEVICE, ByteCount, NULL, true);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
  SIM_ENTER(cuMemcpyHtoDAsync_v2);
  return copy(dstDevice, END_DEVICE, (uint64_t)(uintptr_t)srcHost, END_HOST, ByteCount, hStream, false);
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  SIM_ENTER(cuMemcpyDtoHAsync_v2);
  return copy((uint64_t)(uintptr_t)dstHost, END_HOST, srcDevice, END_DEVICE, ByteCount, hStream, false);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  SIM_ENTER(cuMemcpyDtoDAsync_v2);
  return copy(dstDevice, END_DEVICE, srcDevice, END_DEVICE, ByteCount, hStream, false);
}
