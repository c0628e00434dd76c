/*
 * Statistics of everything in one pass. A block of threads leaves a wb_partial and adds its counts to the histogram.
 *
 * How it keeps up with the memory: 16 bytes a load, several on their way; the counters of the histogram lie in shared
 * memory once for each lane, so no two lanes of a warp meet in a bank; zeros, subnormal and negative numbers are counted
 * for several elements at once with integer arithmetic; and the smallest and largest element are looked for only among
 * those that lie outside of the range which a sample of the buffer had, which are few: the test for that one condition
 * also finds NaN and infinities. Eight-bit types need the 256 counts and the checksum only. 16-bit types are limited by
 * instructions and by the power they take: there one test is for several times eight elements.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "elements.h"

#ifndef WB_UNROLL
#define WB_UNROLL 4
#endif
#ifndef WB_THREADS
#define WB_THREADS 512
#endif
#ifndef WB_MIN_BLOCKS
#define WB_MIN_BLOCKS 2
#endif

/* A value of a lane's own. What a constant or an argument gives, ptxas computes anew at each use, to save a register. */
static __device__ __forceinline__ wb_u32 kept(wb_u32 value) {
  return __shfl_sync(0xffffffffu, value, threadIdx.x & 31);
}

/* Where a range lies and how it may be read. */
struct Range {
  const unsigned char *memory;
  wb_u64 bytes;
};

