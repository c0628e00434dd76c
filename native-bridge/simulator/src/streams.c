/* Queues, worker threads and the order between streams. */
#include "streams.h"

#include <signal.h>
#include <stdlib.h>

#include "blocks.h"
#include "objects.h"

static LIST_HEAD(, CUstream_st) streams = LIST_HEAD_INITIALIZER(streams);

#define WORKER_STACK (256u << 10)

static void stream_hold(CUstream stream) { stream->references += 1; }
static void stream_drop(CUstream stream) {
  if (--stream->references > 0) return;
  pthread_cond_destroy(&stream->wake);
  free(stream);
}

CUstream sim_stream_create(CUcontext context, unsigned int flags, int priority, bool legacy) {
  CUstream stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  if (!sim_object_add(stream, SIM_OBJECT_STREAM)) {
    free(stream);
    return NULL;
  }
  stream->context = context;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = sim_next_id();
  stream->legacy = legacy;
  stream->ordered = legacy || !(flags & CU_STREAM_NON_BLOCKING);
  stream->references = 1;
  pthread_cond_init(&stream->wake, NULL);
  LIST_INSERT_HEAD(&streams, stream, link);
  return stream;
}

/* No handle leads here any more; what is queued still runs unless `abort`. */
static void retire(CUstream stream, bool abort) {
  sim_object_remove(stream, SIM_OBJECT_STREAM);
  stream->destroyed = true;
  if (abort) atomic_store(&stream->aborted, true);
  pthread_cond_signal(&stream->wake);
  if (!stream->has_worker) LIST_REMOVE(stream, link);
  stream_drop(stream);
}

static CUstream per_thread_stream(CUcontext context) {
  CUstream stream;
  LIST_FOREACH(stream, &streams, link) {
    if (stream->per_thread && stream->context == context && !stream->destroyed &&
        pthread_equal(stream->thread, pthread_self())) {
      return stream;
    }
  }
  stream = sim_stream_create(context, CU_STREAM_DEFAULT, 0, false);
  if (stream) {
    stream->per_thread = true;
    stream->thread = pthread_self();
  }
  return stream;
}

