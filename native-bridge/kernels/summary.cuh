/* Each block of threads says of its part of a range what is in it. */
#include "predicates.h"

template <int Bits>
static __device__ __forceinline__ void summarise(const unsigned char *memory, wb_u64 elements, wb_u64 each, wb_u32 kind,
                                                 const wb_classes &classes, wb_slice *slices) {
  wb_slice mine = {~0ull, 0, 0, 0, 0, {0, 0, 0}};
  wb_u64 first = (wb_u64)blockIdx.x * each;
  wb_u64 here = elements - first < each ? elements - first : each;
  wb_u64 done = 0;
  const unsigned char *start = memory + first * Bits / 8;
  if (((wb_u64)start & 15) == 0) {
    wb_u64 granules = here / (128 / Bits);
    for (wb_u64 i = threadIdx.x; i < granules; i += blockDim.x) {
      uint4 four = __ldcs((const uint4 *)start + i);
#pragma unroll 1
      for (int half = 0; half < 2; half++) {
        wb_u64 left = half ? (wb_u64)four.w << 32 | four.z : (wb_u64)four.y << 32 | four.x;
#pragma unroll 4
        for (int j = 0; j < 64 / Bits; j++, left >>= Bits % 64) {
          wb_summarise(wb_key(left & (~0ull >> (64 - Bits)), Bits, kind), &classes, &mine);
        }
      }
    }
    done = granules * (128 / Bits);
  }
  for (wb_u64 i = done + threadIdx.x; i < here; i += blockDim.x) {
    wb_summarise(wb_key(wb_element(memory, first + i, Bits), Bits, kind), &classes, &mine);
  }
  __shared__ wb_slice of_warps[8];
  for (int step = 16; step; step /= 2) {
    wb_u64 least = __shfl_xor_sync(0xffffffffu, mine.least, step);
    wb_u64 greatest = __shfl_xor_sync(0xffffffffu, mine.greatest, step);
    if (least < mine.least) mine.least = least;
    if (greatest > mine.greatest) mine.greatest = greatest;
    mine.zeros += __shfl_xor_sync(0xffffffffu, mine.zeros, step);
    mine.nans += __shfl_xor_sync(0xffffffffu, mine.nans, step);
    mine.infinities += __shfl_xor_sync(0xffffffffu, mine.infinities, step);
  }
  if ((threadIdx.x & 31) == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (wb_u32 warp = 1; warp < blockDim.x / 32; warp++) {
    const wb_slice &other = of_warps[warp];
    if (other.least < mine.least) mine.least = other.least;
    if (other.greatest > mine.greatest) mine.greatest = other.greatest;
    mine.zeros += other.zeros;
    mine.nans += other.nans;
    mine.infinities += other.infinities;
  }
  slices[blockIdx.x] = mine;
}

/*
 * memory, elements, elements of each block, order, keys (least, greatest, zero_low, zero_high, infinite),
 * slices[gridDim.x]
 */
#define SUMMARY(bits)                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                                \
      summary_##bits(const unsigned char *memory, wb_u64 elements, wb_u64 each, wb_u64 kind, wb_u64 least,         \
                     wb_u64 greatest, wb_u64 zero_low, wb_u64 zero_high, wb_u64 infinite, wb_slice *slices) {      \
    wb_classes classes = {least, greatest, zero_low, zero_high, infinite};                                         \
    summarise<bits>(memory, elements, each, (wb_u32)kind, classes, slices);                                        \
  }

SUMMARY(4)
SUMMARY(8)
SUMMARY(16)
SUMMARY(32)
SUMMARY(64)
