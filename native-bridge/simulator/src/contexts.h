/* Contexts: their state and each thread's stack of current ones. */
#ifndef GPU_IPC_SIM_CONTEXTS_H
#define GPU_IPC_SIM_CONTEXTS_H

#include <sys/queue.h>

#include "sim.h"

/**
 * Never freed once made: a stale pointer must still be told apart from garbage, and a primary context comes back.
 * The driver lets any pointer become current; here garbage becomes a context that is destroyed already.
 */
struct CUctx_st {
  CUdevice device;
  bool primary;
  atomic_bool alive;
  unsigned int flags;
  unsigned int api_version;
  unsigned long long id;
  /** Bytes 0-7 of the memory handles that are made while it is current. */
  uint64_t token;
  /** Retains of a primary context. */
  int retains;
  /** Devices whose contexts this one may access, as bits of machine indexes. */
  uint32_t peers;
  /** Queued work of the legacy stream and of the streams that wait for it. */
  atomic_int pending;
  CUstream legacy;
  CUcontext next;
};

#define SIM_CONTEXT_DEPTH 64
typedef struct {
  CUcontext stack[SIM_CONTEXT_DEPTH];
  int depth;
} sim_thread_contexts;
extern _Thread_local sim_thread_contexts sim_thread;

/** The calling thread's context. INVALID_CONTEXT without one, CONTEXT_IS_DESTROYED when it is gone. */
static inline CUresult sim_current(CUcontext *context) {
  CUcontext top = sim_thread.depth ? sim_thread.stack[sim_thread.depth - 1] : NULL;
  *context = top;
  if (!top) return CUDA_ERROR_INVALID_CONTEXT;
  if (!top->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return (CUresult)atomic_load_explicit(&sim_lost, memory_order_relaxed);
}

/** Entry of a call that needs a current context: declares `context`. */
#define SIM_ENTER_CONTEXT(symbol)                         \
  SIM_ENTER(symbol);                                      \
  CUcontext context;                                      \
  CUresult sim_context_result = sim_current(&context);    \
  if (sim_context_result != CUDA_SUCCESS) return sim_context_result

/** Whether a caller's pointer is, or was, a context. Holds sim_lock. */
bool sim_context_known(CUcontext context);

#endif