/* 16 bytes at any address, with the widest loads that its alignment allows: never a byte beside them. */
static __device__ __noinline__ uint4 load_unaligned(const unsigned char *at) {
  wb_u32 word[4];
  unsigned long long low = (unsigned long long)at;
  if ((low & 7) == 0) {
    uint2 a = __ldcs((const uint2 *)at), b = __ldcs((const uint2 *)(at + 8));
    return make_uint4(a.x, a.y, b.x, b.y);
  }
  if ((low & 3) == 0) {
    for (int i = 0; i < 4; i++) word[i] = __ldcs((const wb_u32 *)at + i);
  } else if ((low & 1) == 0) {
    for (int i = 0; i < 4; i++) {
      word[i] = __ldcs((const wb_u16 *)at + 2 * i) | (wb_u32)__ldcs((const wb_u16 *)at + 2 * i + 1) << 16;
    }
  } else {
    for (int i = 0; i < 4; i++) {
      word[i] = 0;
      for (int j = 0; j < 4; j++) word[i] |= (wb_u32)__ldcs(at + 4 * i + j) << (8 * j);
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/*
 * The tile that comes next. Its pieces are loaded one by one into the registers of those that are done, so that they are on
 * their way while the others are worked on.
 */
struct Next {
  const uint4 *memory;
  bool more;

  __device__ __forceinline__ void load(uint4 (&four)[WB_UNROLL], int i) const {
    if (more) four[i] = __ldcs(memory + i * WB_THREADS);
  }
  __device__ __forceinline__ void load_all(uint4 (&four)[WB_UNROLL]) const {
#pragma unroll
    for (int i = 0; i < WB_UNROLL; i++) load(four, i);
  }
};

/* The last bytes, fewer than 16, and zeros. */
static __device__ __noinline__ uint4 load_tail(const unsigned char *at, wb_u32 bytes) {
  wb_u32 word[4] = {0, 0, 0, 0};
#pragma unroll
  for (wb_u32 i = 0; i < WB_GRANULE; i++) {
    if (i < bytes) word[i / 4] |= (wb_u32)at[i] << (8 * (i % 4));
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/* Word 0 to 3. Not an array: one that is indexed by a variable would lie in slow memory. */
static __device__ __forceinline__ wb_u32 chosen(const uint4 &four, wb_u32 word) {
  wb_u32 low = word & 1 ? four.y : four.x, high = word & 1 ? four.w : four.z;
  return word & 2 ? high : low;
}

/* Bit 7 of each byte that is chosen, over the whole byte: four truth values become four times 0 or -1. */
static __device__ __forceinline__ wb_u32 signs_of_bytes(wb_u32 a, wb_u32 b, wb_u32 choice) {
  wb_u32 result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(choice));
  return result;
}

/* The counters of a block: one of each bin for each lane, so that neither banks nor addresses collide. */
struct Histogram {
  wb_u32 *counters;
  /** Shared address of this lane's counter of bin 0. */
  wb_u32 lane;

  __device__ __forceinline__ void add(wb_u32 bin) const { add_at((bin << 7) + lane); }
  __device__ __forceinline__ void add_at(wb_u32 address) const {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address));
  }
};

static __device__ Histogram begin_histogram(wb_u32 *counters, wb_u32 bins) {
  for (wb_u32 i = threadIdx.x; i < bins * 32; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  Histogram histogram;
  histogram.counters = counters;
  histogram.lane = (wb_u32)__cvta_generic_to_shared(counters) + (threadIdx.x & 31) * 4;
  return histogram;
}

static __device__ void end_histogram(const Histogram &histogram, wb_u32 bins, wb_u64 *result) {
  __syncthreads();
  for (wb_u32 bin = threadIdx.x / 32; bin < bins; bin += blockDim.x / 32) {
    wb_u32 count = histogram.counters[bin * 32 + (threadIdx.x & 31)];
    for (int step = 16; step; step /= 2) count += __shfl_xor_sync(0xffffffffu, count, step);
    if ((threadIdx.x & 31) == 0 && count) atomicAdd(result + bin, (wb_u64)count);
  }
}

/* What one thread found. */
struct Found {
  /* dp4a subtracts: the counts are negative. */
  int nonzero, normal, negative;
  /** Of 16-bit floats: those that belong to both, counted at once. */
  int usual;
  wb_u32 nans, positive_infinities, negative_infinities;
  wb_u64 least, greatest;
  double sum, squares;
  wb_u64 low, squares_low;
  wb_i64 high;
  wb_u64 checksum;
};

static __device__ Found nothing_found() {
  Found found = {0, 0, 0, 0, 0, 0, 0, ~0ull, 0, 0.0, 0.0, 0, 0, 0, 0};
  return found;
}

template <typename Value, typename Combine>
static __device__ Value across_warp(Value value, Combine combine) {
  for (int step = 16; step; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}

/* Puts together what the threads of a block found; `floating` says how sums are held. */
static __device__ void leave(const Found &found, wb_partial *partials, bool floating, bool exact_squares) {
  __shared__ wb_partial of_warps[32];
  auto add = [](wb_u64 a, wb_u64 b) { return a + b; };
  wb_partial mine;
  mine.nonzero = across_warp((wb_u64)-((wb_i64)found.nonzero + found.usual), add);
  mine.normal = across_warp((wb_u64)-((wb_i64)found.normal + found.usual), add);
  mine.negative = across_warp((wb_u64)(wb_i64)-found.negative, add);
  mine.nans = across_warp((wb_u64)found.nans, add);
  mine.positive_infinities = across_warp((wb_u64)found.positive_infinities, add);
  mine.negative_infinities = across_warp((wb_u64)found.negative_infinities, add);
  mine.least = across_warp(found.least, [](wb_u64 a, wb_u64 b) { return a < b ? a : b; });
  mine.greatest = across_warp(found.greatest, [](wb_u64 a, wb_u64 b) { return a > b ? a : b; });
  mine.checksum = across_warp(found.checksum, add);
  wb_u64 low = found.low, high = (wb_u64)found.high;
  for (int step = 16; step; step /= 2) {
    wb_u64 other_low = __shfl_xor_sync(0xffffffffu, low, step), other_high = __shfl_xor_sync(0xffffffffu, high, step);
    low += other_low;
    high += other_high + (low < other_low);
  }
  double sum = across_warp(found.sum, [](double a, double b) { return a + b; });
  double squares = across_warp(found.squares, [](double a, double b) { return a + b; });
  mine.sum[0] = floating ? (wb_u64)__double_as_longlong(sum) : low;
  mine.sum[1] = floating ? 0 : high;
  mine.squares[0] = exact_squares ? across_warp(found.squares_low, add) : (wb_u64)__double_as_longlong(squares);
  mine.squares[1] = 0;
  if ((threadIdx.x & 31) == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (wb_u32 warp = 1; warp < blockDim.x / 32; warp++) {
    const wb_partial &other = of_warps[warp];
    mine.nonzero += other.nonzero;
    mine.normal += other.normal;
    mine.negative += other.negative;
    mine.nans += other.nans;
    mine.positive_infinities += other.positive_infinities;
    mine.negative_infinities += other.negative_infinities;
    if (other.least < mine.least) mine.least = other.least;
    if (other.greatest > mine.greatest) mine.greatest = other.greatest;
    mine.checksum += other.checksum;
    if (floating) {
      double total = __longlong_as_double((wb_i64)mine.sum[0]) + __longlong_as_double((wb_i64)other.sum[0]);
      mine.sum[0] = (wb_u64)__double_as_longlong(total);
    } else {
      mine.sum[0] += other.sum[0];
      mine.sum[1] += other.sum[1] + (mine.sum[0] < other.sum[0]);
    }
    if (exact_squares) mine.squares[0] += other.squares[0];
    else {
      double total = __longlong_as_double((wb_i64)mine.squares[0]) + __longlong_as_double((wb_i64)other.squares[0]);
      mine.squares[0] = (wb_u64)__double_as_longlong(total);
    }
  }
  mine.unused[0] = mine.unused[1] = mine.unused[2] = 0;
  partials[blockIdx.x] = mine;
}

/* The range of a sample, in which elements need no closer look, and its bins. */
struct FloatBins {
  float centre, radius, scale;
  /** What is further from the centre may be smaller or larger than all of the sample; at most the radius. */
  float limit;
};
struct DoubleBins {
  double centre, radius, scale;
};
struct IntegerBins {
  wb_u64 lowest, span;
  wb_u32 shift;
};
struct Setting {
  wb_u64 centre, radius, scale;
  double pivot;
  wb_u32 inner_half;
  /** Whether the bins below that of 0 hold the negative elements and nothing else, and so say how many there are. */
  bool signs_in_bins;
  wb_u32 bins;
};

/* ---- 16-bit floats ---- */

template <bool Brain>
struct Half {
  static const bool floating = true, exact_squares = false, ahead = true;
  static const wb_u32 size = 2;
  FloatBins range;
  wb_u32 base, last;
  Histogram histogram;
  bool signs_in_bins;
  /** See unusual(); `outside` is 0 where no element is to be tested so. */
  wb_u32 lower, upper, outside;

  __device__ Half(const Setting &setting, const Histogram &of_block) : histogram(of_block) {
    range.centre = __uint_as_float((wb_u32)setting.centre);
    range.radius = __uint_as_float((wb_u32)setting.radius);
    range.scale = __uint_as_float((wb_u32)setting.scale);
    range.limit = __uint_as_float((wb_u32)(setting.radius >> 32));
    base = of_block.lane + ((1 + setting.inner_half) << 7) - (WB_ROUND_F32_BITS << 7);
    last = setting.bins - 1;
    const wb_u32 smallest = Brain ? 0x80 : 0x400, infinity = Brain ? 0x7f80 : 0x7c00;
    wb_u32 most = 0;
    if (range.limit > 0) {
      most = Brain ? __float_as_uint(range.limit) >> 16 : (wb_u32)__half_as_ushort(__float2half_rz(range.limit));
      if (most >= infinity) most = infinity - 1;
    }
    signs_in_bins = setting.signs_in_bins;
    if (Brain) {
      /* Mostly 128 or 64 binades. Below 16 of them too many elements would be missing. */
      wb_u32 bits = 14;
      while (bits > 11 && most + 1 < smallest + (1u << bits)) bits--;
      bool wide = most + 1 >= smallest + (1u << bits);
      lower = kept((most + 1 - (1u << bits)) * 0x10001u);
      upper = 0;
      outside = kept(signs_in_bins && wide ? (0x8000u - (1u << bits)) * 0x10001u : 0);
    } else {
      lower = (0x7fff - smallest) * 0x10001u;
      upper = kept((0x7fff - most) * 0x10001u);
      outside = signs_in_bins && most > smallest + 2 ? 0x80008000u : 0;
    }
  }

  /*
   * Whether all are normal numbers of the sampled range, where that lies around 0: then the result has no bits of
   * `outside`, if it had none before. Two elements at once, and nothing is masked before the end.
   *
   * bfloat16: magnitudes of a window of 2^n numbers up to the limit. Distances from its first number have none of the bits
   * from n to 14; bit 15 is the sign. Only a lower element outside of the window borrows from the upper one.
   *
   * float16 has too few binades for that: adding carries from a magnitude into its sign, where it is large enough: the sums
   * differ in bit 15 if it is above the one limit and not above the other. What the lower element carries into the upper
   * one makes that look larger by one: so the smallest normal number passes for subnormal. No harm is done: it is looked at
   * more closely.
   */
  __device__ __forceinline__ wb_u32 unusual(const uint4 &four, wb_u32 so_far) const {
    if (Brain) {
      so_far |= (four.x - lower) | (four.y - lower);
      return so_far | (four.z - lower) | (four.w - lower);
    }
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < 4; i++) so_far |= ~((word[i] + lower) ^ (word[i] + upper));
    return so_far;
  }

  /* Elements that are usual; that they are neither zero nor subnormal is counted elsewhere, their signs are in the bins. */
  __device__ __forceinline__ void usual_granule(const uint4 &four, Found &found) const {
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float x = i & 1 ? high(word[i / 2]) : low(word[i / 2]);
      double value = (double)x;
      found.sum += value;
      found.squares = __fma_rn(value, value, found.squares);
      histogram.add_at(place(x));
    }
  }

  /* The counter of an element at this distance from the centre: rounded down, so that an edge lies at 0 exactly. */
  __device__ __forceinline__ wb_u32 place(float distance) const {
    return (__float_as_uint(__fmaf_rd(distance, range.scale, WB_ROUND_F32)) << 7) + base;
  }

  /* Several times 16 bytes. */
  __device__ __forceinline__ void granules(uint4 (&four)[WB_UNROLL], const Next &next, Found &found) const {
    if (outside == 0) {
#pragma unroll
      for (int i = 0; i < WB_UNROLL; i++) {
        granule(four[i], found);
        next.load(four, i);
        /* A lane that took a closer look has fallen behind, and would stay behind for good. */
        __syncwarp();
      }
      return;
    }
    /* One test for all of them, so that the usual way is short: it has to fit the cache of instructions. */
    wb_u32 all = 0;
#pragma unroll
    for (int i = 0; i < WB_UNROLL; i++) all = unusual(four[i], all);
    found.usual -= 8 * WB_UNROLL;
    if ((all & outside) == 0) {
#pragma unroll
      for (int i = 0; i < WB_UNROLL; i++) {
        usual_granule(four[i], found);
        next.load(four, i);
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < WB_UNROLL; i++) {
        uint4 one = four[0];
#pragma unroll
        for (int j = 1; j < WB_UNROLL; j++) {
          if (i == j) one = four[j];
        }
        if ((unusual(one, 0) & outside) == 0) {
          usual_granule(one, found);
        } else {
          found.usual += 8;
          granule(one, found);
        }
      }
      next.load_all(four);
    }
    __syncwarp();
  }

  static __device__ __forceinline__ float low(wb_u32 word) {
    if (Brain) return __uint_as_float(word << 16);
    return __half2float(__ushort_as_half((wb_u16)word));
  }
  static __device__ __forceinline__ float high(wb_u32 word) {
    if (Brain) return __uint_as_float(word & 0xffff0000u);
    return __half2float(__ushort_as_half((wb_u16)(word >> 16)));
  }

  __device__ __forceinline__ void granule(const uint4 &four, Found &found) const {
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
    /* Bits 15 and 31: whether the two elements of a word are not zero, and not subnormal either. */
    const wb_u32 to_normal = Brain ? 0x7f807f80u : 0x7c007c00u;
    wb_u32 nonzero[4], normal[4];
#pragma unroll
    for (int i = 0; i < 4; i++) normal[i] = (word[i] & 0x7fff7fffu) + to_normal;
    if ((normal[0] & normal[1] & normal[2] & normal[3] & 0x80008000u) == 0x80008000u) {
      /* Mostly all are, and then the signs are all there is to count. */
      found.nonzero -= 8;
      found.normal -= 8;
      if (!signs_in_bins) found.negative = signs(word, found.negative);
    } else {
#pragma unroll
      for (int i = 0; i < 4; i++) nonzero[i] = (word[i] & 0x7fff7fffu) + 0x7fff7fffu;
      found.nonzero = signs(nonzero, found.nonzero);
      found.normal = signs(normal, found.normal);
#pragma unroll
      for (int i = 0; i < 4; i++) nonzero[i] &= word[i];
      if (!signs_in_bins) found.negative = signs(nonzero, found.negative);
    }
#pragma unroll
    for (int part = 0; part < 2; part++) {
      float x[4], d[4];
      bool inside = true;
#pragma unroll
      for (int i = 0; i < 4; i++) {
        x[i] = i & 1 ? high(word[2 * part + i / 2]) : low(word[2 * part + i / 2]);
        d[i] = __fsub_rn(x[i], range.centre);
        inside = inside && fabsf(d[i]) <= range.limit;
      }
      if (inside) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          double value = (double)x[i];
          found.sum += value;
          found.squares = __fma_rn(value, value, found.squares);
          histogram.add_at(place(d[i]));
        }
      } else {
        wb_u64 left = (wb_u64)word[2 * part + 1] << 32 | word[2 * part];
#pragma unroll 1
        for (int i = 0; i < 4; i++, left >>= 16) element((wb_u16)left, found);
      }
    }
  }

  /* Subtracts how many of 8 bits, bits 15 and 31 of each word, are set. */
  static __device__ __forceinline__ int signs(const wb_u32 (&word)[4], int count) {
    count = __dp4a((int)signs_of_bytes(word[0], word[1], 0xfdb9), 0x01010101, count);
    return __dp4a((int)signs_of_bytes(word[2], word[3], 0xfdb9), 0x01010101, count);
  }

  /* Any element; what granule() has counted already is not counted here. */
  __device__ __forceinline__ void element(wb_u16 bits, Found &found) const {
    const wb_u32 infinity = Brain ? 0x7f80 : 0x7c00;
    wb_u32 magnitude = bits & 0x7fff;
    if (magnitude >= infinity) {
      bool negative = bits & 0x8000;
      if (magnitude > infinity) {
        found.nans += 1;
        if (!signs_in_bins) found.negative += negative;
      } else {
        found.negative_infinities += negative;
        found.positive_infinities += !negative;
        if (signs_in_bins) found.negative -= negative;
      }
      return;
    }
    float x = low(bits), d = __fsub_rn(x, range.centre);
    double value = (double)x;
    found.sum += value;
    found.squares = __fma_rn(value, value, found.squares);
    if (fabsf(d) <= range.radius) histogram.add_at(place(d));
    else histogram.add(d < 0 ? 0 : last);
    if (fabsf(d) <= range.limit) return;
    wb_u64 key = wb_key(bits, 16, WB_FLOAT);
    if (key < found.least) found.least = key;
    if (key > found.greatest) found.greatest = key;
  }

  __device__ void count(wb_u16 bits, Found &found) const {
    wb_u32 magnitude = bits & 0x7fff;
    if (magnitude) found.nonzero -= 1;
    if (magnitude >= (Brain ? 0x80u : 0x400u)) found.normal -= 1;
    if (magnitude && (bits & 0x8000) && !signs_in_bins) found.negative -= 1;
  }
  __device__ void tail(const uint4 &four, wb_u32 elements, Found &found) const {
#pragma unroll 1
    for (wb_u32 i = 0; i < elements; i++) {
      wb_u16 bits = (wb_u16)(chosen(four, i / 2) >> (i & 1 ? 16 : 0));
      count(bits, found);
      element(bits, found);
    }
  }
};

/* ---- f32 ---- */

struct Single {
  static const bool floating = true, exact_squares = false, ahead = false;
  static const wb_u32 size = 4;
  FloatBins range;
  double pivot;
  wb_u32 base, last;
  Histogram histogram;

  __device__ Single(const Setting &setting, const Histogram &of_block) : pivot(setting.pivot), histogram(of_block) {
    range.centre = __uint_as_float((wb_u32)setting.centre);
    range.radius = __uint_as_float((wb_u32)setting.radius);
    range.scale = __uint_as_float((wb_u32)setting.scale);
    range.limit = __uint_as_float((wb_u32)(setting.radius >> 32));
    base = of_block.lane + ((1 + setting.inner_half) << 7) - (WB_ROUND_F32_BITS << 7);
    last = setting.bins - 1;
  }

  __device__ __forceinline__ void granule(const uint4 &four, Found &found) const {
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
    float d[4];
    bool inside = true;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      d[i] = __fsub_rn(__uint_as_float(word[i]), range.centre);
      inside = inside && fabsf(d[i]) <= range.limit;
    }
    wb_u32 nonzero[4], normal[4];
#pragma unroll
    for (int i = 0; i < 4; i++) normal[i] = (word[i] & 0x7fffffffu) + 0x7f800000u;
    if ((normal[0] & normal[1] & normal[2] & normal[3]) >> 31) {
      /* Mostly all are neither zero nor subnormal, and then the signs are all there is to count. */
      found.nonzero -= 4;
      found.normal -= 4;
      found.negative = count_signs(word, found.negative);
    } else {
#pragma unroll
      for (int i = 0; i < 4; i++) nonzero[i] = (word[i] & 0x7fffffffu) + 0x7fffffffu;
      found.nonzero = count_signs(nonzero, found.nonzero);
      found.normal = count_signs(normal, found.normal);
#pragma unroll
      for (int i = 0; i < 4; i++) nonzero[i] &= word[i];
      found.negative = count_signs(nonzero, found.negative);
    }
    if (inside) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        double value = (double)__uint_as_float(word[i]) - pivot;
        found.sum += value;
        found.squares = __fma_rn(value, value, found.squares);
        histogram.add_at((__float_as_uint(__fmaf_rn(d[i], range.scale, WB_ROUND_F32)) << 7) + base);
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < 4; i++) element(chosen(four, i), found);
    }
  }

  static __device__ __forceinline__ int count_signs(const wb_u32 word[4], int count) {
    wb_u32 half = signs_of_bytes(word[0], word[1], 0x00fb), other = signs_of_bytes(word[2], word[3], 0x00fb);
    wb_u32 all = __byte_perm(half, other, 0x5410);
    return __dp4a((int)all, 0x01010101, count);
  }

  __device__ __forceinline__ void element(wb_u32 bits, Found &found) const {
    wb_u32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
      found.nans += 1;
      if (bits >> 31) found.negative += 1;
      return;
    }
    if (magnitude == 0x7f800000u) {
      if (bits >> 31) found.negative_infinities += 1;
      else found.positive_infinities += 1;
      return;
    }
    float x = __uint_as_float(bits), d = __fsub_rn(x, range.centre);
    double value = (double)x - pivot;
    found.sum += value;
    found.squares = __fma_rn(value, value, found.squares);
    if (fabsf(d) <= range.radius) {
      histogram.add_at((__float_as_uint(__fmaf_rn(d, range.scale, WB_ROUND_F32)) << 7) + base);
    } else {
      histogram.add(d < 0 ? 0 : last);
    }
    if (fabsf(d) <= range.limit) return;
    wb_u64 key = wb_key(bits, 32, WB_FLOAT);
    if (key < found.least) found.least = key;
    if (key > found.greatest) found.greatest = key;
  }

  __device__ void tail(const uint4 &four, wb_u32 elements, Found &found) const {
#pragma unroll 1
    for (wb_u32 i = 0; i < elements; i++) {
      wb_u32 bits = chosen(four, i), magnitude = bits & 0x7fffffffu;
      if (magnitude) found.nonzero -= 1;
      if (magnitude >= 0x800000u) found.normal -= 1;
      if (magnitude && bits >> 31) found.negative -= 1;
      element(bits, found);
    }
  }
};

