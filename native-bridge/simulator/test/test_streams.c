/* Order of work on and between streams, events, and their ends. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static _Atomic uint32_t *host_word(void) {
  void *host;
  OK(cuMemAllocHost_v2(&host, 4096));
  return host;
}

static CUdeviceptr address(const volatile void *host) { return (CUdeviceptr)(uintptr_t)host; }

static void work_keeps_its_order(void) {
  start_driver();
  _Atomic uint32_t *gate = host_word(), *out = host_word();
  CUdeviceptr device;
  CUstream stream;
  OK(cuMemAlloc_v2(&device, 4096));
  OK(cuMemsetD8_v2(device, 0, 4096));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuStreamWaitValue32_v2(stream, address(gate), 1, CU_STREAM_WAIT_VALUE_EQ));
  for (uint32_t i = 1; i <= 100; i++) OK(cuMemsetD32Async(device, i, 1, stream));
  OK(cuMemcpyDtoHAsync_v2((void *)out, device, 4, stream));
  /* Pageable bytes are taken over at the call, so changing them afterwards changes nothing. */
  uint32_t pageable = 4711;
  OK(cuMemcpyHtoDAsync_v2(device, &pageable, 4, stream));
  pageable = 0;
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  uint32_t now = 9;
  OK(cuMemcpyDtoH_v2(&now, device, 4));
  CHECK(now == 0 && *out == 0);
  *gate = 1;
  OK(cuStreamSynchronize(stream));
  OK(cuStreamQuery(stream));
  CHECK(*out == 100);
  OK(cuMemcpyDtoH_v2(&now, device, 4));
  CHECK(now == 4711);
}

static void legacy_stream_orders_the_others(void) {
  start_driver();
  _Atomic uint32_t *gate = host_word();
  CUdeviceptr device;
  CUstream first, second;
  OK(cuMemAlloc_v2(&device, 4096));
  OK(cuMemsetD8_v2(device, 0, 4096));
  OK(cuStreamCreate(&first, CU_STREAM_DEFAULT));
  OK(cuStreamCreate(&second, CU_STREAM_DEFAULT));
  OK(cuStreamWaitValue32_v2(first, address(gate), 1, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuMemsetD32Async(device, 1, 1, first));
  OK(cuMemsetD32_v2(device, 2, 1));
  OK(cuMemsetD32Async(device + 4, 3, 1, second));
  OK(cuMemcpyDtoDAsync_v2(device + 8, device, 4, second));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
  *gate = 1;
  OK(cuCtxSynchronize());
  uint32_t words[3];
  OK(cuMemcpyDtoH_v2(words, device, sizeof words));
  CHECK(words[0] == 2 && words[1] == 3 && words[2] == 2);
}

static void events_order_streams(void) {
  start_driver();
  _Atomic uint32_t *gate = host_word();
  CUstream first, second;
  CUevent event, start, end;
  CUdeviceptr device;
  OK(cuMemAlloc_v2(&device, 4096));
  OK(cuMemsetD8_v2(device, 0, 4096));
  OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  OK(cuEventRecord(start, first));
  OK(cuStreamWaitValue32_v2(first, address(gate), 1, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuMemsetD32Async(device, 5, 1, first));
  OK(cuEventRecord(event, first));
  OK(cuEventRecord(end, first));
  OK(cuStreamWaitEvent(second, event, 0));
  OK(cuMemcpyDtoDAsync_v2(device + 4, device, 4, second));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  float milliseconds;
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, start, end));
  usleep(30000);
  *gate = 1;
  OK(cuEventSynchronize(event));
  OK(cuStreamSynchronize(second));
  uint32_t word;
  OK(cuMemcpyDtoH_v2(&word, device + 4, 4));
  CHECK(word == 5);
  OK(cuEventSynchronize(end));
  OK(cuEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 30 && milliseconds < 10000);
}

static void destroyed_things_finish_their_work(void) {
  start_driver();
  _Atomic uint32_t *gate = host_word(), *out = host_word();
  CUdeviceptr device;
  CUstream stream;
  CUevent event;
  OK(cuMemAlloc_v2(&device, 4 << 20));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&event, 0));
  OK(cuStreamWaitValue32_v2(stream, address(gate), 1, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuMemsetD32Async(device, 8, 1, stream));
  OK(cuMemcpyDtoHAsync_v2((void *)out, device, 4, stream));
  OK(cuEventRecord(event, stream));
  OK(cuStreamDestroy_v2(stream));
  CHECK_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuStreamQuery(stream));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  *gate = 1;
  OK(cuEventSynchronize(event));
  CHECK(*out == 8);
  OK(cuEventDestroy_v2(event));
  CHECK_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuEventQuery(event));
}

