/*
 * What every file of the simulator shares: the driver ABI, the one lock, the entry check of exported calls.
 *
 * Locking: one mutex, `sim_lock`, protects every table and queue of the process; `sim_progress` is broadcast whenever a
 * piece of stream work completes. Bytes are copied outside the lock; whoever copies holds references to the blocks.
 */
#ifndef GPU_IPC_SIM_H
#define GPU_IPC_SIM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../abi/cuda_types.h"
#include "../abi/cuda_exports.h"

#define SIM_DRIVER_VERSION 13000
#define SIM_MAX_DEVICES 16
#define SIM_GRANULE (2ull << 20)

#define SIM_ROUND_UP(value, unit) ((((value) + (unit) - 1) / (unit)) * (unit))

extern pthread_mutex_t sim_lock;
extern pthread_cond_t sim_progress;

enum { SIM_NOT_READY = 0, SIM_READY = 1, SIM_FORKED = 2 };
/** SIM_READY after a successful cuInit; SIM_FORKED in a child that was forked from such a process. */
extern atomic_int sim_state;

/* delay.c: fault injection, GPU_IPC_SIM_DELAY="cuIpcOpenMemHandle_v2=4000,…" (milliseconds before the call works). */
extern bool sim_delays_set;
void sim_delay(const char *symbol);

static inline CUresult sim_check_ready(void) {
  return atomic_load_explicit(&sim_state, memory_order_relaxed) == SIM_READY ? CUDA_SUCCESS
                                                                              : CUDA_ERROR_NOT_INITIALIZED;
}

/**
 * CUDA_SUCCESS, or the error after which every call of this process fails: the GPU touched an address that is not
 * mapped. Only a new process helps then.
 */
extern atomic_int sim_lost;

/** First line of an exported call that works without cuInit. */
#define SIM_ENTER_ALWAYS(symbol)                       \
  do {                                                 \
    if (__builtin_expect(sim_delays_set, 0)) sim_delay(#symbol); \
  } while (0)

/** First line of every other exported call: injected delay, then CUDA_ERROR_NOT_INITIALIZED before cuInit. */
#define SIM_ENTER(symbol)                              \
  do {                                                 \
    SIM_ENTER_ALWAYS(symbol);                          \
    CUresult sim_ready_result = sim_check_ready();     \
    if (__builtin_expect(sim_ready_result != CUDA_SUCCESS, 0)) return sim_ready_result; \
  } while (0)

static inline void sim_lock_take(void) { pthread_mutex_lock(&sim_lock); }
static inline void sim_lock_drop(void) { pthread_mutex_unlock(&sim_lock); }

/** Monotonic time in nanoseconds. */
uint64_t sim_now_ns(void);
/** A process-wide number that is never given twice: buffer ids, block ids, stream ids. Starts at 1. */
uint64_t sim_next_id(void);

#endif
