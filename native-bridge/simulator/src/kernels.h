/* The kernels of native-bridge/kernels in C: what they leave in memory is the same. */
#ifndef GPU_IPC_SIM_KERNELS_H
#define GPU_IPC_SIM_KERNELS_H

#include "streams.h"

/** A launch on its way: what a kernel reads its arguments from and reaches memory through. */
typedef struct sim_launch {
  CUcontext context;
  CUstream stream;
  unsigned int blocks;
  const uint64_t *arguments;
  /** CUDA_SUCCESS, or what a touch of memory that is not there was answered with. */
  CUresult result;
} sim_launch;

typedef struct sim_kernel {
  const char *name;
  size_t parameters;
  void (*run)(sim_launch *launch);
} sim_kernel;

/** NULL when there is none with this name and number of parameters. */
const sim_kernel *sim_kernel_find(const char *name, size_t parameters);

#define SIM_KERNEL_PIECE (1u << 20)

/**
 * Bytes as the GPU reads or writes them: anywhere in a block that is mapped. False, with `launch->result` set, where
 * nothing is, or where the stream was aborted; then the kernel returns.
 */
bool sim_kernel_read(sim_launch *launch, uint64_t address, void *to, uint64_t bytes);
bool sim_kernel_write(sim_launch *launch, uint64_t address, const void *from, uint64_t bytes);

/* kernels_statistics.c, `argument` as in sim_kernel.run. */
void sim_statistics_bytes(sim_launch *launch);
void sim_statistics_u16(sim_launch *launch);
void sim_statistics_i16(sim_launch *launch);
void sim_statistics_u32(sim_launch *launch);
void sim_statistics_i32(sim_launch *launch);
void sim_statistics_u64(sim_launch *launch);
void sim_statistics_i64(sim_launch *launch);
void sim_statistics_f16(sim_launch *launch);
void sim_statistics_bf16(sim_launch *launch);
void sim_statistics_f32(sim_launch *launch);
void sim_statistics_f64(sim_launch *launch);

#endif
