/* Forks, several devices, environment variables. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void forked_children_are_refused(void) {
  start_driver();
  CUdeviceptr pointer;
  CUstream stream;
  OK(cuMemAlloc_v2(&pointer, 4096));
  OK(cuMemsetD8_v2(pointer, 7, 4096));
  OK(cuStreamCreate(&stream, 0));
  OK(cuMemsetD8Async(pointer, 8, 1, stream));
  OK(cuStreamSynchronize(stream));
  for (int i = 0; i < 20; i++) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      int count;
      char buffer[16];
      CUcontext context;
      bool refused = cuInit(0) == CUDA_ERROR_NOT_INITIALIZED && cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
                     cuMemcpyDtoH_v2(buffer, pointer, 16) == CUDA_ERROR_NOT_INITIALIZED &&
                     cuStreamSynchronize(stream) == CUDA_ERROR_NOT_INITIALIZED &&
                     cuMemFree_v2(pointer) == CUDA_ERROR_NOT_INITIALIZED &&
                     cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED;
      /* A program that is started from here is a process of its own. */
      if (refused && i == 19) execl("/proc/self/exe", "simulator-tests", "events order streams", (char *)NULL);
      _exit(refused ? 0 : 1);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  }
  unsigned char byte = 0;
  OK(cuMemcpyDtoH_v2(&byte, pointer + 1, 1));
  CHECK(byte == 7);
}

static void fork_before_start_is_fine(void) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    start_driver();
    _exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  start_driver();
}

static void several_devices_stand_apart(void) {
  setenv("GPU_IPC_SIM_DEVICES", "4", 1);
  setenv("GPU_IPC_SIM_MEMORY", "1GiB", 1);
  setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
  OK(cuInit(0));
  int count, access;
  OK(cuDeviceGetCount(&count));
  CHECK(count == 2);
  char first[64], second[64];
  OK(cuDeviceGetPCIBusId(first, sizeof first, 0));
  OK(cuDeviceGetPCIBusId(second, sizeof second, 1));
  CHECK(strcmp(first, "0000:00:03.0") == 0 && strcmp(second, "0000:00:01.0") == 0);
  OK(cuDeviceCanAccessPeer(&access, 0, 1));
  CHECK(access == 1);
  CUcontext contexts[2];
  CUdeviceptr pointers[2];
  for (int i = 0; i < 2; i++) {
    OK(cuDevicePrimaryCtxRetain(&contexts[i], i));
    OK(cuCtxSetCurrent(contexts[i]));
    OK(cuMemAlloc_v2(&pointers[i], 700u << 20));
    int ordinal = -1;
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointers[i]));
    CHECK(ordinal == i);
  }
  OK(cuCtxEnablePeerAccess(contexts[0], 0));
  CHECK_RESULT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(contexts[0], 0));
  CHECK_RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(contexts[1], 0));
  OK(cuMemsetD8_v2(pointers[1], 3, 4096));
  OK(cuMemcpyPeer(pointers[0], contexts[0], pointers[1], contexts[1], 4096));
  unsigned char byte = 0;
  OK(cuMemcpyDtoH_v2(&byte, pointers[0] + 4095, 1));
  CHECK(byte == 3);
  OK(cuCtxDisablePeerAccess(contexts[0]));
  CHECK_RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(contexts[0]));
}

/* An importer that does not see the exporter's device opens its memory all the same, as its own device's. */
static void hidden_devices_are_shared(void) {
  setenv("GPU_IPC_SIM_DEVICES", "2", 1);
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  child source = start_child("exporter");
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  start_driver();
  struct {
    CUipcMemHandle large;
    CUipcMemHandle small;
    CUipcEventHandle event;
  } theirs;
  CHECK(receive_bytes(source.from, &theirs, sizeof theirs));
  CUdeviceptr pointer;
  CUevent event;
  OK(cuIpcOpenMemHandle_v2(&pointer, theirs.large, 1));
  int ordinal = -1;
  OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
  CHECK(ordinal == 0);
  OK(cuIpcOpenEventHandle(&event, theirs.event));
  OK(cuEventRecord(event, NULL));
  OK(cuEventQuery(event));
  size_t free_bytes, total;
  OK(cuMemGetInfo_v2(&free_bytes, &total));
  /* The memory is the other device's. */
  CHECK(free_bytes == total);
  CHECK(end_child(&source) == 0);
}

static void delays_are_injected(void) {
  if (!getenv("GPU_IPC_SIM_DELAY")) {
    setenv("GPU_IPC_SIM_DELAY", "cuMemAlloc_v2=120,,bad,cuMemFree_v2=x,cuCtxSynchronize=60", 1);
    execl("/proc/self/exe", "simulator-tests", "delays are injected", (char *)NULL);
    CHECK(false);
  }
  start_driver();
  CUdeviceptr pointer;
  uint64_t begun = sim_now_ns();
  OK(cuMemAlloc_v2(&pointer, 4096));
  CHECK(sim_now_ns() - begun >= 120000000);
  begun = sim_now_ns();
  OK(cuMemFree_v2(pointer));
  CHECK(sim_now_ns() - begun < 60000000);
  OK(cuCtxSynchronize());
  CHECK(sim_now_ns() - begun >= 60000000);
}

const test_case process_tests[] = {{"forked children are refused", forked_children_are_refused},
                                   {"a fork before the start is fine", fork_before_start_is_fine},
                                   {"several devices stand apart", several_devices_stand_apart},
                                   {"memory of hidden devices is shared", hidden_devices_are_shared},
                                   {"delays are injected", delays_are_injected},
                                   {NULL, NULL}};
