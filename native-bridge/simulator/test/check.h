/* The simulator's own tests: small cases linked with its sources, each run in a process of its own. */
#ifndef GPU_IPC_SIM_TEST_CHECK_H
#define GPU_IPC_SIM_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "../src/sim.h"

typedef struct {
  const char *name;
  void (*run)(void);
} test_case;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

#define CHECK_RESULT(expected, call)                                                                  \
  do {                                                                                                \
    CUresult check_result = (call);                                                                   \
    if (check_result != (expected)) {                                                                 \
      fprintf(stderr, "%s:%d: %s gave %d, not %s\n", __FILE__, __LINE__, #call, (int)check_result, #expected); \
      exit(1);                                                                                        \
    }                                                                                                 \
  } while (0)

#define OK(call) CHECK_RESULT(CUDA_SUCCESS, call)

/** cuInit, and the primary context of device 0 current. */
CUcontext start_driver(void);
/** A small generator, so that a failing run can be repeated: the same seed gives the same numbers. */
uint32_t next_random(uint32_t *state);

/** Runs this program again as a peer: `role` names one of the roles in roles.c. Pipes as stdin and stdout. */
typedef struct {
  pid_t pid;
  int to;
  int from;
} child;
child start_child(const char *role);
/** Exactly `bytes`; false at the end of the pipe. */
bool send_bytes(int fd, const void *from, size_t bytes);
bool receive_bytes(int fd, void *to, size_t bytes);
/** Closes the pipes and waits; the exit status, or 128 + signal. */
int end_child(child *one);
void kill_child(child *one);
int run_role(const char *role);

extern const test_case memory_tests[], stream_tests[], sharing_tests[], shareable_tests[], process_tests[], kernel_tests[];

#endif
