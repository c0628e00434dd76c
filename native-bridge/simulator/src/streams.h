/*
 * Streams: a queue and a worker thread each, so that unfinished work is really unfinished.
 *
 * The legacy (NULL) stream waits for all streams made without CU_STREAM_NON_BLOCKING, and they for it, as in CUDA.
 * Everything here is called with sim_lock held; a piece of work runs without it.
 */
#ifndef GPU_IPC_SIM_STREAMS_H
#define GPU_IPC_SIM_STREAMS_H

#include <sys/queue.h>

#include "contexts.h"
#include "sim.h"

/** Priorities run from 0 down to this one. */
#define SIM_GREATEST_PRIORITY (-5)

typedef struct sim_dependency {
  CUstream stream;
  uint64_t ticket;
} sim_dependency;

/** One piece of queued work; its owner puts this first in its own struct and allocates it with malloc. */
typedef struct sim_work {
  /** Does it, without the lock. Long waits look at sim_stream_aborted. */
  void (*run)(struct sim_work *work, CUstream stream);
  /** With the lock, after the work ran or was dropped (`ran` false): releases what it holds. Does not free `work`. */
  void (*finish)(struct sim_work *work, bool ran);
  /** The queue's. */
  struct sim_work *next;
  sim_dependency *dependencies;
  size_t dependency_count;
} sim_work;

struct CUstream_st {
  CUcontext context;
  unsigned int flags;
  int priority;
  unsigned long long id;
  bool legacy;
  /** Ordered with the legacy stream. */
  bool ordered;
  /** CU_STREAM_PER_THREAD of this thread. */
  bool per_thread;
  pthread_t thread;
  bool destroyed;
  atomic_bool aborted;
  int references;
  uint64_t submitted;
  uint64_t completed;
  sim_work *head;
  sim_work *tail;
  bool has_worker;
  pthread_cond_t wake;
  LIST_ENTRY(CUstream_st) link;
};

CUstream sim_stream_create(CUcontext context, unsigned int flags, int priority, bool legacy);
/** A caller's stream handle; NULL and CU_STREAM_LEGACY mean the current context's. */
CUresult sim_stream_resolve(CUstream handle, CUstream *stream);
/** Nothing is queued that new work on this stream would have to wait for. */
bool sim_stream_idle(CUstream stream);
/** Queues work, which then belongs to the stream. On failure the caller keeps it. */
CUresult sim_stream_submit(CUstream stream, sim_work *work);
/** Waits for everything that new work on this stream would have to wait for. */
void sim_stream_wait_turn(CUstream stream);
/** Waits for the work of one ticket (the value of `submitted` after it was queued). */
void sim_stream_wait(CUstream stream, uint64_t ticket);
void sim_streams_wait_context(CUcontext context);
/** Drops the queued work of a context's streams and ends them. */
void sim_streams_free_context(CUcontext context);
static inline bool sim_stream_aborted(CUstream stream) { return atomic_load(&stream->aborted); }

#endif
