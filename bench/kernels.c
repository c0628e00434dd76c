/*
 * How fast the statistics kernels read memory, beside a copy from the device to itself: bytes read by the kernels a
 * second, by bytes read and written by the copy a second. Each pass begins on an idle device, as one that a person asks
 * for does; then as many follow each other as run into the limit of power, where there is one ("again").
 *
 * usage: kernels LIBRARY PTX… [-- PTX…]   libcuda.so.1; after -- what is measured for comparison, with fewer sizes
 *        KERNELS_MAX_GIB=n                largest buffer, 64 unless set; halved until it fits
 *        KERNELS_SHAPES=1                 tries several sizes of grid and block
 *        KERNELS_ALL_SIZES=1              all sizes for what is after -- too
 *        KERNELS_ONLY=bf16:normal,…       only these kernels and data
 *
 * Every result is checked against what the CPU counts in the bytes. Prints tab-separated lines, the first with names.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../native-bridge/kernels/elements.h"

enum { PATTERN = 64 << 20, REPEATS = 5, AGAIN = 12, IDLE_MS = 150, INNER_HALF = 127 };
/* As the app tells the kernels of 16-bit floats that the bins below that of 0 are the negative elements. */
#define SIGNS_IN_BINS (1ull << 32)
#define GIB (1ull << 30)
#define CHUNK (16 * GIB)

static void *library;

static void *symbol(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "kernels: no %s: %s\n", name, dlerror());
    exit(1);
  }
  return found;
}

static void check(int result, const char *what) {
  if (result == 0) return;
  fprintf(stderr, "kernels: %s answered %d\n", what, result);
  exit(1);
}

static int (*alloc)(uint64_t *, size_t);
static int (*release)(uint64_t);
static int (*copy_in)(uint64_t, const void *, size_t);
static int (*copy_out)(void *, uint64_t, size_t);
static int (*copy)(uint64_t, uint64_t, size_t);
static int (*copy_async)(uint64_t, uint64_t, size_t, void *);
static int (*clear)(uint64_t, unsigned char, size_t);
static int (*module_load)(void **, const void *);
static int (*module_unload)(void *);
static int (*get_function)(void **, void *, const char *);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*record)(void *, void *);
static int (*wait_for)(void *);
static int (*elapsed)(float *, void *, void *);
static int (*synchronize)(void);

static void *began, *ended;
static int processors;
static double copy_rate; /* bytes a second, read and written */

/* ---- data ---- */

static uint64_t state = 88172645463325252ull;
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static double uniform(void) { return ((double)(next() >> 11) + 0.5) / 9007199254740992.0; }
/* Normally distributed, near enough: what matters is that neighbours differ and few are far away. */
static double normal(void) {
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += uniform();
  return (sum - 2) * 1.7320508 / 1.0;
}

typedef struct {
  const char *name;   /* of the kernel: statistics_NAME */
  const char *data;   /* normal, random (any bytes), zeros, few (one bit of each byte) */
  uint32_t bits;
  char kind;          /* b bytes, h f16, B bf16, f, d, u, i */
} subject;

static const subject subjects[] = {
    {"bytes", "normal", 8, 'b'},  {"bytes", "random", 8, 'b'}, {"bytes", "zeros", 8, 'b'},
    {"bf16", "normal", 16, 'B'},  {"bf16", "random", 16, 'B'}, {"bf16", "zeros", 16, 'B'},
    {"f32", "normal", 32, 'f'},   {"f32", "random", 32, 'f'},  {"f32", "zeros", 32, 'f'},
    {"f64", "normal", 64, 'd'},   {"f16", "normal", 16, 'h'},  {"u16", "random", 16, 'u'},
    {"i16", "normal", 16, 'i'},   {"u32", "random", 32, 'u'},  {"i32", "normal", 32, 'i'},
    {"u64", "random", 64, 'u'},   {"i64", "normal", 64, 'i'},
};

