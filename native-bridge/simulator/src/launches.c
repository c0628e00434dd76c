/* Launching kernels, in the order of a stream; and the memory that they reach. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "modules.h"
#include "spans.h"

/** Largest grid, block and shared memory of a launch, as the attributes of the device say. */
#define MOST_BLOCKS 0x7fffffffu
#define MOST_BLOCKS_YZ 65535u
#define MOST_THREADS 1024u
#define MOST_THREADS_Z 64u
#define MOST_SHARED (48u << 10)

typedef struct {
  sim_work work;
  sim_launch launch;
  const sim_kernel *kernel;
  uint64_t arguments[];
} launch_work;

/* The part of the bytes that lies in one block. Holds sim_lock. */
static CUresult reach(uint64_t address, uint64_t bytes, sim_purpose purpose, sim_span *span, uint64_t *length) {
  sim_allocation *allocation = sim_find(address);
  if (allocation) {
    uint64_t left = allocation->size - (address - allocation->base);
    *length = bytes < left ? bytes : left;
    return sim_span_device(address, *length, purpose, span);
  }
  /* Between allocations of a block the GPU finds memory all the same. */
  sim_block *block = sim_block_at(address);
  if (!block || (block->kind != SIM_KIND_DEVICE && block->kind != SIM_KIND_IMPORT)) return CUDA_ERROR_INVALID_VALUE;
  uint64_t end = block->base + block->bytes;
  for (size_t i = 0; i < block->count; i++) {
    if (block->allocations[i]->base > address && block->allocations[i]->base < end) end = block->allocations[i]->base;
  }
  *length = bytes < end - address ? bytes : end - address;
  *span = (sim_span){.block = block, .offset = address - block->base};
  sim_block_hold(block);
  return CUDA_SUCCESS;
}

static bool move(sim_launch *launch, uint64_t address, char *host, uint64_t bytes, sim_purpose purpose) {
  while (bytes && launch->result == CUDA_SUCCESS) {
    if (sim_stream_aborted(launch->stream)) return false;
    sim_span span = {0}, own = {.host = host};
    uint64_t length = 0;
    sim_lock_take();
    CUresult result = reach(address, bytes, purpose, &span, &length);
    sim_lock_drop();
    if (result == CUDA_SUCCESS) {
      result = purpose == SIM_FOR_READING ? sim_span_copy(&own, &span, length) : sim_span_copy(&span, &own, length);
      sim_lock_take();
      sim_span_drop(&span);
      sim_lock_drop();
    }
    if (result == CUDA_ERROR_INVALID_VALUE) result = CUDA_ERROR_ILLEGAL_ADDRESS;
    launch->result = result;
    address += length;
    host += length;
    bytes -= length;
  }
  return launch->result == CUDA_SUCCESS;
}

bool sim_kernel_read(sim_launch *launch, uint64_t address, void *to, uint64_t bytes) {
  return move(launch, address, to, bytes, SIM_FOR_READING);
}

bool sim_kernel_write(sim_launch *launch, uint64_t address, const void *from, uint64_t bytes) {
  return move(launch, address, (char *)from, bytes, SIM_FOR_WRITING);
}

static void run_launch(sim_work *work, CUstream stream) {
  launch_work *launched = (launch_work *)work;
  launched->launch.stream = stream;
  /* Access to memory is that of the device of the context. */
  sim_thread.stack[0] = launched->launch.context;
  sim_thread.depth = 1;
  launched->kernel->run(&launched->launch);
  sim_thread.depth = 0;
  /* Every further call of the process answers so. */
  if (launched->launch.result != CUDA_SUCCESS) atomic_store(&sim_lost, launched->launch.result);
}

static void finish_launch(sim_work *work, bool ran) {
  (void)work;
  (void)ran;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
  SIM_ENTER_CONTEXT(cuLaunchKernel);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  if (!gridDimX || !gridDimY || !gridDimZ || !blockDimX || !blockDimY || !blockDimZ || gridDimX > MOST_BLOCKS ||
      gridDimY > MOST_BLOCKS_YZ || gridDimZ > MOST_BLOCKS_YZ || blockDimX > MOST_THREADS ||
      blockDimY > MOST_THREADS || blockDimZ > MOST_THREADS_Z || sharedMemBytes > MOST_SHARED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint64_t threads = (uint64_t)blockDimX * blockDimY * blockDimZ;
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_function_known(f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS && (f->module->context != stream->context || stream->context != context)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (result == CUDA_SUCCESS && (threads > f->most_threads || (f->parameters && !kernelParams && !extra))) {
    result = CUDA_ERROR_INVALID_VALUE;
  }
  /* What only a compiler could run, and arguments in one buffer, whose layout only it knows. */
  if (result == CUDA_SUCCESS && (!f->kernel || extra)) result = CUDA_ERROR_NOT_SUPPORTED;
  if (result == CUDA_SUCCESS) {
    launch_work *launched = calloc(1, sizeof *launched + f->parameters * sizeof(uint64_t));
    result = launched ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    if (launched) {
      for (size_t i = 0; i < f->parameters; i++) memcpy(&launched->arguments[i], kernelParams[i], sizeof(uint64_t));
      launched->work = (sim_work){.run = run_launch, .finish = finish_launch};
      launched->kernel = f->kernel;
      launched->launch = (sim_launch){.context = context, .blocks = gridDimX, .arguments = launched->arguments};
      result = sim_stream_submit(stream, &launched->work);
      if (result != CUDA_SUCCESS) free(launched);
    }
  }
  sim_lock_drop();
  return result;
}