/* The driver follows any pointer to what should be a context. */
static CUresult unknown_stream(CUstream handle) {
  return sim_object_ever(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_stream_resolve(CUstream handle, CUstream *stream) {
  if (handle != NULL && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) {
    if (!sim_object_known(handle, SIM_OBJECT_STREAM)) return unknown_stream(handle);
    *stream = handle;
    return CUDA_SUCCESS;
  }
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  *stream = handle == CU_STREAM_PER_THREAD ? per_thread_stream(context) : context->legacy;
  return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool unfinished(CUstream stream) { return stream->completed < stream->submitted; }

bool sim_stream_idle(CUstream stream) {
  if (unfinished(stream)) return false;
  if (stream->legacy) return atomic_load(&stream->context->pending) == 0;
  return !stream->ordered || !stream->context->legacy || !unfinished(stream->context->legacy);
}

/* Streams whose unfinished work comes before new work on `stream`. */
static bool comes_before(CUstream other, CUstream stream) {
  if (other == stream || other->context != stream->context || !unfinished(other)) return false;
  return stream->legacy ? other->ordered : stream->ordered && other->legacy;
}

/* Each with its stream held. NULL without any; *count is SIZE_MAX when memory ran out. */
static sim_dependency *collect_dependencies(CUstream stream, size_t *count) {
  CUstream other;
  size_t wanted = 0;
  LIST_FOREACH(other, &streams, link) wanted += comes_before(other, stream);
  *count = wanted;
  if (!wanted) return NULL;
  sim_dependency *dependencies = calloc(wanted, sizeof *dependencies);
  if (!dependencies) {
    *count = SIZE_MAX;
    return NULL;
  }
  size_t at = 0;
  LIST_FOREACH(other, &streams, link) {
    if (!comes_before(other, stream)) continue;
    stream_hold(other);
    dependencies[at++] = (sim_dependency){other, other->submitted};
  }
  return dependencies;
}

static void drop_dependencies(sim_dependency *dependencies, size_t count) {
  for (size_t i = 0; i < count; i++) stream_drop(dependencies[i].stream);
  free(dependencies);
}

static void *work_off(void *argument) {
  CUstream stream = argument;
  sim_lock_take();
  for (;;) {
    while (!stream->head && !stream->destroyed) pthread_cond_wait(&stream->wake, &sim_lock);
    sim_work *work = stream->head;
    if (!work) break;
    for (size_t i = 0; i < work->dependency_count; i++) {
      sim_dependency *before = &work->dependencies[i];
      while (before->stream->completed < before->ticket && !sim_stream_aborted(stream)) {
        pthread_cond_wait(&sim_progress, &sim_lock);
      }
    }
    bool ran = !sim_stream_aborted(stream);
    if (ran) {
      sim_lock_drop();
      work->run(work, stream);
      sim_lock_take();
    }
    stream->head = work->next;
    if (!stream->head) stream->tail = NULL;
    work->finish(work, ran);
    drop_dependencies(work->dependencies, work->dependency_count);
    free(work);
    stream->completed += 1;
    if (stream->ordered) atomic_fetch_sub(&stream->context->pending, 1);
    pthread_cond_broadcast(&sim_progress);
  }
  LIST_REMOVE(stream, link);
  stream_drop(stream);
  sim_lock_drop();
  return NULL;
}

/* Signals belong to the program's own threads. */
static bool start_worker(CUstream stream) {
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, WORKER_STACK);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&thread, &attributes, work_off, stream) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!started) return false;
  pthread_setname_np(thread, "gpu-ipc-sim");
  stream->has_worker = true;
  stream_hold(stream);
  return true;
}

CUresult sim_stream_submit(CUstream stream, sim_work *work) {
  work->next = NULL;
  work->dependencies = collect_dependencies(stream, &work->dependency_count);
  if (work->dependency_count == SIZE_MAX) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!stream->has_worker && !start_worker(stream)) {
    drop_dependencies(work->dependencies, work->dependency_count);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (stream->tail) stream->tail->next = work;
  else stream->head = work;
  stream->tail = work;
  stream->submitted += 1;
  if (stream->ordered) atomic_fetch_add(&stream->context->pending, 1);
  pthread_cond_signal(&stream->wake);
  return CUDA_SUCCESS;
}

/* The caller holds the stream. */
static void wait_held(CUstream stream, uint64_t ticket) {
  while (stream->completed < ticket) pthread_cond_wait(&sim_progress, &sim_lock);
}

void sim_stream_wait(CUstream stream, uint64_t ticket) {
  stream_hold(stream);
  wait_held(stream, ticket);
  stream_drop(stream);
}

void sim_stream_wait_turn(CUstream stream) {
  if (sim_stream_idle(stream)) return;
  size_t count;
  sim_dependency *before = collect_dependencies(stream, &count);
  if (count == SIZE_MAX) count = 0;
  stream_hold(stream);
  uint64_t own = stream->submitted;
  for (size_t i = 0; i < count; i++) wait_held(before[i].stream, before[i].ticket);
  wait_held(stream, own);
  stream_drop(stream);
  drop_dependencies(before, count);
}

void sim_streams_wait_context(CUcontext context) {
  /* The list changes while waiting, so look again until nothing that was queued by now is left. */
  CUstream stream;
restart:
  LIST_FOREACH(stream, &streams, link) {
    if (stream->context != context || !unfinished(stream)) continue;
    sim_stream_wait(stream, stream->submitted);
    goto restart;
  }
}

