/* Allocation, copies, fills and bookkeeping within one process. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../src/objects.h"
#include "check.h"

static void objects_are_a_set(void) {
  enum { COUNT = 600 };
  static _Alignas(16) char storage[COUNT * 16];
  bool present[COUNT] = {false};
  uint32_t random = 0x1234567;
  for (int i = 0; i < 200000; i++) {
    size_t at = next_random(&random) % COUNT;
    const void *object = storage + at * 16;
    CHECK(sim_object_known(object, SIM_OBJECT_STREAM) == present[at]);
    CHECK(!sim_object_known(object, SIM_OBJECT_EVENT));
    if (present[at]) sim_object_remove(object, SIM_OBJECT_STREAM);
    else CHECK(sim_object_add(object, SIM_OBJECT_STREAM));
    present[at] = !present[at];
  }
  CHECK(!sim_object_known(NULL, SIM_OBJECT_STREAM));
  CHECK(!sim_object_known(storage + 1, SIM_OBJECT_STREAM));
}

/* Allocations never overlap, ranges are exact, contents stay with their allocation, everything comes back. */
static void allocations_keep_apart(void) {
  enum { COUNT = 300 };
  struct {
    CUdeviceptr base;
    size_t size;
    unsigned char byte;
  } held[COUNT];
  memset(held, 0, sizeof held);
  static const size_t sizes[] = {1, 300, 512, 4096, 5000, 70000, 1 << 20, (1 << 20) + 1, 2 << 20, 3 << 20};
  start_driver();
  size_t free_before, total;
  OK(cuMemGetInfo_v2(&free_before, &total));
  uint32_t random = 42;
  for (int i = 0; i < 2000; i++) {
    size_t at = next_random(&random) % COUNT;
    if (held[at].base) {
      unsigned char first = 0, last = 0;
      OK(cuMemcpyDtoH_v2(&first, held[at].base, 1));
      OK(cuMemcpyDtoH_v2(&last, held[at].base + held[at].size - 1, 1));
      CHECK(first == held[at].byte && last == held[at].byte);
      CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&last, held[at].base + held[at].size - 1, 2));
      OK(cuMemFree_v2(held[at].base));
      CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&first, held[at].base, 1));
      held[at].base = 0;
      continue;
    }
    held[at].size = sizes[next_random(&random) % (sizeof sizes / sizeof sizes[0])];
    held[at].byte = (unsigned char)next_random(&random);
    OK(cuMemAlloc_v2(&held[at].base, held[at].size));
    for (size_t j = 0; j < COUNT; j++) {
      if (j == at || !held[j].base) continue;
      CHECK(held[j].base + held[j].size <= held[at].base || held[at].base + held[at].size <= held[j].base);
    }
    CUdeviceptr base;
    size_t size;
    OK(cuMemGetAddressRange_v2(&base, &size, held[at].base + held[at].size - 1));
    CHECK(base == held[at].base && size == held[at].size);
    OK(cuMemsetD8_v2(held[at].base, held[at].byte, held[at].size));
  }
  for (size_t i = 0; i < COUNT; i++) {
    if (held[i].base) OK(cuMemFree_v2(held[i].base));
  }
  size_t free_after;
  OK(cuMemGetInfo_v2(&free_after, &total));
  CHECK(free_after == free_before);
}

static long resident_kib(void) {
  char text[4096];
  int fd = open("/proc/self/status", O_RDONLY);
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  CHECK(length > 0);
  text[length] = '\0';
  const char *line = strstr(text, "VmRSS:");
  CHECK(line);
  return strtol(line + 6, NULL, 10);
}

static void huge_memory_is_sparse(void) {
  setenv("GPU_IPC_SIM_MEMORY", "256 GiB", 1);
  start_driver();
  size_t total;
  OK(cuDeviceTotalMem_v2(&total, 0));
  CHECK(total == 256ull << 30);
  CUdeviceptr big, copy;
  const size_t bytes = 100ull << 30;
  OK(cuMemAlloc_v2(&big, bytes));
  OK(cuMemAlloc_v2(&copy, bytes));
  OK(cuMemsetD8_v2(big, 0, bytes));
  char text[] = "the end";
  OK(cuMemcpyHtoD_v2(big + bytes - sizeof text, text, sizeof text));
  OK(cuMemcpyDtoD_v2(copy, big, bytes));
  memset(text, 0, sizeof text);
  OK(cuMemcpyDtoH_v2(text, copy + bytes - sizeof text, sizeof text));
  CHECK(strcmp(text, "the end") == 0);
  /* Reading what nobody wrote does not back it either. */
  static char buffer[16 << 20];
  for (size_t at = 0; at < 1ull << 30; at += sizeof buffer) OK(cuMemcpyDtoH_v2(buffer, big + at, sizeof buffer));
  CHECK(resident_kib() < 200000);
  CHECK_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&big, bytes));
}