/* Whether KERNELS_ONLY, where set, names the kernel, as in "bf16:normal,u16:random". */
static int chosen(const subject *s) {
  const char *only = getenv("KERNELS_ONLY");
  char name[64];
  snprintf(name, sizeof name, ",%s:%s,", s->name, s->data);
  if (!only) return 1;
  char all[512];
  snprintf(all, sizeof all, ",%s,", only);
  return strstr(all, name) != NULL;
}

static float half_value(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float magnitude = exponent == 0    ? ldexpf((float)mantissa, -24)
                    : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                     : ldexpf((float)(mantissa + 1024), (int)exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
/* Truncated, not rounded: any value will do. */
static uint16_t half_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  int exponent = (int)(bits >> 23 & 255) - 127 + 15;
  if (exponent <= 0) return (uint16_t)(bits >> 16 & 0x8000);
  return (uint16_t)((bits >> 16 & 0x8000) | (uint32_t)exponent << 10 | (bits >> 13 & 1023));
}

static void make(unsigned char *to, const subject *s) {
  state = 88172645463325252ull;
  memset(to, 0, PATTERN);
  if (!strcmp(s->data, "zeros")) return;
  size_t size = s->bits / 8;
  for (size_t i = 0; i < PATTERN / size; i++) {
    uint64_t bits = next();
    if (!strcmp(s->data, "normal")) {
      double x = normal();
      float f = (float)x;
      uint32_t f_bits;
      memcpy(&f_bits, &f, 4);
      switch (s->kind) {
        case 'b': bits = (uint64_t)(int64_t)lrint(128 + 30 * x); break;
        case 'B': bits = f_bits >> 16; break;
        case 'h': bits = half_bits(f); break;
        case 'f': bits = f_bits; break;
        case 'd': memcpy(&bits, &x, 8); break;
        default: bits = (uint64_t)(int64_t)lrint(1000 * x); break;
      }
    }
    memcpy(to + i * size, &bits, size);
  }
}

static uint64_t bits_at(const unsigned char *from, const subject *s, size_t i) {
  uint64_t bits = 0;
  memcpy(&bits, from + i * (s->bits / 8), s->bits / 8);
  return bits;
}
static double value_of(uint64_t bits, const subject *s) {
  float f;
  double d;
  uint32_t word;
  switch (s->kind) {
    case 'B': word = (uint32_t)bits << 16; memcpy(&f, &word, 4); return f;
    case 'h': return half_value((uint16_t)bits);
    case 'f': word = (uint32_t)bits; memcpy(&f, &word, 4); return f;
    case 'd': memcpy(&d, &bits, 8); return d;
    case 'i': return (double)((int64_t)(bits << (64 - s->bits)) >> (64 - s->bits));
    default: return (double)bits;
  }
}

typedef struct {
  uint64_t nonzero, negative, nans, infinities, counted;
  double sum;
  uint64_t bins[WB_MAX_BINS]; /* of types of 16 and 32 bits */
} expected;

static expected count(const unsigned char *from, const subject *s) {
  expected e = {0};
  for (size_t i = 0; i < PATTERN / (s->bits / 8); i++) {
    double x = value_of(bits_at(from, s, i), s);
    e.nonzero += x != 0;
    e.negative += x < 0;
    if (isnan(x)) e.nans++;
    else if (isinf(x)) e.infinities++;
    else {
      e.counted++;
      e.sum += x;
    }
  }
  return e;
}

/* What the host of the app does with a sample: the range of its finite elements. */
static void settings(const unsigned char *from, const subject *s, uint64_t out[6]) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < 65536; i++) {
    double x = value_of(bits_at(from, s, i * (PATTERN / 65536 / (s->bits / 8))), s);
    if (!isfinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  double zero = 0;
  memcpy(&out[3], &zero, 8);
  out[4] = INNER_HALF;
  out[5] = 2 * INNER_HALF + 3;
  if (s->kind == 'd') {
    double centre = low / 2 + high / 2, radius = fmax(high - centre, centre - low);
    double scale = radius > 0 ? (INNER_HALF + 0.5) / radius * (1 - 1e-9) : 1;
    memcpy(&out[0], &centre, 8);
    memcpy(&out[1], &radius, 8);
    memcpy(&out[2], &scale, 8);
  } else if (s->kind == 'u' || s->kind == 'i') {
    uint64_t span = (uint64_t)(high - low);
    uint32_t shift = 0;
    while (span >> shift >= 256) shift++;
    out[0] = s->kind == 'i' ? (uint64_t)(int64_t)low : (uint64_t)low;
    out[1] = span;
    out[2] = shift;
    out[4] = 0;
    out[5] = 258;
  } else if (s->kind == 'b') {
    out[0] = out[1] = out[2] = out[4] = 0;
    out[5] = 256;
  } else {
    float centre = (float)(low / 2 + high / 2);
    double smallest_normal = s->kind == 'h' ? 0x1p-14 : 0x1p-126, reach = fmin(-low, high);
    unsigned unusual = 0;
    for (size_t i = 0; i < 65536; i++) {
      double x = fabs(value_of(bits_at(from, s, i * (PATTERN / 65536 / (s->bits / 8))), s));
      unusual += !(x >= smallest_normal && x <= reach);
    }
    if (s->bits == 16 && unusual <= 65536 / 2048) centre = 0;
    float radius = fmaxf((float)high - centre, centre - (float)low), limit = fminf((float)high - centre, centre - (float)low);
    /* 16 bits are rounded down, others to the nearest. */
    float scale = radius > 0 ? (float)((INNER_HALF + (s->bits == 16 ? 0 : 0.5)) / radius * (1 - 1e-6)) : 1;
    if (s->bits == 16) out[5] = 2 * INNER_HALF + 2;
    if (s->bits == 16 && centre == 0) out[4] |= SIGNS_IN_BINS;
    uint32_t word;
    memcpy(&word, &centre, 4), out[0] = word;
    memcpy(&word, &limit, 4), out[1] = (uint64_t)word << 32;
    memcpy(&word, &radius, 4), out[1] |= word;
    memcpy(&word, &scale, 4), out[2] = word;
  }
}

/* What settings() means for each element, as the app explains it. */
static void count_bins(const unsigned char *from, const subject *s, const uint64_t set[6], expected *e) {
  uint32_t words[3] = {(uint32_t)set[0], (uint32_t)set[1], (uint32_t)set[2]};
  float centre, radius, scale;
  memcpy(&centre, &words[0], 4), memcpy(&radius, &words[1], 4), memcpy(&scale, &words[2], 4);
  for (size_t i = 0; i < PATTERN / (s->bits / 8); i++) {
    double x = value_of(bits_at(from, s, i), s);
    if (!isfinite(x)) continue;
    int bin;
    if (s->kind == 'u' || s->kind == 'i') {
      int64_t d = (int64_t)x - (s->kind == 'i' ? (int64_t)set[0] : (int64_t)(uint32_t)set[0]);
      bin = d < 0 ? 0 : d > (int64_t)set[1] ? (int)set[5] - 1 : 1 + (int)(d >> set[2]);
    } else {
      float d = (float)x - centre;
      double place = (double)d * (double)scale;
      int inner = (int)(s->bits == 16 ? floor(place) : nearbyint(place));
      bin = fabsf(d) <= radius ? 1 + INNER_HALF + inner : d < 0 ? 0 : (int)set[5] - 1;
    }
    e->bins[bin]++;
  }
}

static int signs_in_bins(const uint64_t set[6]) { return (set[4] & SIGNS_IN_BINS) != 0; }

/* ---- one measurement ---- */

static uint64_t partials_memory, counts_memory;

static int ascending(const void *a, const void *b) {
  return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* So long that the device has cooled down, in the sense of its limit of power. */
static void idle(void) {
  struct timespec time = {0, IDLE_MS * 1000000l};
  check(synchronize(), "cuCtxSynchronize");
  nanosleep(&time, NULL);
}

/* Milliseconds of one pass after another, without and with pauses. */
typedef struct {
  float once, again;
} duration;

/* `run` does one pass; the median of those that begin on an idle device, the mean of those that follow each other. */
static duration timed(int (*run)(void *), void *with) {
  float ms[REPEATS], together;
  for (int r = 0; r < REPEATS; r++) {
    idle();
    check(record(began, NULL), "cuEventRecord");
    if (run(with) != 0) return (duration){0, 0};
    check(record(ended, NULL), "cuEventRecord");
    check(wait_for(ended), "cuEventSynchronize");
    check(elapsed(&ms[r], began, ended), "cuEventElapsedTime");
  }
  check(record(began, NULL), "cuEventRecord");
  for (int r = 0; r < AGAIN; r++) run(with);
  check(record(ended, NULL), "cuEventRecord");
  check(wait_for(ended), "cuEventSynchronize");
  check(elapsed(&together, began, ended), "cuEventElapsedTime");
  qsort(ms, REPEATS, sizeof ms[0], ascending);
  return (duration){ms[REPEATS / 2], together / AGAIN};
}

static double rate_of(uint64_t bytes, float ms) { return ms > 0 ? (double)bytes / (ms * 1e-3) : 0; }

typedef struct {
  void *function;
  uint64_t memory, bytes;
  const uint64_t *set;
  unsigned threads, blocks;
} pass;

static int run_pass(void *with) {
  const pass *p = with;
  check(clear(counts_memory, 0, WB_MAX_BINS * 8), "cuMemsetD8_v2");
  for (uint64_t done = 0, part = 0; done < p->bytes; done += CHUNK, part++) {
    uint64_t length = p->bytes - done < CHUNK ? p->bytes - done : CHUNK;
    uint64_t partials = partials_memory + part * p->blocks * sizeof(wb_partial);
    uint64_t values[11] = {p->memory + done, length, done / WB_GRANULE, partials, counts_memory, p->set[0], p->set[1],
                           p->set[2], p->set[3], p->set[4], p->set[5]};
    void *arguments[11];
    for (int i = 0; i < 11; i++) arguments[i] = &values[i];
    int result = launch(p->function, p->blocks, 1, 1, p->threads, 1, 1, 0, NULL, arguments, NULL);
    if (result != 0) return result;
  }
  return 0;
}

typedef struct {
  uint64_t memory, bytes;
} copying;

static int run_copy(void *with) {
  const copying *c = with;
  return copy_async(c->memory + c->bytes / 2, c->memory, c->bytes / 2, NULL);
}

static void measure(const char *ptx, void *function, const subject *s, uint64_t memory, uint64_t bytes,
                    const uint64_t set[6], const expected *pattern, unsigned threads, unsigned per_processor) {
  unsigned blocks = (unsigned)processors * per_processor;
  pass one = {function, memory, bytes, set, threads, blocks};
  duration ms = timed(run_pass, &one);
  if (ms.once == 0) {
    printf("%s\t%s\t%s\t%.3g\t%u\t%u\t\t\t\t\t\tthe launch failed\n", ptx, s->name, s->data, (double)bytes / GIB, threads,
           per_processor);
    return;
  }
  uint64_t parts = (bytes + CHUNK - 1) / CHUNK;
  wb_partial *partials = malloc(parts * blocks * sizeof *partials);
  uint64_t counts[WB_MAX_BINS];
  check(copy_out(partials, partials_memory, parts * blocks * sizeof *partials), "cuMemcpyDtoH_v2");
  check(copy_out(counts, counts_memory, sizeof counts), "cuMemcpyDtoH_v2");
  uint64_t repeats = bytes / PATTERN, nonzero = 0, negative = 0, nans = 0, infinities = 0, counted = 0;
  double sum = 0;
  for (uint64_t i = 0; i < parts * blocks; i++) {
    nonzero += partials[i].nonzero;
    negative += partials[i].negative;
    nans += partials[i].nans;
    infinities += partials[i].positive_infinities + partials[i].negative_infinities;
    double part;
    memcpy(&part, &partials[i].sum[0], 8);
    sum += strchr("hBfd", s->kind) ? part : (double)(int64_t)partials[i].sum[0];
  }
  for (int i = 0; i < WB_MAX_BINS; i++) counted += counts[i];
  for (int i = 0; signs_in_bins(set) && i <= INNER_HALF; i++) negative += counts[i];
  free(partials);
  const char *verdict = "right";
  if (counted != pattern->counted * repeats) verdict = "WRONG histogram";
  if (s->kind != 'b') {
    for (int i = 0; s->bits < 64 && i < WB_MAX_BINS; i++) {
      if (counts[i] != pattern->bins[i] * repeats) verdict = "WRONG bins";
    }
    if (nonzero != pattern->nonzero * repeats || nans != pattern->nans * repeats) verdict = "WRONG counts";
    if (negative != pattern->negative * repeats || infinities != pattern->infinities * repeats) verdict = "WRONG signs";
    double want = pattern->sum * (double)repeats;
    if (s->bits < 64 && !(fabs(sum - want) <= 1e-9 * fabs(want) + 1e-12 * (double)counted)) verdict = "WRONG sum";
  }
  double rate = rate_of(bytes, ms.once), again = rate_of(bytes, ms.again);
  printf("%s\t%s\t%s\t%.3g\t%u\t%u\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%s\n", ptx, s->name, s->data, (double)bytes / GIB,
         threads, per_processor, (double)ms.once, rate / 1e12, rate / copy_rate, again / 1e12, again / copy_rate, verdict);
  fflush(stdout);
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = calloc(1, (size_t)size + 1);
  if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) exit(1);
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: kernels LIBRARY PTX... [-- PTX...]\n");
    return 2;
  }
  library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "kernels: %s\n", dlerror());
    return 1;
  }
  int (*init)(unsigned) = symbol("cuInit");
  int (*device_get)(int *, int) = symbol("cuDeviceGet");
  int (*attribute)(int *, int, int) = symbol("cuDeviceGetAttribute");
  int (*retain)(void **, int) = symbol("cuDevicePrimaryCtxRetain");
  int (*set_current)(void *) = symbol("cuCtxSetCurrent");
  int (*memory_info)(size_t *, size_t *) = symbol("cuMemGetInfo_v2");
  int (*event_create)(void **, unsigned) = symbol("cuEventCreate");
  alloc = symbol("cuMemAlloc_v2");
  release = symbol("cuMemFree_v2");
  copy_in = symbol("cuMemcpyHtoD_v2");
  copy_out = symbol("cuMemcpyDtoH_v2");
  copy = symbol("cuMemcpyDtoD_v2");
  copy_async = symbol("cuMemcpyDtoDAsync_v2");
  clear = symbol("cuMemsetD8_v2");
  module_load = symbol("cuModuleLoadData");
  module_unload = symbol("cuModuleUnload");
  get_function = symbol("cuModuleGetFunction");
  launch = symbol("cuLaunchKernel");
  record = symbol("cuEventRecord");
  wait_for = symbol("cuEventSynchronize");
  elapsed = symbol("cuEventElapsedTime");
  synchronize = symbol("cuCtxSynchronize");

  int device;
  void *context;
  check(init(0), "cuInit");
  check(device_get(&device, 0), "cuDeviceGet");
  check(attribute(&processors, 16, device), "cuDeviceGetAttribute");
  check(retain(&context, device), "cuDevicePrimaryCtxRetain");
  check(set_current(context), "cuCtxSetCurrent");
  check(event_create(&began, 0), "cuEventCreate");
  check(event_create(&ended, 0), "cuEventCreate");
  check(alloc(&partials_memory, 64 << 20), "cuMemAlloc_v2");
  check(alloc(&counts_memory, WB_MAX_BINS * 8), "cuMemAlloc_v2");
  size_t free_bytes, total;
  check(memory_info(&free_bytes, &total), "cuMemGetInfo_v2");
  const char *limit = getenv("KERNELS_MAX_GIB");
  uint64_t largest = (limit ? strtoull(limit, NULL, 10) : 64) * GIB;
  while (largest + GIB > free_bytes) largest /= 2;

  /* The copy: half of the memory onto the other half, read and written. */
  uint64_t memory;
  check(alloc(&memory, largest), "cuMemAlloc_v2");
  printf("module\tkernel\tdata\tGiB\tthreads\tblocks_per_sm\tms\tTB_per_s\tby_copy\tagain_TB_per_s\tagain_by_copy\tresult\n");
  for (uint64_t bytes = largest; bytes >= GIB; bytes /= 4) {
    copying half = {memory, bytes};
    duration ms = timed(run_copy, &half);
    double rate = rate_of(bytes, ms.once), again = rate_of(bytes, ms.again);
    if (rate > copy_rate) copy_rate = rate;
    if (again > copy_rate) copy_rate = again;
    printf("driver\tcopy\t\t%.3g\t\t\t%.3f\t%.3f\t\t%.3f\t\t\n", (double)bytes / GIB, (double)ms.once, rate / 1e12, again / 1e12);
  }
  fflush(stdout);

  unsigned char *pattern = malloc(PATTERN);
  void **modules = calloc((size_t)argc, sizeof *modules);
  int own = argc;
  for (int m = 2; m < argc; m++) {
    if (strcmp(argv[m], "--") == 0) {
      own = m;
      continue;
    }
    char *text = contents(argv[m]);
    int result = module_load(&modules[m], text);
    if (result != 0) printf("%s\t\t\t\t\t\t\t\t\t\t\tcuModuleLoadData answered %d\n", argv[m], result);
    free(text);
  }
  static const unsigned shapes[][2] = {{512, 2}, {512, 3}, {512, 4}, {256, 4}, {256, 6}, {1024, 1}, {1024, 2}};
  for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
    const subject *s = &subjects[i];
    if (!chosen(s)) continue;
    uint64_t set[6];
    make(pattern, s);
    expected in_pattern = count(pattern, s);
    settings(pattern, s, set);
    if (s->bits == 16 || s->bits == 32) count_bins(pattern, s, set, &in_pattern);
    check(copy_in(memory, pattern, PATTERN), "cuMemcpyHtoD_v2");
    for (uint64_t have = PATTERN; have < largest; have *= 2) check(copy(memory + have, memory, have), "cuMemcpyDtoD_v2");
    check(synchronize(), "cuCtxSynchronize");
    for (int m = 2; m < argc; m++) {
      char name[64];
      void *function;
      snprintf(name, sizeof name, "statistics_%s", s->name);
      if (!modules[m] || get_function(&function, modules[m], name) != 0) continue;
      const char *slash = strrchr(argv[m], '/');
      const char *module = slash ? slash + 1 : argv[m];
      uint64_t middle = largest < 16 * GIB ? largest : 16 * GIB;
      if (getenv("KERNELS_SHAPES")) {
        for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
          measure(module, function, s, memory, middle, set, &in_pattern, shapes[shape][0], shapes[shape][1]);
        }
      } else {
        measure(module, function, s, memory, GIB < largest ? GIB : largest, set, &in_pattern, 512, 2);
        measure(module, function, s, memory, middle, set, &in_pattern, 512, 2);
        if ((m < own || getenv("KERNELS_ALL_SIZES")) && largest > middle) measure(module, function, s, memory, largest, set, &in_pattern, 512, 2);
      }
    }
  }
  for (int m = 2; m < argc; m++) {
    if (modules[m]) check(module_unload(modules[m]), "cuModuleUnload");
  }
  check(release(memory), "cuMemFree_v2");
  return 0;
}
