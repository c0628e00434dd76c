/* Elements at equal distances, one after the other. */
#include "elements.h"

/* memory, bytes between two samples, bytes of a sample, samples, to[samples · bytes of a sample] */
extern "C" __global__ void __launch_bounds__(256)
    gather(const unsigned char *memory, wb_u64 step, wb_u64 size, wb_u64 samples, unsigned char *to) {
  wb_u64 stride = (wb_u64)gridDim.x * blockDim.x;
  for (wb_u64 i = (wb_u64)blockIdx.x * blockDim.x + threadIdx.x; i < samples; i += stride) {
    for (wb_u64 j = 0; j < size; j++) to[i * size + j] = memory[i * step + j];
  }
}