/* ---- f64 ---- */

struct Double {
  static const bool floating = true, exact_squares = false, ahead = false;
  static const wb_u32 size = 8;
  DoubleBins range;
  double pivot;
  wb_u32 base, last;
  Histogram histogram;

  __device__ Double(const Setting &setting, const Histogram &of_block) : pivot(setting.pivot), histogram(of_block) {
    range.centre = __longlong_as_double((wb_i64)setting.centre);
    range.radius = __longlong_as_double((wb_i64)setting.radius);
    range.scale = __longlong_as_double((wb_i64)setting.scale);
    base = of_block.lane + ((1 + setting.inner_half) << 7);
    last = setting.bins - 1;
  }

  __device__ __forceinline__ wb_u32 address(double d) const {
    double rounded = __dadd_rn(__dmul_rn(d, range.scale), WB_ROUND_F64);
    return ((wb_u32)__double2loint(rounded) << 7) + base;
  }

  __device__ __forceinline__ void granule(const uint4 &four, Found &found) const {
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
    double x[2], d[2];
    bool inside = true;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      x[i] = __hiloint2double((int)word[2 * i + 1], (int)word[2 * i]);
      d[i] = __dsub_rn(x[i], range.centre);
      inside = inside && fabs(d[i]) <= range.radius;
      wb_u32 magnitude = word[2 * i + 1] & 0x7fffffffu;
      bool nonzero = (magnitude | word[2 * i]) != 0;
      found.nonzero -= nonzero;
      found.normal -= magnitude >= 0x100000u;
      found.negative -= nonzero && (int)word[2 * i + 1] < 0;
    }
    if (inside) {
#pragma unroll
      for (int i = 0; i < 2; i++) {
        double value = x[i] - pivot;
        found.sum += value;
        found.squares = __fma_rn(value, value, found.squares);
        histogram.add_at(address(d[i]));
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < 2; i++) element((wb_u64)chosen(four, 2 * i + 1) << 32 | chosen(four, 2 * i), found);
    }
  }

  __device__ __forceinline__ void element(wb_u64 bits, Found &found) const {
    wb_u64 magnitude = bits & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) {
      found.nans += 1;
      if (bits >> 63) found.negative += 1;
      return;
    }
    if (magnitude == 0x7ff0000000000000ull) {
      if (bits >> 63) found.negative_infinities += 1;
      else found.positive_infinities += 1;
      return;
    }
    double x = __longlong_as_double((wb_i64)bits), d = __dsub_rn(x, range.centre);
    double value = x - pivot;
    found.sum += value;
    found.squares = __fma_rn(value, value, found.squares);
    if (fabs(d) <= range.radius) {
      histogram.add_at(address(d));
      return;
    }
    wb_u64 key = wb_key(bits, 64, WB_FLOAT);
    if (key < found.least) found.least = key;
    if (key > found.greatest) found.greatest = key;
    histogram.add(d < 0 ? 0 : last);
  }

  __device__ void tail(const uint4 &four, wb_u32 elements, Found &found) const {
#pragma unroll 1
    for (wb_u32 i = 0; i < elements; i++) {
      wb_u64 bits = (wb_u64)chosen(four, 2 * i + 1) << 32 | chosen(four, 2 * i), magnitude = bits & 0x7fffffffffffffffull;
      if (magnitude) found.nonzero -= 1;
      if (magnitude >= 0x10000000000000ull) found.normal -= 1;
      if (magnitude && bits >> 63) found.negative -= 1;
      element(bits, found);
    }
  }
};