static void copies_reach_every_kind(void) {
  start_driver();
  enum { BYTES = 3 << 20 };
  CUdeviceptr device, other, managed;
  void *locked;
  unsigned char *pattern = malloc(BYTES), *back = malloc(BYTES);
  CHECK(pattern && back);
  uint32_t random = 7;
  for (size_t i = 0; i < BYTES; i++) pattern[i] = (unsigned char)next_random(&random);
  OK(cuMemAlloc_v2(&device, BYTES));
  OK(cuMemAlloc_v2(&other, BYTES));
  OK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocHost_v2(&locked, BYTES));
  OK(cuMemcpyHtoD_v2(device, pattern, BYTES));
  OK(cuMemcpyDtoD_v2(other + 1, device, BYTES - 1));
  OK(cuMemcpyDtoD_v2(managed, other, BYTES));
  CHECK(memcmp((void *)(uintptr_t)(managed + 1), pattern, BYTES - 1) == 0);
  OK(cuMemcpyDtoH_v2(locked, managed, BYTES));
  OK(cuMemcpyHtoD_v2(device, locked, BYTES));
  OK(cuMemcpy((CUdeviceptr)(uintptr_t)back, device, BYTES));
  CHECK(memcmp(back + 1, pattern, BYTES - 1) == 0);
  OK(cuMemsetD32_v2(device + 4, 0x01020304, 100));
  OK(cuMemsetD16_v2(device + 8, 0xa0b0, 1));
  OK(cuMemcpyDtoH_v2(back, device, 16));
  const unsigned char expected[8] = {4, 3, 2, 1, 0xb0, 0xa0, 2, 1};
  CHECK(memcmp(back + 4, expected, 8) == 0);
  /* A zero fill that is large enough to punch a hole, at odd ends. */
  OK(cuMemsetD8_v2(device, 0xff, BYTES));
  OK(cuMemsetD8_v2(device + 5, 0, BYTES - 10));
  OK(cuMemcpyDtoH_v2(back, device, BYTES));
  CHECK(back[4] == 0xff && back[5] == 0 && back[BYTES - 6] == 0 && back[BYTES - 5] == 0xff);
  /* A host address of nobody is an error, not a crash, in both directions. */
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2((void *)4096, device, 16));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(device, (void *)4096, 16));
}

static void many_blocks_need_many_files(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 300;
  CHECK(limit.rlim_max >= 2000 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
  start_driver();
  CUdeviceptr pointer;
  for (int i = 0; i < 1500; i++) OK(cuMemAlloc_v2(&pointer, 2 << 20));
}

static void *allocate_and_free(void *argument) {
  uint32_t random = (uint32_t)(uintptr_t)argument;
  OK(cuCtxSetCurrent((CUcontext)NULL));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  for (int i = 0; i < 2000; i++) {
    CUdeviceptr pointer;
    size_t size = 1 + next_random(&random) % 100000;
    unsigned char byte = (unsigned char)next_random(&random), back = 0;
    OK(cuMemAlloc_v2(&pointer, size));
    OK(cuMemsetD8_v2(pointer, byte, size));
    CUipcMemHandle handle;
    OK(cuIpcGetMemHandle(&handle, pointer));
    OK(cuMemcpyDtoH_v2(&back, pointer + size - 1, 1));
    CHECK(back == byte);
    OK(cuMemFree_v2(pointer));
  }
  return NULL;
}

static void threads_share_the_driver(void) {
  start_driver();
  pthread_t threads[8];
  for (uintptr_t i = 0; i < 8; i++) CHECK(pthread_create(&threads[i], NULL, allocate_and_free, (void *)(i + 1)) == 0);
  for (int i = 0; i < 8; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void many_pointers_are_found_fast(void) {
  start_driver();
  enum { COUNT = 10000 };
  static CUdeviceptr pointers[COUNT];
  for (int i = 0; i < COUNT; i++) OK(cuMemAlloc_v2(&pointers[i], 4096));
  uint64_t begun = sim_now_ns();
  for (int i = 0; i < COUNT; i++) {
    CUipcMemHandle handle;
    OK(cuIpcGetMemHandle(&handle, pointers[i] + 100));
  }
  /* A generous bound: it is far below 1 us each unless somebody makes it a linear search. */
  CHECK((sim_now_ns() - begun) / COUNT < 10000);
  for (int i = 0; i < COUNT; i += 2) OK(cuMemFree_v2(pointers[i]));
  for (int i = 1; i < COUNT; i += 2) OK(cuMemFree_v2(pointers[i]));
}

const test_case memory_tests[] = {{"objects are a set", objects_are_a_set},
                                  {"allocations keep apart", allocations_keep_apart},
                                  {"huge memory is sparse", huge_memory_is_sparse},
                                  {"copies reach every kind of memory", copies_reach_every_kind},
                                  {"many blocks raise the limit of open files", many_blocks_need_many_files},
                                  {"threads share the driver", threads_share_the_driver},
                                  {"many pointers are found fast", many_pointers_are_found_fast},
                                  {NULL, NULL}};