void sim_streams_free_context(CUcontext context) {
  CUstream next;
  for (CUstream stream = LIST_FIRST(&streams); stream; stream = next) {
    next = LIST_NEXT(stream, link);
    if (stream->context != context) continue;
    if (stream->destroyed) atomic_store(&stream->aborted, true);
    else retire(stream, true);
  }
  pthread_cond_broadcast(&sim_progress);
}

static CUresult create(CUstream *phStream, unsigned int flags, int priority) {
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  if (!phStream || (flags & ~(unsigned int)CU_STREAM_NON_BLOCKING)) return CUDA_ERROR_INVALID_VALUE;
  if (priority > 0) priority = 0;
  if (priority < SIM_GREATEST_PRIORITY) priority = SIM_GREATEST_PRIORITY;
  sim_lock_take();
  CUstream stream = sim_stream_create(context, flags, priority, false);
  sim_lock_drop();
  if (!stream) return CUDA_ERROR_OUT_OF_MEMORY;
  *phStream = stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) {
  SIM_ENTER(cuStreamCreate);
  return create(phStream, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
  SIM_ENTER(cuStreamCreateWithPriority);
  return create(phStream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
  SIM_ENTER(cuStreamDestroy_v2);
  /* The default streams are no objects of the caller's. */
  if (!hStream || hStream == CU_STREAM_LEGACY || hStream == CU_STREAM_PER_THREAD) return CUDA_ERROR_INVALID_HANDLE;
  sim_lock_take();
  bool known = sim_object_known(hStream, SIM_OBJECT_STREAM) && !hStream->legacy && !hStream->per_thread;
  CUresult result = known ? CUDA_SUCCESS : unknown_stream(hStream);
  if (known) retire(hStream, false);
  sim_lock_drop();
  return result;
}

CUresult cuStreamSynchronize(CUstream hStream) {
  SIM_ENTER(cuStreamSynchronize);
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS) {
    CUcontext context = stream->context;
    uint64_t id = stream->id;
    if (stream->legacy) sim_stream_wait_turn(stream);
    else sim_stream_wait(stream, stream->submitted);
    sim_pools_synchronised(context, id);
  }
  sim_lock_drop();
  return result;
}

CUresult cuStreamQuery(CUstream hStream) {
  SIM_ENTER(cuStreamQuery);
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS && (stream->legacy ? !sim_stream_idle(stream) : unfinished(stream))) {
    result = CUDA_ERROR_NOT_READY;
  }
  sim_lock_drop();
  return result;
}

/* Facts about a stream, read under the lock. */
static CUresult facts(CUstream handle, struct CUstream_st *copy) {
  sim_lock_take();
  CUstream stream;
  CUresult result = sim_stream_resolve(handle, &stream);
  if (result == CUDA_SUCCESS) {
    copy->flags = stream->flags;
    copy->priority = stream->priority;
    copy->context = stream->context;
    copy->id = stream->id;
  }
  sim_lock_drop();
  return result;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
  SIM_ENTER(cuStreamGetFlags);
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  struct CUstream_st found;
  CUresult result = facts(hStream, &found);
  if (result == CUDA_SUCCESS) *flags = found.flags;
  return result;
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority) {
  SIM_ENTER(cuStreamGetPriority);
  if (!priority) return CUDA_ERROR_INVALID_VALUE;
  struct CUstream_st found;
  CUresult result = facts(hStream, &found);
  if (result == CUDA_SUCCESS) *priority = found.priority;
  return result;
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
  SIM_ENTER(cuStreamGetCtx);
  if (!pctx) return CUDA_ERROR_INVALID_VALUE;
  struct CUstream_st found;
  CUresult result = facts(hStream, &found);
  if (result == CUDA_SUCCESS) *pctx = found.context;
  return result;
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
  SIM_ENTER(cuStreamGetId);
  if (!streamId) return CUDA_ERROR_INVALID_VALUE;
  struct CUstream_st found;
  CUresult result = facts(hStream, &found);
  if (result == CUDA_SUCCESS) *streamId = found.id;
  return result;
}