/* ---- integers of 16, 32 and 64 bits ---- */

template <typename Bits, typename Value>
struct Integer {
  static const bool floating = false, exact_squares = sizeof(Bits) == 2, ahead = false;
  static const wb_u32 size = sizeof(Bits);
  static const bool is_signed = (Value)-1 < 0;
  Bits lowest, span;
  wb_u32 shift;
  Value pivot;
  double pivot_value;
  wb_u32 last;
  Histogram histogram;

  /* `centre` holds the lowest value, `radius` the span, `scale` the shift, the bits of `pivot` an integer. */
  __device__ Integer(const Setting &setting, const Histogram &of_block) : histogram(of_block) {
    lowest = (Bits)setting.centre;
    span = (Bits)setting.radius;
    shift = (wb_u32)setting.scale;
    pivot = (Value)__double_as_longlong(setting.pivot);
    pivot_value = (double)pivot;
    last = setting.bins - 1;
  }

  __device__ __forceinline__ void sums(Bits bits, Found &found) const {
    Value value = (Value)bits;
    if (sizeof(Bits) == 2) {
      found.low += (wb_u64)(wb_i64)value;
      found.squares_low += square(bits);
    } else if (sizeof(Bits) == 4) {
      found.low += (wb_u64)(wb_i64)value;
      double d = (double)value - pivot_value;
      found.squares = __fma_rn(d, d, found.squares);
    } else {
      wb_u64 extended = (wb_u64)value;
      found.low += extended;
      found.high += (wb_i64)(found.low < extended) - (is_signed && (wb_i64)value < 0);
      bool above = value >= pivot;
      double d = (double)(above ? (wb_u64)value - (wb_u64)pivot : (wb_u64)pivot - (wb_u64)value);
      found.squares = __fma_rn(d, d, found.squares);
    }
  }

