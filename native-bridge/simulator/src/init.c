/* Initialisation: cuInit, cuDriverGetVersion, and what a forked child is told. */
#include "sim.h"

#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "blocks.h"
#include "control.h"
#include "devices.h"
#include "event_tables.h"
#include "machine.h"

pthread_mutex_t sim_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t sim_progress = PTHREAD_COND_INITIALIZER;
atomic_int sim_state = SIM_NOT_READY;
atomic_int sim_lost = CUDA_SUCCESS;

uint64_t sim_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

uint64_t sim_next_id(void) {
  static atomic_uint_least64_t last;
  return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/*
 * The real driver does not work in a forked child: its results are NOT_INITIALIZED there. The shared mappings are
 * marked MADV_DONTFORK, so the child could not touch the parent's state even if it wanted to; its copies of the fds go
 * at once, so that a long-lived child does not keep the parent's memory alive. Only tables of events stay mapped, for
 * cuEventQuery. The lock is held over the fork, so the tables that the child walks are whole.
 */
static void before_fork(void) { sim_lock_take(); }
static void after_fork_in_parent(void) { sim_lock_drop(); }
static void after_fork_in_child(void) {
  if (atomic_load(&sim_state) == SIM_READY) {
    atomic_store(&sim_state, SIM_FORKED);
    sim_block *block;
    TAILQ_FOREACH(block, &sim_blocks, link) {
      if (block->fd >= 0) close(block->fd);
    }
    sim_event_tables_close_in_child();
    sim_control_close_in_child();
    sim_machine_close_in_child();
  }
  sim_lock_drop();
}

CUresult cuInit(unsigned int Flags) {
  SIM_ENTER_ALWAYS(cuInit);
  int state = atomic_load(&sim_state);
  if (state == SIM_FORKED) return CUDA_ERROR_NOT_INITIALIZED;
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (state == SIM_READY) return CUDA_SUCCESS;

  sim_lock_take();
  CUresult result = CUDA_SUCCESS;
  if (atomic_load(&sim_state) == SIM_NOT_READY) {
    result = sim_devices_start();
    if (result == CUDA_SUCCESS && (!sim_arena_start() || !sim_control_start())) result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) {
      sim_machine_join();
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
      atomic_store(&sim_state, SIM_READY);
    }
  }
  sim_lock_drop();
  return result;
}

CUresult cuDriverGetVersion(int *driverVersion) {
  SIM_ENTER_ALWAYS(cuDriverGetVersion);
  if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = SIM_DRIVER_VERSION;
  return CUDA_SUCCESS;
}
