/* Helpers of the tests, and the processes that they start. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

CUcontext start_driver(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  return context;
}

uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

child start_child(const char *role) {
  int to[2], from[2];
  CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
  child one = {.pid = fork(), .to = to[1], .from = from[0]};
  CHECK(one.pid >= 0);
  if (one.pid == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    execl("/proc/self/exe", "simulator-tests", "--role", role, (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  return one;
}

bool send_bytes(int fd, const void *from, size_t bytes) { return write(fd, from, bytes) == (ssize_t)bytes; }

bool receive_bytes(int fd, void *to, size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    ssize_t part = read(fd, (char *)to + got, bytes - got);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    got += (size_t)part;
  }
  return true;
}

static int wait_for(child *one) {
  int status;
  CHECK(waitpid(one->pid, &status, 0) == one->pid);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int end_child(child *one) {
  close(one->to);
  close(one->from);
  return wait_for(one);
}

void kill_child(child *one) {
  kill(one->pid, SIGKILL);
  wait_for(one);
  close(one->to);
  close(one->from);
}

/* What an exporter sends once: handles of a 4 MiB allocation (all 0xab), a 4 KiB one and an event. */
typedef struct {
  CUipcMemHandle large;
  CUipcMemHandle small;
  CUipcEventHandle event;
} exports;

static CUdeviceptr large, small;
static CUevent event;
static CUstream stream;
static _Atomic uint32_t *flag;

static void allocate_exports(exports *out) {
  OK(cuMemAlloc_v2(&large, 4 << 20));
  OK(cuMemAlloc_v2(&small, 4096));
  OK(cuMemsetD8_v2(large, 0xab, 4 << 20));
  OK(cuMemsetD8_v2(small, 0xcd, 4096));
  OK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  OK(cuIpcGetMemHandle(&out->large, large));
  OK(cuIpcGetMemHandle(&out->small, small));
  OK(cuIpcGetEventHandle(&out->event, event));
  void *host;
  OK(cuMemAllocHost_v2(&host, 4096));
  flag = host;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

/* Sends its exports, then obeys single letters: f free the large one, a allocate it again (all 0xee), b record the event behind blocked work, u unblock
   it, d destroy the event, each answered by one byte; ends at the end of the pipe. */
static int exporter(void) {
  exports mine;
  start_driver();
  allocate_exports(&mine);
  if (!send_bytes(1, &mine, sizeof mine)) return 1;
  char order, done = 'k';
  while (receive_bytes(0, &order, 1)) {
    if (order == 'f') OK(cuMemFree_v2(large));
    else if (order == 'b') {
      *flag = 0;
      OK(cuStreamWaitValue32_v2(stream, (CUdeviceptr)(uintptr_t)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
      OK(cuEventRecord(event, stream));
    } else if (order == 'u') *flag = 1;
    else if (order == 'd') OK(cuEventDestroy_v2(event));
    else if (order == 'a') {
      OK(cuMemAlloc_v2(&large, 4 << 20));
      OK(cuMemsetD8_v2(large, 0xee, 4 << 20));
    }
    if (!send_bytes(1, &done, 1)) return 1;
  }
  return 0;
}

/* Receives exports and opens and closes them in a loop, reading and writing, until it is killed or the exporter dies. */
static int hammer(void) {
  exports theirs;
  start_driver();
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  if (!receive_bytes(0, &theirs, sizeof theirs) || !send_bytes(1, "k", 1)) return 1;
  for (int round = 0;; round++) {
    CUdeviceptr pointer;
    CUresult result = cuIpcOpenMemHandle_v2(&pointer, round % 2 ? theirs.large : theirs.small, 1);
    if (result == CUDA_ERROR_INVALID_HANDLE || result == CUDA_ERROR_INVALID_VALUE) return 0;
    CHECK(result == CUDA_SUCCESS);
    uint32_t word = 0;
    OK(cuMemcpyDtoH_v2(&word, pointer, 4));
    CHECK(word == (round % 2 ? 0xababababu : 0xcdcdcdcdu));
    OK(cuMemcpyHtoD_v2(pointer, &word, 4));
    OK(cuIpcCloseMemHandle(pointer));
    CUevent imported;
    result = cuIpcOpenEventHandle(&imported, theirs.event);
    if (result != CUDA_SUCCESS) return 0;
    result = cuEventQuery(imported);
    CHECK(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY);
    /* A record of a shared event waits for the one before, and closing memory waits for the stream: behind a record that
       never completes this process would hang, as on a GPU. */
    if (result == CUDA_SUCCESS) OK(cuEventRecord(imported, stream));
    OK(cuEventDestroy_v2(imported));
  }
}

/* Opens what it receives (64 bytes), answers with the result as 4 bytes, then holds it open until the pipe ends. */
static int holder(void) {
  start_driver();
  CUipcMemHandle handle;
  CUdeviceptr pointer = 0;
  if (!receive_bytes(0, &handle, sizeof handle)) return 1;
  int32_t result = (int32_t)cuIpcOpenMemHandle_v2(&pointer, handle, 1);
  char last;
  if (!send_bytes(1, &result, sizeof result)) return 1;
  return receive_bytes(0, &last, 1);
}

/* Allocates as many bytes as it is told (8 bytes), answers with the result as 4 bytes, holds them until the pipe ends. */
static int taker(void) {
  start_driver();
  uint64_t bytes;
  if (!receive_bytes(0, &bytes, sizeof bytes)) return 1;
  CUdeviceptr pointer;
  int32_t result = (int32_t)cuMemAlloc_v2(&pointer, bytes);
  char last;
  if (!send_bytes(1, &result, sizeof result)) return 1;
  return receive_bytes(0, &last, 1);
}

int run_role(const char *role) {
  if (strcmp(role, "exporter") == 0) return exporter();
  if (strcmp(role, "hammer") == 0) return hammer();
  if (strcmp(role, "holder") == 0) return holder();
  if (strcmp(role, "taker") == 0) return taker();
  return 64;
}
