/* The kernels by name; compare, search, summary and gather. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernels/predicates.h"

typedef struct {
  sim_launch *launch;
  uint64_t memory, other, positions;
  uint32_t bits;
  /** Bytes that a position needs beside those of itself. */
  uint32_t beyond;
  uint64_t readable;
  uint64_t counts, mask;
} scan;

/* Answers of 0 or 1 for the positions of each group, of which `a` (and `b`) are the bytes. */
typedef int question(const scan *scan, const void *about, const wb_u8 *a, const wb_u8 *b, uint64_t position,
                     uint64_t readable);

static void run_scan(scan *scan, question *ask, const void *about) {
  uint64_t group_bytes = (uint64_t)WB_GROUP * scan->bits / 8;
  wb_u8 *a = malloc(group_bytes + scan->beyond), *b = malloc(group_bytes);
  uint32_t *mask = malloc(WB_GROUP / 8);
  if (!a || !b || !mask) scan->launch->result = CUDA_ERROR_LAUNCH_FAILED;
  for (unsigned int group = 0; group < scan->launch->blocks && scan->launch->result == CUDA_SUCCESS; group++) {
    uint64_t first = (uint64_t)group * WB_GROUP, offset = first * scan->bits / 8;
    if (first >= scan->positions) break;
    uint64_t here = scan->positions - first < WB_GROUP ? scan->positions - first : WB_GROUP;
    uint64_t bytes = (here * scan->bits + 7) / 8 + scan->beyond;
    if (bytes > scan->readable - offset) bytes = scan->readable - offset;
    if (!sim_kernel_read(scan->launch, scan->memory + offset, a, bytes)) break;
    if (scan->other && !sim_kernel_read(scan->launch, scan->other + offset, b, bytes)) break;
    uint32_t count = 0;
    memset(mask, 0, WB_GROUP / 8);
    for (uint64_t i = 0; i < here; i++) {
      if (!ask(scan, about, a, b, i, bytes)) continue;
      count += 1;
      mask[i / 32] |= 1u << (i % 32);
    }
    if (!sim_kernel_write(scan->launch, scan->counts + 4ull * group, &count, sizeof count)) break;
    if (scan->mask && !sim_kernel_write(scan->launch, scan->mask + (uint64_t)group * (WB_GROUP / 8), mask, WB_GROUP / 8)) {
      break;
    }
  }
  free(a);
  free(b);
  free(mask);
}

static int bytes_differ(const scan *scan, const void *about, const wb_u8 *a, const wb_u8 *b, uint64_t i, uint64_t n) {
  (void)scan, (void)about, (void)n;
  return a[i] != b[i];
}

static void compare_bytes(sim_launch *launch) {
  const uint64_t *argument = launch->arguments;
  scan scan = {.launch = launch, .memory = argument[0], .other = argument[1], .positions = argument[2], .bits = 8,
               .readable = argument[2], .counts = argument[3], .mask = argument[4]};
  run_scan(&scan, bytes_differ, NULL);
}

typedef struct {
  uint32_t type;
  double absolute, relative;
  int nan_equal;
} difference;

static int values_differ(const scan *scan, const void *about, const wb_u8 *a, const wb_u8 *b, uint64_t i, uint64_t n) {
  (void)n;
  const difference *how = about;
  return wb_differ(wb_element(a, i, scan->bits), wb_element(b, i, scan->bits), how->type, how->absolute, how->relative,
                   how->nan_equal);
}

static void compare_values(sim_launch *launch) {
  const uint64_t *argument = launch->arguments;
  uint32_t bits = wb_bits((uint32_t)argument[3]);
  difference how = {(uint32_t)argument[3], wb_double(argument[4]), wb_double(argument[5]), argument[6] != 0};
  scan scan = {.launch = launch, .memory = argument[0], .other = argument[1], .positions = argument[2], .bits = bits,
               .readable = (argument[2] * bits + 7) / 8, .counts = argument[7], .mask = argument[8]};
  run_scan(&scan, values_differ, &how);
}

typedef struct {
  wb_u8 wanted[64], mask[64];
  uint32_t length;
} pattern;

static int pattern_here(const scan *scan, const void *about, const wb_u8 *a, const wb_u8 *b, uint64_t i, uint64_t n) {
  (void)scan, (void)b;
  const pattern *what = about;
  if (i + what->length > n) return 0;
  for (uint32_t j = 0; j < what->length; j++) {
    if ((a[i + j] ^ what->wanted[j]) & what->mask[j]) return 0;
  }
  return 1;
}

static void search_pattern(sim_launch *launch) {
  const uint64_t *argument = launch->arguments;
  pattern what = {.length = (uint32_t)argument[4]};
  if (what.length > 64 || !sim_kernel_read(launch, argument[3], &what, 128)) return;
  scan scan = {.launch = launch, .memory = argument[0], .positions = argument[2], .bits = 8,
               .beyond = what.length ? what.length - 1 : 0, .readable = argument[1], .counts = argument[5],
               .mask = argument[6]};
  run_scan(&scan, pattern_here, &what);
}

typedef struct {
  uint32_t kind;
  wb_wanted wanted;
} values;

