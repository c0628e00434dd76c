/* Questions about single elements, asked by the kernels and by the simulator: does it differ, is it what is looked for. */
#ifndef GPU_IPC_KERNELS_PREDICATES_H
#define GPU_IPC_KERNELS_PREDICATES_H

#include "elements.h"

#ifdef __CUDACC__
WB_FUNCTION double wb_double(wb_u64 bits) { return __longlong_as_double((wb_i64)bits); }
WB_FUNCTION float wb_float(wb_u32 bits) { return __uint_as_float(bits); }
#else
WB_FUNCTION double wb_double(wb_u64 bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}
WB_FUNCTION float wb_float(wb_u32 bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
#endif

WB_FUNCTION wb_u32 wb_bits(wb_u32 type) {
  switch (type) {
    case WB_U16: case WB_I16: case WB_F16: case WB_BF16: return 16;
    case WB_U32: case WB_I32: case WB_F32: return 32;
    case WB_U64: case WB_I64: case WB_F64: return 64;
    case WB_I4: case WB_U4: return 4;
    default: return 8;
  }
}

/** Element `index` of memory at any address, read byte by byte: the low half of a byte is before the high one. */
WB_FUNCTION wb_u64 wb_element(const wb_u8 *memory, wb_u64 index, wb_u32 bits) {
  if (bits == 4) return memory[index / 2] >> (4 * (index & 1)) & 15;
  const wb_u8 *at = memory + index * (bits / 8);
  wb_u64 element = 0;
  for (wb_u32 i = 0; i < bits / 8; i++) element |= (wb_u64)at[i] << (8 * i);
  return element;
}

/* A small float with `mantissa` bits of mantissa and this bias, not NaN and not infinite, exactly. */
WB_FUNCTION double wb_small_float(wb_u32 bits, wb_u32 width, wb_u32 mantissa, wb_u32 bias) {
  wb_u32 exponent = (bits & ((1u << (width - 1)) - 1)) >> mantissa, fraction = bits & ((1u << mantissa) - 1);
  if (exponent) fraction |= 1u << mantissa;
  else exponent = 1;
  /* 2^(exponent - bias - mantissa) as bits of a double. */
  double magnitude = (double)fraction * wb_double((wb_u64)(1023 + exponent - bias - mantissa) << 52);
  return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

/** The value of an element of any type; of 64-bit integers rounded. */
WB_FUNCTION double wb_value(wb_u64 bits, wb_u32 type) {
  wb_u32 word = (wb_u32)bits;
  switch (type) {
    case WB_I8: return (double)(signed char)word;
    case WB_I16: return (double)(short)word;
    case WB_I32: return (double)(int)word;
    case WB_I64: return (double)(wb_i64)bits;
    case WB_I4: return (double)((int)(word ^ 8) - 8);
    case WB_F16:
      if ((word & 0x7c00) == 0x7c00) return (double)wb_float((word & 0x8000) << 16 | 0x7f800000u | (word & 1023) << 13);
      return wb_small_float(word, 16, 10, 15);
    case WB_BF16: return (double)wb_float(word << 16);
    case WB_F32: return (double)wb_float(word);
    case WB_F64: return wb_double(bits);
    case WB_F8E4M3:
      if ((word & 0x7f) == 0x7f) return (double)wb_float(0x7fc00000u);
      return wb_small_float(word, 8, 3, 7);
    case WB_F8E5M2:
      if ((word & 0x7c) == 0x7c) return (double)wb_float((word & 0x80) << 24 | 0x7f800000u | (word & 3) << 21);
      return wb_small_float(word, 8, 2, 15);
    case WB_BOOL: return word ? 1.0 : 0.0;
    default: return (double)bits;
  }
}

/** Whether two elements differ by more than `absolute` + `relative` · |b|. */
WB_FUNCTION int wb_differ(wb_u64 a, wb_u64 b, wb_u32 type, double absolute, double relative, int nan_equal) {
  if (type == WB_U64 || type == WB_I64) {
    if (a == b) return 0;
    int above = type == WB_U64 ? a > b : (wb_i64)a > (wb_i64)b;
    double distance = (double)(above ? a - b : b - a), value = wb_value(b, type);
    return distance > absolute + relative * (value < 0 ? -value : value);
  }
  double x = wb_value(a, type), y = wb_value(b, type);
  if (x == y) return 0;
  if (x != x || y != y) return !(x != x && y != y && nan_equal);
  double distance = x > y ? x - y : y - x, size = y < 0 ? -y : y;
  /* Infinity is near to itself only. */
  if (distance > 1.7976931348623157e308 && (x - x != 0 || y - y != 0)) return 1;
  return distance > absolute + relative * size;
}

/** Two intervals of keys, both ends included: [low, low + width]. */
typedef struct {
  wb_u64 low[2];
  wb_u64 width[2];
} wb_wanted;

WB_FUNCTION int wb_is_wanted(wb_u64 key, const wb_wanted *wanted) {
  return key - wanted->low[0] <= wanted->width[0] || key - wanted->low[1] <= wanted->width[1];
}

/** How a summary tells its elements apart, in keys. */
typedef struct {
  /** What is not NaN. */
  wb_u64 least, greatest;
  /** -0 and +0. */
  wb_u64 zero_low, zero_high;
  /** Whether the keys `least` and `greatest` are the infinities. */
  wb_u64 infinite;
} wb_classes;

WB_FUNCTION void wb_summarise(wb_u64 key, const wb_classes *classes, wb_slice *slice) {
  if (key < classes->least || key > classes->greatest) {
    slice->nans += 1;
    return;
  }
  if (key < slice->least) slice->least = key;
  if (key > slice->greatest) slice->greatest = key;
  slice->zeros += key >= classes->zero_low && key <= classes->zero_high;
  slice->infinities += classes->infinite && (key == classes->least || key == classes->greatest);
}

#endif