  static __device__ __forceinline__ wb_u64 square(Bits bits) {
    if (is_signed) return (wb_u64)((wb_i64)(int)(Value)bits * (int)(Value)bits);
    return (wb_u64)(wb_u32)bits * (wb_u32)bits;
  }

  /* Element `i` of 16 bytes. */
  static __device__ __forceinline__ Bits part(const uint4 &four, wb_u32 i) {
    if (sizeof(Bits) == 2) return (Bits)(chosen(four, i / 2) >> (i & 1 ? 16 : 0));
    if (sizeof(Bits) == 4) return (Bits)chosen(four, i);
    return (Bits)((wb_u64)chosen(four, 2 * i + 1) << 32 | chosen(four, 2 * i));
  }

  /* Sum of the products of four bytes each; those of `a` have a sign where the type has. */
  static __device__ __forceinline__ int dot(wb_u32 a, wb_u32 b, int sum) {
    if (is_signed) asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(sum));
    else asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(sum));
    return sum;
  }
  static __device__ __forceinline__ int dot_upper(wb_u32 a, int sum) {
    if (is_signed) asm("dp4a.s32.s32 %0, %1, %1, %2;" : "=r"(sum) : "r"(a), "r"(sum));
    else asm("dp4a.u32.u32 %0, %1, %1, %2;" : "=r"(sum) : "r"(a), "r"(sum));
    return sum;
  }

  /* As >>, and 0 from 32 on. */
  static __device__ __forceinline__ wb_u32 shifted(wb_u32 value, wb_u32 by) {
    wb_u32 result;
    asm("shr.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(by));
    return result;
  }

  /*
   * Several times 16 bytes of 16-bit integers. Sums and counts are made of four elements at once, of their upper and
   * their lower bytes: x = 256 u + l, and so x^2 = 65536 u^2 + 512 u l + l^2; sums of some dozens of these fit in 32 bits.
   */
  __device__ __forceinline__ void granules(const uint4 (&four)[WB_UNROLL], Found &found) const {
    int upper_sum = 0, lower_sum = 0, upper_squares = 0, mixed = 0, lower_squares = 0;
    wb_u32 unusual = 0;
    const wb_u32 most = (wb_u32)span << 16 | 0xffff, first = (wb_u32)lowest << 16;
    const wb_u32 narrowing = 16 + shift;
    Histogram inner = histogram;
    inner.lane += 128;
#pragma unroll
    for (int i = 0; i < WB_UNROLL; i++) {
      wb_u32 word[4] = {four[i].x, four[i].y, four[i].z, four[i].w};
#pragma unroll
      for (int j = 0; j < 4; j += 2) {
        wb_u32 upper = __byte_perm(word[j], word[j + 1], 0x7531), lower = __byte_perm(word[j], word[j + 1], 0x6420);
        upper_sum = dot(upper, 0x01010101u, upper_sum);
        lower_sum = (int)__dp4a(lower, 0x01010101u, (wb_u32)lower_sum);
        upper_squares = dot_upper(upper, upper_squares);
        mixed = dot(upper, lower, mixed);
        lower_squares = (int)__dp4a(lower, lower, (wb_u32)lower_squares);
        /* Bit 7 of each byte: whether the element is not zero. */
        wb_u32 either = upper | lower, nonzero = ((either & 0x7f7f7f7fu) + 0x7f7f7f7fu) | either;
        found.nonzero = __dp4a((int)signs_of_bytes(nonzero, 0, 0xba98), 0x01010101, found.nonzero);
        if (is_signed) found.negative = __dp4a((int)signs_of_bytes(upper, 0, 0xba98), 0x01010101, found.negative);
      }
      /* Distances from the lowest, in the upper halves. */
      wb_u32 d[8];
      bool inside = true;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        d[2 * j] = (word[j] << 16) - first;
        d[2 * j + 1] = word[j] - first;
        inside = inside && d[2 * j] <= most && d[2 * j + 1] <= most;
      }
      if (inside) {
#pragma unroll
        for (int j = 0; j < 8; j++) inner.add(shifted(d[j], narrowing));
      } else {
        unusual |= 1u << i;
      }
    }
    found.low += (wb_u64)((wb_i64)upper_sum * 256 + lower_sum);
    found.squares_low += (wb_u64)((wb_i64)upper_squares * 65536 + (wb_i64)mixed * 512 + lower_squares);
    /* Once for all of them, so that the usual way is short: it has to fit the cache of instructions. */
    if (unusual) {
#pragma unroll 1
      for (int i = 0; i < WB_UNROLL; i++) {
        if (unusual >> i & 1) {
          uint4 one = four[0];
#pragma unroll
          for (int j = 1; j < WB_UNROLL; j++) {
            if (i == j) one = four[j];
          }
#pragma unroll 1
          for (int j = 0; j < 8; j++) place(part(one, j), found);
        }
      }
    }
    __syncwarp();
  }

  __device__ __forceinline__ void granule(const uint4 &four, Found &found) const {
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
    const int count = 16 / sizeof(Bits);
    Bits x[count];
#pragma unroll
    for (int i = 0; i < count; i++) {
      x[i] = part(four, i);
    }
    if (sizeof(Bits) == 2) {
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        wb_u32 a = ((word[i] & 0x7fff7fffu) + 0x7fff7fffu) | word[i];
        wb_u32 b = ((word[i + 1] & 0x7fff7fffu) + 0x7fff7fffu) | word[i + 1];
        found.nonzero = __dp4a((int)signs_of_bytes(a, b, 0xfdb9), 0x01010101, found.nonzero);
        if (is_signed) {
          found.negative = __dp4a((int)signs_of_bytes(word[i], word[i + 1], 0xfdb9), 0x01010101, found.negative);
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < count; i++) {
        found.nonzero -= x[i] != 0;
        if (is_signed) found.negative -= (wb_u32)(x[i] >> (8 * sizeof(Bits) - 1));
      }
    }
    bool inside = true;
#pragma unroll
    for (int i = 0; i < count; i++) inside = inside && (Bits)(x[i] - lowest) <= span;
    if (inside) {
      if (sizeof(Bits) == 2) {
        /* Eight 16-bit numbers in 32 bits, two at once. */
        int sum = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
          sum = is_signed ? __dp2a_lo((int)word[i], 0x0101, sum) : (int)__dp2a_lo(word[i], 0x0101u, (wb_u32)sum);
        }
        found.low += (wb_u64)(wb_i64)sum;
      }
#pragma unroll
      for (int i = 0; i < count; i++) {
        if (sizeof(Bits) == 2) found.squares_low += square(x[i]);
        else sums(x[i], found);
        histogram.add(1 + (wb_u32)((Bits)(x[i] - lowest) >> shift));
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < count; i++) element(part(four, i), found);
    }
  }

  __device__ __forceinline__ void element(Bits bits, Found &found) const {
    sums(bits, found);
    place(bits, found);
  }

  /* Its bin, and whether it is the smallest or the largest. */
  __device__ __forceinline__ void place(Bits bits, Found &found) const {
    Bits d = (Bits)(bits - lowest);
    if (d <= span) {
      histogram.add(1 + (wb_u32)(d >> shift));
      return;
    }
    const wb_u32 kind = is_signed ? WB_SIGNED : WB_UNSIGNED;
    wb_u64 key = wb_key(bits, 8 * sizeof(Bits), kind);
    if (key < found.least) found.least = key;
    if (key > found.greatest) found.greatest = key;
    histogram.add(key < wb_key(lowest, 8 * sizeof(Bits), kind) ? 0 : last);
  }

  __device__ void tail(const uint4 &four, wb_u32 elements, Found &found) const {
#pragma unroll 1
    for (wb_u32 i = 0; i < elements; i++) {
      Bits x = part(four, i);
      if (x) found.nonzero -= 1;
      if (is_signed) found.negative -= (wb_u32)(x >> (8 * sizeof(Bits) - 1));
      element(x, found);
    }
  }
};

