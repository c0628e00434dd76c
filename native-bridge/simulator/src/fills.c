/* cuMemset in its widths, synchronous and on streams. */
#include <stdlib.h>

#include "contexts.h"
#include "spans.h"
#include "streams.h"

typedef struct {
  sim_work work;
  sim_span to;
  uint64_t count;
  uint32_t pattern;
  unsigned int width;
} fill_work;

static void run_fill(sim_work *work, CUstream stream) {
  (void)stream;
  fill_work *fill = (fill_work *)work;
  sim_span_fill(&fill->to, fill->pattern, fill->width, fill->count);
}

static void finish_fill(sim_work *work, bool ran) {
  (void)ran;
  sim_span_drop(&((fill_work *)work)->to);
}

/* Fills the span, now when nothing is queued before it and the caller's call is the plain one. Holds sim_lock. */
static CUresult fill_on(CUstream stream, sim_span to, uint32_t pattern, unsigned int width, uint64_t count, bool now) {
  if (now && sim_stream_idle(stream)) {
    sim_lock_drop();
    CUresult result = sim_span_fill(&to, pattern, width, count);
    sim_lock_take();
    sim_span_drop(&to);
    return result;
  }
  fill_work *fill = calloc(1, sizeof *fill);
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (fill) {
    *fill = (fill_work){.work = {.run = run_fill, .finish = finish_fill},
                        .to = to, .count = count, .pattern = pattern, .width = width};
    result = sim_stream_submit(stream, &fill->work);
  }
  if (result != CUDA_SUCCESS) {
    sim_span_drop(&to);
    free(fill);
  }
  return result;
}

static CUresult fill(CUdeviceptr to, uint32_t pattern, unsigned int width, size_t count, CUstream handle, bool now) {
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  if (count == 0) return CUDA_SUCCESS;
  if (to % width != 0) return CUDA_ERROR_INVALID_VALUE;
  /* The driver multiplies without looking for an overflow. */
  count = count * width / width;
  sim_lock_take();
  CUstream stream;
  result = sim_stream_resolve(handle, &stream);
  uint64_t left = count * width;
  if (result == CUDA_SUCCESS && sim_span_reach(to, left) < left) result = sim_span_check(to, left, SIM_FOR_WRITING);
  while (result == CUDA_SUCCESS) {
    /* Mapped memory may go on in the next mapping. */
    uint64_t reach = sim_span_reach(to, left);
    sim_span span;
    result = sim_span_device(to, reach, SIM_FOR_WRITING, &span);
    if (result == CUDA_SUCCESS) result = fill_on(stream, span, pattern, width, reach / width, now);
    to += reach;
    left -= reach;
    if (left == 0) break;
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  SIM_ENTER(cuMemsetD8_v2);
  return fill(dstDevice, uc, 1, N, NULL, true);
}

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  SIM_ENTER(cuMemsetD16_v2);
  return fill(dstDevice, us, 2, N, NULL, true);
}

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  SIM_ENTER(cuMemsetD32_v2);
  return fill(dstDevice, ui, 4, N, NULL, true);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  SIM_ENTER(cuMemsetD8Async);
  return fill(dstDevice, uc, 1, N, hStream, false);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  SIM_ENTER(cuMemsetD16Async);
  return fill(dstDevice, us, 2, N, hStream, false);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  SIM_ENTER(cuMemsetD32Async);
  return fill(dstDevice, ui, 4, N, hStream, false);
}
