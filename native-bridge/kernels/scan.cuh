/*
 * Kernels that ask every position a question with the answer yes or no: compare and search. A position is a byte, an
 * element or half a byte. Each block of threads answers for WB_GROUP positions: how many say yes, and where asked for,
 * which (one bit a position). So the first pass over a large range leaves 4 bytes a group, and the places are only
 * looked for in groups that have any.
 */
#include "predicates.h"

static __device__ wb_u32 sum_of_block(wb_u32 value) {
  __shared__ wb_u32 of_warps[32];
  for (int step = 16; step; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  if ((threadIdx.x & 31) == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0;
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  }
  return value;
}

/*
 * `Question`: bool at(position); bool fast() whether granules can be asked; positions a granule; wb_u32 granule(number)
 * how many positions of 16 bytes say yes, for granules that lie inside wholly.
 */
template <typename Question>
static __device__ __forceinline__ void scan(const Question &question, wb_u64 positions, wb_u32 *counts, wb_u32 *mask) {
  wb_u64 first = (wb_u64)blockIdx.x * WB_GROUP;
  wb_u32 here = (wb_u32)(positions - first < WB_GROUP ? positions - first : WB_GROUP);
  wb_u32 count = 0, done = 0;
  if (mask) {
    for (wb_u32 i = threadIdx.x; i < WB_GROUP; i += blockDim.x) {
      bool yes = i < here && question.at(first + i);
      wb_u32 word = __ballot_sync(0xffffffffu, yes);
      if ((i & 31) == 0) mask[(first + i) / 32] = word;
      count += yes;
    }
  } else {
    if (question.fast()) {
      wb_u32 each = question.positions_a_granule();
      wb_u32 granules = here / each;
      wb_u64 base = first / each;
      while (granules && !question.whole(base + granules - 1)) granules--;
      for (wb_u32 i = threadIdx.x; i < granules; i += blockDim.x) count += question.granule(base + i);
      done = granules * each;
    }
    for (wb_u32 i = done + threadIdx.x; i < here; i += blockDim.x) count += question.at(first + i);
  }
  count = sum_of_block(count);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

struct DifferentBytes {
  const unsigned char *a, *b;
  __device__ bool at(wb_u64 i) const { return a[i] != b[i]; }
  __device__ bool fast() const { return (((wb_u64)a | (wb_u64)b) & 15) == 0; }
  __device__ bool whole(wb_u64) const { return true; }
  __device__ wb_u32 positions_a_granule() const { return 16; }
  __device__ __forceinline__ wb_u32 granule(wb_u64 i) const {
    uint4 x = __ldcs((const uint4 *)a + i), y = __ldcs((const uint4 *)b + i);
    x = make_uint4(x.x ^ y.x, x.y ^ y.y, x.z ^ y.z, x.w ^ y.w);
    if ((x.x | x.y | x.z | x.w) == 0) return 0;
    return __popc(__vcmpne4(x.x, 0) & 0x01010101u) + __popc(__vcmpne4(x.y, 0) & 0x01010101u) +
           __popc(__vcmpne4(x.z, 0) & 0x01010101u) + __popc(__vcmpne4(x.w, 0) & 0x01010101u);
  }
};

/* a, b, bytes, counts[groups], mask[2048 · groups] or 0 */
extern "C" __global__ void __launch_bounds__(256) compare_bytes(const unsigned char *a, const unsigned char *b,
                                                                wb_u64 bytes, wb_u32 *counts, wb_u32 *mask) {
  DifferentBytes question = {a, b};
  scan(question, bytes, counts, mask);
}

struct DifferentValues {
  const unsigned char *a, *b;
  wb_u32 type, bits;
  double absolute, relative;
  int nan_equal;
  __device__ __noinline__ bool at(wb_u64 i) const {
    return wb_differ(wb_element(a, i, bits), wb_element(b, i, bits), type, absolute, relative, nan_equal);
  }
  __device__ bool fast() const { return (((wb_u64)a | (wb_u64)b) & 15) == 0; }
  __device__ bool whole(wb_u64) const { return true; }
  __device__ wb_u32 positions_a_granule() const { return 128 / bits; }
  __device__ __forceinline__ wb_u32 granule(wb_u64 i) const {
    uint4 x = __ldcs((const uint4 *)a + i), y = __ldcs((const uint4 *)b + i);
    bool same = ((x.x ^ y.x) | (x.y ^ y.y) | (x.z ^ y.z) | (x.w ^ y.w)) == 0;
    /* The same bits are the same value, unless NaN is to differ from itself. */
    if (same && nan_equal) return 0;
    wb_u32 each = positions_a_granule(), count = 0;
    wb_u64 low_a = (wb_u64)x.y << 32 | x.x, high_a = (wb_u64)x.w << 32 | x.z;
    wb_u64 low_b = (wb_u64)y.y << 32 | y.x, high_b = (wb_u64)y.w << 32 | y.z;
    wb_u64 wide = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (wb_u32 j = 0; j < each; j++) {
      bool low = j < each / 2;
      wb_u32 shift = (low ? j : j - each / 2) * bits;
      wb_u64 p = (low ? low_a : high_a) >> shift & wide, q = (low ? low_b : high_b) >> shift & wide;
      count += wb_differ(p, q, type, absolute, relative, nan_equal);
    }
    return count;
  }
};

/* a, b, elements, type, absolute, relative, whether NaN equals NaN, counts, mask or 0 */
extern "C" __global__ void __launch_bounds__(256)
    compare_values(const unsigned char *a, const unsigned char *b, wb_u64 elements, wb_u64 type, double absolute,
                   double relative, wb_u64 nan_equal, wb_u32 *counts, wb_u32 *mask) {
  DifferentValues question = {a, b, (wb_u32)type, wb_bits((wb_u32)type), absolute, relative, (int)nan_equal};
  scan(question, elements, counts, mask);
}

struct Pattern {
  const unsigned char *memory;
  wb_u64 bytes;
  /* Of each byte of the pattern: what it should be, then at 64 which of its bits count. */
  const unsigned char *pattern;
  wb_u32 length;
  wb_u32 first_word, first_mask;
  __device__ __noinline__ bool at(wb_u64 i) const {
    if (i + length > bytes) return false;
    for (wb_u32 j = 0; j < length; j++) {
      if ((memory[i + j] ^ pattern[j]) & pattern[64 + j]) return false;
    }
    return true;
  }
  __device__ bool fast() const { return ((wb_u64)memory & 15) == 0; }
  __device__ bool whole(wb_u64 i) const { return (i + 1) * 16 + 4 <= bytes; }
  __device__ wb_u32 positions_a_granule() const { return 16; }
  __device__ __forceinline__ wb_u32 granule(wb_u64 i) const {
    uint4 four = __ldcs((const uint4 *)memory + i);
    wb_u32 word[5] = {four.x, four.y, four.z, four.w, ((const wb_u32 *)memory)[4 * i + 4]};
    wb_u32 found = 0;
#pragma unroll
    for (int j = 0; j < 16; j++) {
      wb_u32 here = j % 4 ? __funnelshift_r(word[j / 4], word[j / 4 + 1], 8 * (j % 4)) : word[j / 4];
      found |= (((here ^ first_word) & first_mask) == 0) << j;
    }
    wb_u32 count = 0;
    for (; found; found &= found - 1) count += at(16 * i + __ffs((int)found) - 1);
    return count;
  }
};

/*
 * memory, bytes that may be read, positions (bytes where a match may begin), pattern (64 bytes and 64 bytes of mask, in
 * device memory), its length, counts, mask or 0
 */
extern "C" __global__ void __launch_bounds__(256)
    search_pattern(const unsigned char *memory, wb_u64 bytes, wb_u64 positions, const unsigned char *pattern,
                   wb_u64 length, wb_u32 *counts, wb_u32 *mask) {
  wb_u32 word = 0, of_word = 0;
  for (wb_u32 i = 0; i < 4 && i < length; i++) {
    word |= (wb_u32)pattern[i] << (8 * i);
    of_word |= (wb_u32)pattern[64 + i] << (8 * i);
  }
  Pattern question = {memory, bytes, pattern, (wb_u32)length, word, of_word};
  scan(question, positions, counts, mask);
}

template <int Bits>
struct Values {
  const unsigned char *memory;
  wb_u32 kind;
  wb_wanted wanted;
  __device__ __noinline__ bool at(wb_u64 i) const {
    return wb_is_wanted(wb_key(wb_element(memory, i, Bits), Bits, kind), &wanted);
  }
  __device__ bool fast() const { return ((wb_u64)memory & 15) == 0; }
  __device__ bool whole(wb_u64) const { return true; }
  __device__ wb_u32 positions_a_granule() const { return 128 / Bits; }
  __device__ __forceinline__ wb_u32 granule(wb_u64 i) const {
    uint4 four = __ldcs((const uint4 *)memory + i);
    wb_u64 half[2] = {(wb_u64)four.y << 32 | four.x, (wb_u64)four.w << 32 | four.z};
    wb_u32 count = 0;
#pragma unroll
    for (int j = 0; j < 128 / Bits; j++) {
      wb_u64 element = half[j * Bits / 64] >> (j * Bits % 64) & (~0ull >> (64 - Bits));
      count += wb_is_wanted(wb_key(element, Bits, kind), &wanted);
    }
    return count;
  }
};

/* memory, elements, order (unsigned, signed, float), two intervals of keys (low, width, low, width), counts, mask or 0 */
#define SEARCH_VALUES(bits)                                                                                    \
  extern "C" __global__ void __launch_bounds__(256)                                                            \
      search_values_##bits(const unsigned char *memory, wb_u64 elements, wb_u64 kind, wb_u64 low, wb_u64 width, \
                           wb_u64 other_low, wb_u64 other_width, wb_u32 *counts, wb_u32 *mask) {               \
    Values<bits> question = {memory, (wb_u32)kind, {{low, other_low}, {width, other_width}}};                  \
    scan(question, elements, counts, mask);                                                                    \
  }

SEARCH_VALUES(4)
SEARCH_VALUES(8)
SEARCH_VALUES(16)
SEARCH_VALUES(32)
SEARCH_VALUES(64)