static void *open_gate_later(void *gate) {
  usleep(100000);
  atomic_store((_Atomic uint32_t *)gate, 1);
  return NULL;
}

/* As measured: freeing device or page-locked memory waits for all work of the context, freeing pool memory does not. */
static void frees_wait_for_work(void) {
  start_driver();
  for (int locked = 0; locked < 2; locked++) {
    _Atomic uint32_t *gate = host_word();
    CUdeviceptr device, pool;
    void *host;
    CUstream stream;
    pthread_t opener;
    OK(cuMemAlloc_v2(&device, 4096));
    OK(cuMemAllocHost_v2(&host, 4096));
    OK(cuMemAllocAsync(&pool, 4096, NULL));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamWaitValue32_v2(stream, address(gate), 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuMemFree_v2(pool));
    CHECK_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    CHECK(pthread_create(&opener, NULL, open_gate_later, (void *)gate) == 0);
    if (locked) OK(cuMemFreeHost(host));
    else OK(cuMemFree_v2(device));
    OK(cuStreamQuery(stream));
    CHECK(pthread_join(opener, NULL) == 0);
  }
}

static void contexts_take_their_work_along(void) {
  CUcontext primary = start_driver();
  for (int round = 0; round < 20; round++) {
    CUstream stream;
    CUevent event;
    CUdeviceptr device;
    _Atomic uint32_t *gate = host_word();
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc_v2(&device, 1 << 20));
    OK(cuStreamWaitValue32_v2(stream, address(gate), 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuMemsetD8Async(device, 1, 1 << 20, stream));
    OK(cuEventRecord(event, stream));
    OK(cuDevicePrimaryCtxReset_v2(0));
    CHECK_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuEventQuery(event));
    CHECK_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc_v2(&device, 4096));
    CUcontext again;
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    CHECK(again == primary);
  }
  size_t free_bytes, total;
  /* The dropped work lets its blocks go soon. */
  for (int i = 0; i < 200; i++) {
    OK(cuMemGetInfo_v2(&free_bytes, &total));
    if (free_bytes == total) return;
    usleep(5000);
  }
  CHECK(free_bytes == total);
}

static void *use_streams(void *argument) {
  uint32_t random = (uint32_t)(uintptr_t)argument;
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  _Atomic uint32_t *out = host_word();
  CUdeviceptr device;
  OK(cuMemAlloc_v2(&device, 4096));
  for (int i = 0; i < 300; i++) {
    CUstream stream;
    CUevent event;
    OK(cuStreamCreate(&stream, next_random(&random) & 1));
    OK(cuEventCreate(&event, next_random(&random) & 1 ? 6 : 0));
    uint32_t number = next_random(&random);
    OK(cuMemsetD32Async(device, number, 1, stream));
    OK(cuMemcpyDtoHAsync_v2((void *)out, device, 4, stream));
    OK(cuEventRecord(event, stream));
    if (next_random(&random) & 1) OK(cuStreamWaitEvent(NULL, event, 0));
    if (next_random(&random) & 1) OK(cuEventSynchronize(event));
    else OK(cuStreamSynchronize(stream));
    CHECK(*out == number);
    OK(cuEventDestroy_v2(event));
    OK(cuStreamDestroy_v2(stream));
  }
  return NULL;
}

static void threads_use_streams(void) {
  start_driver();
  pthread_t threads[6];
  for (uintptr_t i = 0; i < 6; i++) CHECK(pthread_create(&threads[i], NULL, use_streams, (void *)(i + 77)) == 0);
  for (int i = 0; i < 6; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void called_back(void *data) { *(int *)data += 1; }

static void host_functions_run_in_order(void) {
  start_driver();
  CUstream stream;
  int calls = 0;
  OK(cuStreamCreate(&stream, 0));
  for (int i = 0; i < 5; i++) OK(cuLaunchHostFunc(stream, called_back, &calls));
  OK(cuStreamSynchronize(stream));
  CHECK(calls == 5);
}

const test_case stream_tests[] = {{"work keeps its order", work_keeps_its_order},
                                  {"the legacy stream orders the others", legacy_stream_orders_the_others},
                                  {"events order streams", events_order_streams},
                                  {"destroyed things finish their work", destroyed_things_finish_their_work},
                                  {"frees wait for work", frees_wait_for_work},
                                  {"contexts take their work along", contexts_take_their_work_along},
                                  {"threads use streams", threads_use_streams},
                                  {"host functions run in order", host_functions_run_in_order},
                                  {NULL, NULL}};
