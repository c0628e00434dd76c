/* The statistics kernels: element after element, with the same bins and the same checksum. */
#include <stdlib.h>

#include "../../kernels/predicates.h"
#include "kernels.h"

typedef struct {
  uint32_t type, bits, kind;
  bool floating, exact_squares;
  wb_u64 centre, radius, scale;
  double pivot;
  int64_t pivot_integer;
  wb_u32 inner_half, bins;
  /** Of 16-bit floats around 0: the bins below that of 0 are the negative elements, which are not counted beside. */
  bool signs_in_bins;
  wb_partial found;
  double sum, sum_rest, squares, squares_rest;
  wb_u64 counts[WB_MAX_BINS];
} statistics;

/* Neumaier's sum: the rest holds what did not fit. */
static inline void add(double *sum, double *rest, double value) {
  double total = *sum + value;
  double size = *sum < 0 ? -*sum : *sum, other = value < 0 ? -value : value;
  *rest += size >= other ? (*sum - total) + value : (value - total) + *sum;
  *sum = total;
}

/* The nearest integer, ties to even, of a number that is small beside 2^51. */
static inline int32_t nearest(double value) { return (int32_t)(value + WB_ROUND_F64 - WB_ROUND_F64); }

static inline int32_t rounded_down(double value) {
  int32_t towards_zero = (int32_t)value;
  return towards_zero - (value < towards_zero);
}

/* `inside`: no further from the centre than the whole sample reaches on both sides. */
static inline wb_u32 float_bin(const statistics *s, double x, bool *inside) {
  if (s->bits == 64) {
    double d = x - wb_double(s->centre);
    *inside = (d < 0 ? -d : d) <= wb_double(s->radius);
    if (*inside) return (wb_u32)(1 + (int32_t)s->inner_half + nearest(d * wb_double(s->scale)));
    return d < 0 ? 0 : s->bins - 1;
  }
  float d = (float)x - wb_float((wb_u32)s->centre), distance = d < 0 ? -d : d;
  *inside = distance <= wb_float((wb_u32)(s->radius >> 32));
  /* The product of two singles is exact in a double: the same as one fused operation. */
  if (distance <= wb_float((wb_u32)s->radius)) {
    double place = (double)d * wb_float((wb_u32)s->scale);
    return (wb_u32)(1 + (int32_t)s->inner_half + (s->bits == 16 ? rounded_down(place) : nearest(place)));
  }
  return d < 0 ? 0 : s->bins - 1;
}

static inline void extremes(statistics *s, wb_u64 key) {
  if (key < s->found.least) s->found.least = key;
  if (key > s->found.greatest) s->found.greatest = key;
}

static inline void float_element(statistics *s, wb_u64 bits, wb_u64 infinity, wb_u64 smallest_normal) {
  wb_u64 sign = 1ull << (s->bits - 1), magnitude = bits & (sign - 1);
  s->found.nonzero += magnitude != 0;
  s->found.normal += magnitude >= smallest_normal;
  if (magnitude > infinity) {
    s->found.nans += 1;
    return;
  }
  bool negative = magnitude && (bits & sign);
  s->found.negative += negative && (!s->signs_in_bins || magnitude == infinity);
  if (magnitude == infinity) {
    if (negative) s->found.negative_infinities += 1;
    else s->found.positive_infinities += 1;
    return;
  }
  double x = wb_value(bits, s->type), value = x - s->pivot;
  add(&s->sum, &s->sum_rest, value);
  add(&s->squares, &s->squares_rest, value * value);
  bool inside;
  s->counts[float_bin(s, x, &inside)] += 1;
  if (!inside) extremes(s, wb_key(bits, s->bits, WB_FLOAT));
}

static inline void integer_element(statistics *s, wb_u64 bits) {
  bool is_signed = s->kind == WB_SIGNED;
  wb_u64 wide = s->bits == 64 ? ~0ull : (1ull << s->bits) - 1;
  wb_u64 extended = is_signed ? (wb_u64)((int64_t)(bits << (64 - s->bits)) >> (64 - s->bits)) : bits;
  bool negative = is_signed && (int64_t)extended < 0;
  s->found.nonzero += bits != 0;
  s->found.normal += bits != 0;
  s->found.negative += negative;
  s->found.sum[0] += extended;
  s->found.sum[1] += (s->found.sum[0] < extended) - (wb_u64)negative;
  if (s->exact_squares) {
    s->found.squares[0] += extended * extended;
  } else {
    bool above = is_signed ? (int64_t)extended >= s->pivot_integer : extended >= (wb_u64)s->pivot_integer;
    wb_u64 pivot = (wb_u64)s->pivot_integer;
    double d = (double)(above ? extended - pivot : pivot - extended);
    add(&s->squares, &s->squares_rest, d * d);
  }
  wb_u64 distance = (bits - s->centre) & wide;
  if (distance <= (s->radius & wide)) {
    s->counts[1 + (wb_u32)(distance >> s->scale)] += 1;
    return;
  }
  wb_u64 key = wb_key(bits, s->bits, s->kind);
  extremes(s, key);
  s->counts[key < wb_key(s->centre & wide, s->bits, s->kind) ? 0 : s->bins - 1] += 1;
}