/* ---- eight-bit types: how often each byte occurs says everything ---- */

struct Bytes {
  static const bool floating = false, exact_squares = true, ahead = false;
  static const wb_u32 size = 1;
  Histogram histogram;

  __device__ Bytes(const Setting &, const Histogram &of_block) : histogram(of_block) {}

  __device__ __forceinline__ void granule(const uint4 &four, Found &) const {
    wb_u32 word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
      histogram.add_at(((word[i] << 7) & 0x7f80u) + histogram.lane);
      histogram.add_at(((word[i] >> 1) & 0x7f80u) + histogram.lane);
      histogram.add_at(((word[i] >> 9) & 0x7f80u) + histogram.lane);
      histogram.add_at(((word[i] >> 17) & 0x7f80u) + histogram.lane);
    }
  }
  __device__ void tail(const uint4 &four, wb_u32 elements, Found &) const {
#pragma unroll 1
    for (wb_u32 i = 0; i < elements; i++) histogram.add(chosen(four, i / 4) >> (8 * (i % 4)) & 0xff);
  }
};

/*
 * The part of a range that one launch does. `first_granule`: number of its first 16 bytes from the start of the range;
 * only the last part may have a size that is not a multiple of 16.
 */
template <typename Type>
static __device__ __forceinline__ void statistics(Range range, wb_u64 first_granule, wb_partial *partials,
                                                  wb_u64 *result, const Setting &setting) {
  __shared__ wb_u32 counters[WB_MAX_BINS * 32];
  Histogram histogram = begin_histogram(counters, setting.bins);
  if (Type::size == 2) histogram.lane = kept(histogram.lane);
  Type type(setting, histogram);
  Found found = nothing_found();
  wb_u64 granules = range.bytes / WB_GRANULE, done = 0;
  if (((wb_u64)range.memory & 15) == 0) {
    /* Tiles, one after the other for each block: so what a thread reads of one lies at fixed distances, and so do keys. */
    const wb_u32 tile = WB_THREADS * WB_UNROLL;
    wb_u32 tiles = (wb_u32)(granules / tile), left = blockIdx.x < tiles ? (tiles - blockIdx.x - 1) / gridDim.x + 1 : 0;
    done = (wb_u64)tiles * tile;
    wb_u64 at = (wb_u64)blockIdx.x * tile + threadIdx.x, step = (wb_u64)gridDim.x * tile;
    /* In registers: made of the size of the grid at each use, it would cost more of them. */
    asm volatile("" : "+l"(step));
    const uint4 *memory = (const uint4 *)range.memory + at;
    wb_u32 key = wb_checksum_key(first_granule + at), key_step = (wb_u32)step * WB_CHECKSUM_STEP;
    uint4 four[WB_UNROLL];
    if (Type::ahead && left) Next{memory, true}.load_all(four);
#pragma unroll 1
    for (; left; left--, key += key_step) {
      if (!Type::ahead) Next{memory, true}.load_all(four);
      memory += step;
#pragma unroll
      for (int i = 0; i < WB_UNROLL; i++) {
        found.checksum = wb_checksum_add(four[i].x, four[i].y, four[i].z, four[i].w,
                                         key + i * (WB_THREADS * WB_CHECKSUM_STEP), found.checksum);
        if constexpr (Type::size != 2) {
          type.granule(four[i], found);
          /* A lane that took a closer look has fallen behind, and would stay behind for good. */
          if (Type::size > 1) __syncwarp();
        }
      }
      if constexpr (Type::ahead) type.granules(four, Next{memory, left > 1}, found);
      else if constexpr (Type::size == 2) type.granules(four, found);
    }
  }
  wb_u64 stride = (wb_u64)gridDim.x * WB_THREADS;
  for (wb_u64 at = done + (wb_u64)blockIdx.x * WB_THREADS + threadIdx.x; at < granules; at += stride) {
    uint4 four = load_unaligned(range.memory + at * WB_GRANULE);
    found.checksum += wb_checksum(four.x, four.y, four.z, four.w, first_granule + at);
    type.granule(four, found);
  }
  wb_u32 rest = (wb_u32)(range.bytes % WB_GRANULE);
  if (rest && blockIdx.x == 0 && threadIdx.x == 0) {
    uint4 four = load_tail(range.memory + granules * WB_GRANULE, rest);
    found.checksum += wb_checksum(four.x, four.y, four.z, four.w, first_granule + granules);
    type.tail(four, rest / Type::size, found);
  }
  /* A sum of narrow integers fits in 64 bits for a thread, and not for all: with its sign it goes on in 128. */
  if (!Type::floating && Type::size < 8) found.high = (wb_i64)found.low >> 63;
  end_histogram(histogram, setting.bins, result);
  leave(found, partials, Type::floating, Type::exact_squares);
}