static int value_wanted(const scan *scan, const void *about, const wb_u8 *a, const wb_u8 *b, uint64_t i, uint64_t n) {
  (void)b, (void)n;
  const values *what = about;
  return wb_is_wanted(wb_key(wb_element(a, i, scan->bits), scan->bits, what->kind), &what->wanted);
}

static void search_values(sim_launch *launch, uint32_t bits) {
  const uint64_t *argument = launch->arguments;
  values what = {(uint32_t)argument[2], {{argument[3], argument[5]}, {argument[4], argument[6]}}};
  scan scan = {.launch = launch, .memory = argument[0], .positions = argument[1], .bits = bits,
               .readable = (argument[1] * bits + 7) / 8, .counts = argument[7], .mask = argument[8]};
  run_scan(&scan, value_wanted, &what);
}

static void search_values_4(sim_launch *launch) { search_values(launch, 4); }
static void search_values_8(sim_launch *launch) { search_values(launch, 8); }
static void search_values_16(sim_launch *launch) { search_values(launch, 16); }
static void search_values_32(sim_launch *launch) { search_values(launch, 32); }
static void search_values_64(sim_launch *launch) { search_values(launch, 64); }

/* Elements of a piece do not reach into the next one, and of half bytes both are in the same. */
static void summary(sim_launch *launch, uint32_t bits) {
  const uint64_t *argument = launch->arguments;
  uint64_t count = argument[1], each = argument[2];
  wb_classes classes = {argument[4], argument[5], argument[6], argument[7], argument[8]};
  wb_u8 *piece = malloc(SIM_KERNEL_PIECE);
  if (!piece) launch->result = CUDA_ERROR_LAUNCH_FAILED;
  for (unsigned int block = 0; block < launch->blocks && launch->result == CUDA_SUCCESS; block++) {
    wb_slice slice = {.least = ~0ull};
    uint64_t first = block * each, end = first + each < count ? first + each : count;
    uint64_t whole = (uint64_t)SIM_KERNEL_PIECE * 8 / bits;
    for (uint64_t at = first; at < end; at += whole) {
      uint64_t here = end - at < whole ? end - at : whole;
      if (!sim_kernel_read(launch, argument[0] + at * bits / 8, piece, (here * bits + 7) / 8)) break;
      for (uint64_t i = 0; i < here; i++) {
        wb_summarise(wb_key(wb_element(piece, i, bits), bits, (uint32_t)argument[3]), &classes, &slice);
      }
    }
    sim_kernel_write(launch, argument[9] + block * sizeof slice, &slice, sizeof slice);
  }
  free(piece);
}

static void summary_4(sim_launch *launch) { summary(launch, 4); }
static void summary_8(sim_launch *launch) { summary(launch, 8); }
static void summary_16(sim_launch *launch) { summary(launch, 16); }
static void summary_32(sim_launch *launch) { summary(launch, 32); }
static void summary_64(sim_launch *launch) { summary(launch, 64); }

static void gather(sim_launch *launch) {
  const uint64_t *argument = launch->arguments;
  uint64_t step = argument[1], size = argument[2], samples = argument[3];
  wb_u8 *found = malloc(size * samples + 1);
  if (!found) launch->result = CUDA_ERROR_LAUNCH_FAILED;
  else {
    uint64_t i = 0;
    while (i < samples && sim_kernel_read(launch, argument[0] + i * step, found + i * size, size)) i++;
    if (i == samples) sim_kernel_write(launch, argument[4], found, size * samples);
  }
  free(found);
}

static const sim_kernel kernels[] = {
    {"statistics_bytes", 11, sim_statistics_bytes},
    {"statistics_u16", 11, sim_statistics_u16},
    {"statistics_i16", 11, sim_statistics_i16},
    {"statistics_u32", 11, sim_statistics_u32},
    {"statistics_i32", 11, sim_statistics_i32},
    {"statistics_u64", 11, sim_statistics_u64},
    {"statistics_i64", 11, sim_statistics_i64},
    {"statistics_f16", 11, sim_statistics_f16},
    {"statistics_bf16", 11, sim_statistics_bf16},
    {"statistics_f32", 11, sim_statistics_f32},
    {"statistics_f64", 11, sim_statistics_f64},
    {"compare_bytes", 5, compare_bytes},
    {"compare_values", 9, compare_values},
    {"search_pattern", 7, search_pattern},
    {"search_values_4", 9, search_values_4},
    {"search_values_8", 9, search_values_8},
    {"search_values_16", 9, search_values_16},
    {"search_values_32", 9, search_values_32},
    {"search_values_64", 9, search_values_64},
    {"summary_4", 10, summary_4},
    {"summary_8", 10, summary_8},
    {"summary_16", 10, summary_16},
    {"summary_32", 10, summary_32},
    {"summary_64", 10, summary_64},
    {"gather", 5, gather},
};

const sim_kernel *sim_kernel_find(const char *name, size_t parameters) {
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    if (strcmp(kernels[i].name, name) == 0 && kernels[i].parameters == parameters) return &kernels[i];
  }
  return NULL;
}