static inline void elements(statistics *s, const wb_u8 *memory, wb_u64 count) {
  for (wb_u64 i = 0; i < count; i++) {
    wb_u64 bits = wb_element(memory, i, s->bits);
    switch (s->type) {
      case WB_U8: s->counts[bits] += 1; break;
      case WB_F16: float_element(s, bits, 0x7c00, 0x400); break;
      case WB_BF16: float_element(s, bits, 0x7f80, 0x80); break;
      case WB_F32: float_element(s, bits, 0x7f800000u, 0x800000u); break;
      case WB_F64: float_element(s, bits, 0x7ff0000000000000ull, 0x10000000000000ull); break;
      default: integer_element(s, bits);
    }
  }
}

static inline wb_u64 words_checksum(const wb_u8 *at, wb_u64 granule) {
  wb_u32 word[4];
  memcpy(word, at, sizeof word);
  return wb_checksum(word[0], word[1], word[2], word[3], granule);
}

static wb_u64 bits_of(double value) {
  wb_u64 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* memory, bytes, first granule, partials, counts, centre, radius, scale, pivot, half of the inner bins (1 << 32 in it: signs_in_bins), bins */
static inline void run(sim_launch *launch, uint32_t type, uint32_t kind) {
  const uint64_t *argument = launch->arguments;
  wb_u8 *piece = malloc(SIM_KERNEL_PIECE);
  statistics *s = calloc(1, sizeof *s);
  wb_partial *others = calloc(launch->blocks, sizeof *others);
  if (!piece || !s || !others) {
    launch->result = CUDA_ERROR_LAUNCH_FAILED;
    goto end;
  }
  *s = (statistics){.type = type, .bits = wb_bits(type), .kind = kind, .floating = kind == WB_FLOAT,
                    .exact_squares = wb_bits(type) == 16 && kind != WB_FLOAT,
                    .centre = argument[5], .radius = argument[6], .scale = argument[7],
                    .pivot = wb_double(argument[8]), .pivot_integer = (int64_t)argument[8],
                    .inner_half = (wb_u32)argument[9], .signs_in_bins = argument[9] >> 32 != 0, .bins = (wb_u32)argument[10],
                    .found = {.least = ~0ull}};
  uint64_t bytes = argument[1];
  for (uint64_t done = 0; done < bytes; done += SIM_KERNEL_PIECE) {
    uint64_t length = bytes - done < SIM_KERNEL_PIECE ? bytes - done : SIM_KERNEL_PIECE;
    if (!sim_kernel_read(launch, argument[0] + done, piece, length)) goto end;
    elements(s, piece, length / (s->bits / 8));
    memset(piece + length, 0, (SIM_KERNEL_PIECE - length) % WB_GRANULE);
    for (uint64_t at = 0; at < length; at += WB_GRANULE) {
      s->found.checksum += words_checksum(piece + at, argument[2] + (done + at) / WB_GRANULE);
    }
  }
  if (s->floating) {
    s->found.sum[0] = bits_of(s->sum);
    s->found.sum[1] = bits_of(s->sum_rest);
  }
  if (!s->exact_squares) {
    s->found.squares[0] = bits_of(s->squares);
    s->found.squares[1] = bits_of(s->squares_rest);
  }
  others[0] = s->found;
  for (unsigned int i = 1; i < launch->blocks; i++) others[i].least = ~0ull;
  wb_u64 before[WB_MAX_BINS];
  wb_u32 bins = type == WB_U8 ? 256 : s->bins;
  if (bins > WB_MAX_BINS || !sim_kernel_read(launch, argument[4], before, bins * sizeof before[0])) goto end;
  for (wb_u32 i = 0; i < bins; i++) s->counts[i] += before[i];
  if (!sim_kernel_write(launch, argument[4], s->counts, bins * sizeof s->counts[0])) goto end;
  sim_kernel_write(launch, argument[3], others, launch->blocks * sizeof *others);
end:
  free(piece);
  free(s);
  free(others);
}

void sim_statistics_bytes(sim_launch *launch) { run(launch, WB_U8, WB_UNSIGNED); }
void sim_statistics_u16(sim_launch *launch) { run(launch, WB_U16, WB_UNSIGNED); }
void sim_statistics_i16(sim_launch *launch) { run(launch, WB_I16, WB_SIGNED); }
void sim_statistics_u32(sim_launch *launch) { run(launch, WB_U32, WB_UNSIGNED); }
void sim_statistics_i32(sim_launch *launch) { run(launch, WB_I32, WB_SIGNED); }
void sim_statistics_u64(sim_launch *launch) { run(launch, WB_U64, WB_UNSIGNED); }
void sim_statistics_i64(sim_launch *launch) { run(launch, WB_I64, WB_SIGNED); }
void sim_statistics_f16(sim_launch *launch) { run(launch, WB_F16, WB_FLOAT); }
void sim_statistics_bf16(sim_launch *launch) { run(launch, WB_BF16, WB_FLOAT); }
void sim_statistics_f32(sim_launch *launch) { run(launch, WB_F32, WB_FLOAT); }
void sim_statistics_f64(sim_launch *launch) { run(launch, WB_F64, WB_FLOAT); }
