/* Streams that wait for a value in memory, or write one: memory may be device, imported or page-locked memory. */
#include <stdlib.h>
#include <time.h>

#include "contexts.h"
#include "spans.h"
#include "streams.h"

typedef struct {
  sim_work work;
  sim_span span;
  uint64_t value;
  unsigned int width;
  unsigned int condition;
} value_work;

static bool holds(const value_work *wait, uint64_t now) {
  bool narrow = wait->width == 4;
  switch (wait->condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return narrow ? (int32_t)((uint32_t)now - (uint32_t)wait->value) >= 0 : (int64_t)(now - wait->value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == wait->value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (now & wait->value) != 0;
    default:
      return (~(now | wait->value) & (narrow ? UINT32_MAX : UINT64_MAX)) != 0;
  }
}

/* The value may come from another process or from the CPU, so there is nothing to be woken by: look, ever less often. */
static void run_wait(sim_work *work, CUstream stream) {
  value_work *wait = (value_work *)work;
  long pause_ns = 5000;
  while (!sim_stream_aborted(stream) && !holds(wait, sim_span_read_word(&wait->span, wait->width))) {
    struct timespec pause = {0, pause_ns};
    nanosleep(&pause, NULL);
    if (pause_ns < 500000) pause_ns += pause_ns / 4;
  }
}

static void run_write(sim_work *work, CUstream stream) {
  (void)stream;
  value_work *write = (value_work *)work;
  sim_span_write_word(&write->span, write->value, write->width);
}

static void finish_value(sim_work *work, bool ran) {
  (void)ran;
  sim_span_drop(&((value_work *)work)->span);
}

static CUresult submit(CUstream handle, CUdeviceptr address, uint64_t value, unsigned int width, unsigned int condition,
                       void (*run)(sim_work *, CUstream)) {
  if (address % width != 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUstream stream;
  sim_span span;
  CUresult result = sim_stream_resolve(handle, &stream);
  sim_purpose purpose = run == run_write ? SIM_FOR_WRITING : SIM_FOR_READING;
  if (result == CUDA_SUCCESS) result = sim_span_device(address, width, purpose, &span);
  if (result == CUDA_SUCCESS) {
    value_work *work = calloc(1, sizeof *work);
    result = CUDA_ERROR_OUT_OF_MEMORY;
    if (work) {
      *work = (value_work){.work = {.run = run, .finish = finish_value},
                           .span = span, .value = value, .width = width, .condition = condition};
      result = sim_stream_submit(stream, &work->work);
    }
    if (result != CUDA_SUCCESS) {
      sim_span_drop(&span);
      free(work);
    }
  }
  sim_lock_drop();
  return result;
}

static CUresult wait_value(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int width,
                           unsigned int flags) {
  /* The device attribute CAN_FLUSH_REMOTE_WRITES is 0. */
  if (flags & CU_STREAM_WAIT_VALUE_FLUSH) return CUDA_ERROR_NOT_SUPPORTED;
  if (flags > CU_STREAM_WAIT_VALUE_NOR) return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, address, value, width, flags, run_wait);
}

static CUresult write_value(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int width,
                            unsigned int flags) {
  /* CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER is refused too. */
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, address, value, width, 0, run_write);
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  SIM_ENTER(cuStreamWaitValue32_v2);
  return wait_value(stream, addr, value, 4, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  SIM_ENTER(cuStreamWaitValue64_v2);
  return wait_value(stream, addr, value, 8, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  SIM_ENTER(cuStreamWriteValue32_v2);
  return write_value(stream, addr, value, 4, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  SIM_ENTER(cuStreamWriteValue64_v2);
  return write_value(stream, addr, value, 8, flags);
}

typedef struct {
  sim_work work;
  CUhostFn function;
  void *data;
} host_work;

static void run_host(sim_work *work, CUstream stream) {
  (void)stream;
  host_work *host = (host_work *)work;
  host->function(host->data);
}

static void finish_host(sim_work *work, bool ran) {
  (void)work;
  (void)ran;
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
  SIM_ENTER(cuLaunchHostFunc);
  if (!fn) return CUDA_ERROR_INVALID_VALUE;
  host_work *work = calloc(1, sizeof *work);
  if (!work) return CUDA_ERROR_OUT_OF_MEMORY;
  *work = (host_work){.work = {.run = run_host, .finish = finish_host}, .function = fn, .data = userData};
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS) result = sim_stream_submit(stream, &work->work);
  sim_lock_drop();
  if (result != CUDA_SUCCESS) free(work);
  return result;
}
