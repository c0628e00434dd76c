/*
 * The baseline of the benchmark: the same driver calls and copies as bench/bindings.ts, from C.
 *
 * usage: baseline LIBRARY            libcuda.so.1 or the simulator
 *        baseline LIBRARY BYTES      instead: copies of so many bytes into page-locked memory, as a snapshot is one
 *
 * Prints one JSON object. Call costs in nanoseconds, each the mean of a batch of calls; copies in microseconds, device
 * to page-locked host memory; start-up in milliseconds. Every number is given as a list of samples.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 21, CALLS = 20000, SNAPSHOTS = 5 };

typedef struct {
  unsigned char reserved[64];
} Handle;

static void *library;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A function of the driver; ends the program when there is none. */
static void *symbol(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "baseline: no %s: %s\n", name, dlerror());
    exit(1);
  }
  return found;
}

static void check(int result, const char *what) {
  if (result != 0) {
    fprintf(stderr, "baseline: %s answered %d\n", what, result);
    exit(1);
  }
}

static void print_samples(const char *name, const double *samples, int count, const char *after) {
  printf("  \"%s\": [", name);
  for (int i = 0; i < count; i++) printf("%s%.2f", i ? ", " : "", samples[i]);
  printf("]%s\n", after);
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: baseline LIBRARY [BYTES]\n");
    return 2;
  }
  double started = now_ns();
  library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "baseline: %s\n", dlerror());
    return 1;
  }
  int (*init)(unsigned) = symbol("cuInit");
  int (*device_get)(int *, int) = symbol("cuDeviceGet");
  int (*retain)(void **, int) = symbol("cuDevicePrimaryCtxRetain");
  int (*set_current)(void *) = symbol("cuCtxSetCurrent");
  int (*get_current)(void **) = symbol("cuCtxGetCurrent");
  int (*alloc)(uint64_t *, size_t) = symbol("cuMemAlloc_v2");
  int (*release)(uint64_t) = symbol("cuMemFree_v2");
  int (*get_handle)(Handle *, uint64_t) = symbol("cuIpcGetMemHandle");
  int (*host_register)(void *, size_t, unsigned) = symbol("cuMemHostRegister_v2");
  int (*host_unregister)(void *) = symbol("cuMemHostUnregister");
  int (*copy_out)(void *, uint64_t, size_t) = symbol("cuMemcpyDtoH_v2");

  int device;
  void *context;
  check(init(0), "cuInit");
  check(device_get(&device, 0), "cuDeviceGet");
  double listed = now_ns();
  check(retain(&context, device), "cuDevicePrimaryCtxRetain");
  check(set_current(context), "cuCtxSetCurrent");
  double ready = now_ns();

  double samples[BATCHES];
  uint64_t memory;
  Handle handle;
  if (argc == 3) {
    /* The first one with all that it takes to have the memory, then copies into memory that is there. */
    size_t bytes = strtoull(argv[2], NULL, 10);
    void *host = NULL;
    check(alloc(&memory, bytes), "cuMemAlloc_v2");
    double first = -now_ns();
    check(posix_memalign(&host, 4096, bytes), "posix_memalign");
    check(host_register(host, bytes, 0), "cuMemHostRegister_v2");
    check(copy_out(host, memory, bytes), "cuMemcpyDtoH_v2");
    first = (first + now_ns()) / 1e6;
    for (int i = 0; i < SNAPSHOTS; i++) {
      double begin = now_ns();
      check(copy_out(host, memory, bytes), "cuMemcpyDtoH_v2");
      samples[i] = (now_ns() - begin) / 1e6;
    }
    printf("{\n");
    print_samples("first", &first, 1, ",");
    print_samples("again", samples, SNAPSHOTS, "");
    printf("}\n");
    check(host_unregister(host), "cuMemHostUnregister");
    check(release(memory), "cuMemFree_v2");
    free(host);
    return 0;
  }
  printf("{\n");
  double start_up[] = {(listed - started) / 1e6, (ready - started) / 1e6};
  print_samples("initMs", &start_up[0], 1, ",");
  print_samples("contextMs", &start_up[1], 1, ",");

  check(alloc(&memory, 4096), "cuMemAlloc_v2");
  for (int batch = -1; batch < BATCHES; batch++) { /* the first is to warm up */
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) check(get_handle(&handle, memory), "cuIpcGetMemHandle");
    if (batch >= 0) samples[batch] = (now_ns() - begin) / CALLS;
  }
  print_samples("cuIpcGetMemHandle", samples, BATCHES, ",");
  for (int batch = -1; batch < BATCHES; batch++) {
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) check(get_current(&context), "cuCtxGetCurrent");
    if (batch >= 0) samples[batch] = (now_ns() - begin) / CALLS;
  }
  print_samples("cuCtxGetCurrent", samples, BATCHES, ",");
  check(release(memory), "cuMemFree_v2");

  static const struct {
    const char *name;
    size_t bytes;
    int repeats;
  } copies[] = {{"copy64KiB", 1 << 16, 200}, {"copy1MiB", 1 << 20, 50}, {"copy64MiB", 1 << 26, 3}};
  for (int c = 0; c < 3; c++) {
    void *host = NULL;
    check(posix_memalign(&host, 4096, copies[c].bytes), "posix_memalign");
    check(host_register(host, copies[c].bytes, 0), "cuMemHostRegister_v2");
    check(alloc(&memory, copies[c].bytes), "cuMemAlloc_v2");
    for (int batch = -1; batch < BATCHES; batch++) {
      double begin = now_ns();
      for (int i = 0; i < copies[c].repeats; i++) check(copy_out(host, memory, copies[c].bytes), "cuMemcpyDtoH_v2");
      if (batch >= 0) samples[batch] = (now_ns() - begin) / copies[c].repeats / 1e3;
    }
    print_samples(copies[c].name, samples, BATCHES, c < 2 ? "," : "");
    check(release(memory), "cuMemFree_v2");
    check(host_unregister(host), "cuMemHostUnregister");
    free(host);
  }
  printf("}\n");
  return 0;
}