/*
 * memory, bytes, number of the first 16 bytes, partials[gridDim.x], counts[bins] (added to), then of the bins: centre,
 * radius (floats of 16 and 32 bits: the limit in the upper half), scale (integers: lowest, span, shift), pivot, half of
 * the inner bins (1 << 32 in it: the signs are in the bins), bins.
 */
#define STATISTICS(name, Type)                                                                                        \
  extern "C" __global__ void __launch_bounds__(WB_THREADS, WB_MIN_BLOCKS)                                             \
      name(const unsigned char *memory, wb_u64 bytes, wb_u64 first_granule, wb_partial *partials, wb_u64 *counts,     \
           wb_u64 centre, wb_u64 radius, wb_u64 scale, double pivot, wb_u64 inner_half, wb_u64 bins) {                \
    Range range = {memory, bytes};                                                                                    \
    Setting setting = {centre, radius, scale, pivot, (wb_u32)inner_half, (inner_half >> 32) != 0, (wb_u32)bins};                               \
    statistics<Type>(range, first_granule, partials, counts, setting);                                                \
  }

typedef Half<false> Float16;
typedef Half<true> BrainFloat16;
typedef Integer<wb_u16, wb_u16> Unsigned16;
typedef Integer<wb_u16, short> Signed16;
typedef Integer<wb_u32, wb_u32> Unsigned32;
typedef Integer<wb_u32, int> Signed32;
typedef Integer<wb_u64, wb_u64> Unsigned64;
typedef Integer<wb_u64, wb_i64> Signed64;
