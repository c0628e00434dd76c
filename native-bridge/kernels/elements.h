/*
 * What the kernels and the simulator share: how an element is read, ordered and put into a bin, what a launch leaves in
 * memory, and the checksum. C that nvcc and a C compiler both take. All numbers are little-endian.
 */
#ifndef GPU_IPC_KERNELS_ELEMENTS_H
#define GPU_IPC_KERNELS_ELEMENTS_H

#ifdef __CUDACC__
#define WB_FUNCTION static __device__ __forceinline__
typedef unsigned char wb_u8;
typedef unsigned short wb_u16;
typedef unsigned int wb_u32;
typedef unsigned long long wb_u64;
typedef long long wb_i64;
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define WB_FUNCTION static inline
typedef uint8_t wb_u8;
typedef uint16_t wb_u16;
typedef uint32_t wb_u32;
typedef uint64_t wb_u64;
typedef int64_t wb_i64;
#endif

/** Memory is read in pieces of this size from the start of the range, whatever the type. */
#define WB_GRANULE 16
/** What one count of compare and search stands for: so many positions (bytes, elements or half bytes). */
#define WB_GROUP 65536
/** Bins of the statistics kernels: those below and above the sampled range are the first and the last. */
#define WB_MAX_BINS 258

/** Types of elements, as the host numbers them. */
enum {
  WB_U8, WB_I8, WB_U16, WB_I16, WB_U32, WB_I32, WB_U64, WB_I64, WB_F16, WB_BF16, WB_F32, WB_F64, WB_F8E4M3, WB_F8E5M2,
  WB_BOOL, WB_I4, WB_U4
};

/** How the bits of an element are ordered. */
enum { WB_UNSIGNED, WB_SIGNED, WB_FLOAT };

/** What one block of threads of a statistics kernel found. 64-bit words, in this order. */
typedef struct {
  /** Neither +0 nor -0: NaN and infinities too. */
  wb_u64 nonzero;
  /** Of these, those that are not subnormal. Integers: all. */
  wb_u64 normal;
  /** Below zero, NaN not counted; of 16-bit floats around zero only -Inf, as the bins below that of 0 hold the others. */
  wb_u64 negative;
  wb_u64 nans;
  wb_u64 positive_infinities;
  wb_u64 negative_infinities;
  /** Keys (wb_key) of the finite elements outside of the sampled range; all ones and 0 when there is none. */
  wb_u64 least;
  wb_u64 greatest;
  /** Floats: a double, the sum of x - pivot over the finite elements, and what to add to it. Integers: 128 bits, exact. */
  wb_u64 sum[2];
  /** A double, the sum of (x - pivot)^2, and what to add to it; of 16-bit integers 64 bits, exact, without pivot. */
  wb_u64 squares[2];
  wb_u64 checksum;
  wb_u64 unused[3];
} wb_partial;

/** What one block of threads found of a slice. */
typedef struct {
  /** Keys of what is not NaN; all ones and 0 when there is nothing. */
  wb_u64 least;
  wb_u64 greatest;
  wb_u64 zeros;
  wb_u64 nans;
  wb_u64 infinities;
  wb_u64 unused[3];
} wb_slice;

/** Bits of an element of `bits` bits as an unsigned number with the order of the values; -0 is just below +0. */
WB_FUNCTION wb_u64 wb_key(wb_u64 element, wb_u32 bits, wb_u32 kind) {
  wb_u64 sign = 1ull << (bits - 1);
  if (kind == WB_UNSIGNED) return element;
  if (kind == WB_SIGNED || !(element & sign)) return element ^ sign;
  return ~element & (sign | (sign - 1));
}

/** What the key of the checksum grows by from one piece to the next: 2^32 by the golden ratio. */
#define WB_CHECKSUM_STEP 0x9e3779b9u
/** Pieces after which the keys come again, moved by WB_CHECKSUM_TURN. No launch goes across a multiple of so many. */
#define WB_CHECKSUM_PERIOD (1ull << 32)
#define WB_CHECKSUM_TURN 0x632be5abu

/** The key of the piece with this number, from the start of the range. */
WB_FUNCTION wb_u32 wb_checksum_key(wb_u64 granule) {
  return ((wb_u32)granule + 1) * WB_CHECKSUM_STEP + (wb_u32)(granule / WB_CHECKSUM_PERIOD) * WB_CHECKSUM_TURN;
}

/** Adds one piece to a checksum: 4 words of 32 bits and the key of the piece. */
WB_FUNCTION wb_u64 wb_checksum_add(wb_u32 w0, wb_u32 w1, wb_u32 w2, wb_u32 w3, wb_u32 key, wb_u64 sum) {
  sum += (wb_u64)(wb_u32)(w0 + key) * (wb_u32)(w1 + key + 0x7f4a7c15u);
  return sum + (wb_u64)(wb_u32)(w2 + key + 0x85ebca6bu) * (wb_u32)(w3 + key + 0xc2b2ae35u);
}

/** The same for the piece with this number. */
WB_FUNCTION wb_u64 wb_checksum(wb_u32 w0, wb_u32 w1, wb_u32 w2, wb_u32 w3, wb_u64 granule) {
  return wb_checksum_add(w0, w1, w2, w3, wb_checksum_key(granule), 0);
}

/* 1.5 · 2^23 and 1.5 · 2^52: a number that is small beside them, added to them, is rounded to an integer. */
#define WB_ROUND_F32 12582912.0f
#define WB_ROUND_F32_BITS 0x4b400000u
#define WB_ROUND_F64 6755399441055744.0

#endif
