/* Creating, recording, querying and waiting for events. */
#include "events.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "objects.h"

static LIST_HEAD(, CUevent_st) events = LIST_HEAD_INITIALIZER(events);

#define FLAGS_KNOWN (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)
/* How often a wait for another process looks whether its own stream is being ended. */
#define LOOK_UP_NS 20000000

static void futex_wait(_Atomic uint32_t *word, uint32_t seen) {
  struct timespec limit = {0, LOOK_UP_NS};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, NULL, 0);
}

static void futex_wake_all(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0); }

/* Record numbers wrap around. */
static bool reached(uint32_t completed, uint32_t target) { return (int32_t)(completed - target) >= 0; }

/* The number of the newest record: what a wait that begins now waits for. */
static uint64_t newest_record(CUevent event) {
  return event->slot ? atomic_load(&event->slot->recorded) : event->recorded;
}

static bool is_complete(CUevent event, uint64_t record) {
  if (event->slot) return reached(atomic_load(&event->slot->completed), (uint32_t)record);
  return event->completed >= record;
}

/* Whether nothing is before this record; always so for a plain event, whose newest record is all that counts. */
static bool comes_next(CUevent event, uint64_t record) {
  return !event->slot || reached(atomic_load(&event->slot->completed), (uint32_t)record - 1u);
}

static void complete(CUevent event, uint64_t record) {
  if (event->slot) {
    uint32_t now = atomic_load(&event->slot->completed);
    while (!reached(now, (uint32_t)record) &&
           !atomic_compare_exchange_weak(&event->slot->completed, &now, (uint32_t)record)) {
    }
    futex_wake_all(&event->slot->completed);
  } else if (event->completed < record) {
    event->completed = record;
    event->completed_at_ns = sim_now_ns();
  }
  pthread_cond_broadcast(&sim_progress);
}

static void event_drop(CUevent event) {
  if (--event->references > 0) return;
  if (event->imported) sim_event_table_drop(event->table);
  free(event);
}

static CUevent new_event(CUcontext context, unsigned int flags) {
  CUevent event = calloc(1, sizeof *event);
  if (!event) return NULL;
  event->context = context;
  event->flags = flags;
  event->references = 1;
  if (!sim_object_add(event, SIM_OBJECT_EVENT)) {
    free(event);
    return NULL;
  }
  LIST_INSERT_HEAD(&events, event, link);
  return event;
}

CUevent sim_event_create(CUcontext context, unsigned int flags) {
  CUevent event = new_event(context, flags);
  if (!event || !(flags & CU_EVENT_INTERPROCESS)) return event;
  event->slot = sim_event_slot_take(context, &event->table, &event->slot_index);
  if (event->slot) return event;
  sim_object_remove(event, SIM_OBJECT_EVENT);
  LIST_REMOVE(event, link);
  event_drop(event);
  return NULL;
}

CUevent sim_event_import(CUcontext context, sim_event_table *table, uint32_t slot_index) {
  CUevent event = new_event(context, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  if (!event) return NULL;
  event->slot_index = slot_index;
  event->slot = sim_event_slot_at(table, slot_index);
  event->table = table;
  event->imported = true;
  return event;
}

CUresult sim_event_resolve(CUevent handle, CUevent *event) {
  *event = handle;
  if (!handle) return CUDA_ERROR_INVALID_HANDLE;
  if (sim_object_known(handle, SIM_OBJECT_EVENT)) return (CUresult)atomic_load(&sim_lost);
  return sim_object_ever(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

/* For use: the driver opens any slot, and crashes when a number outside the table is used. This says so instead. */
static CUresult resolve_for_use(CUevent handle, CUevent *event) {
  CUresult result = sim_event_resolve(handle, event);
  if (result == CUDA_SUCCESS && (*event)->imported && !(*event)->slot) result = CUDA_ERROR_INVALID_HANDLE;
  return result;
}

static void destroy(CUevent event) {
  sim_object_remove(event, SIM_OBJECT_EVENT);
  LIST_REMOVE(event, link);
  if (event->slot && !event->imported) sim_event_slot_give_back(event->table, event->slot_index);
  event_drop(event);
}

void sim_events_free_context(CUcontext context) {
  CUevent next;
  for (CUevent event = LIST_FIRST(&events); event; event = next) {
    next = LIST_NEXT(event, link);
    if (event->context == context) destroy(event);
  }
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
  SIM_ENTER_CONTEXT(cuEventCreate);
  if (!phEvent || (Flags & ~(unsigned int)FLAGS_KNOWN)) return CUDA_ERROR_INVALID_VALUE;
  if ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUevent event = sim_event_create(context, Flags);
  sim_lock_drop();
  if (!event) return CUDA_ERROR_OUT_OF_MEMORY;
  *phEvent = event;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  SIM_ENTER(cuEventDestroy_v2);
  sim_lock_take();
  CUevent event;
  CUresult result = sim_event_resolve(hEvent, &event);
  if (result == CUDA_SUCCESS) destroy(event);
  sim_lock_drop();
  return result;
}

typedef struct {
  sim_work work;
  CUevent event;
  uint64_t record;
} event_work;

static void wait_for(CUevent event, uint64_t record, CUstream stream);

/* Records of an interprocess event come one after the other, whoever makes them: each waits for the one before it, in
   its stream. One whose process was killed holds up all later ones for ever. */
static void run_record(sim_work *work, CUstream stream) {
  event_work *record = (event_work *)work;
  if (!record->event->slot) return;
  sim_lock_take();
  wait_for(record->event, (uint32_t)record->record - 1u, stream);
  sim_lock_drop();
}

static void finish_record(sim_work *work, bool ran) {
  event_work *record = (event_work *)work;
  if (ran && comes_next(record->event, record->record)) complete(record->event, record->record);
  event_drop(record->event);
}

static CUresult submit(CUstream stream, CUevent event, uint64_t record, void (*run)(sim_work *, CUstream),
                       void (*finish)(sim_work *, bool)) {
  event_work *work = calloc(1, sizeof *work);
  if (!work) return CUDA_ERROR_OUT_OF_MEMORY;
  *work = (event_work){.work = {.run = run, .finish = finish}, .event = event, .record = record};
  CUresult result = sim_stream_submit(stream, &work->work);
  if (result == CUDA_SUCCESS) event->references += 1;
  else free(work);
  return result;
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  SIM_ENTER(cuEventRecordWithFlags);
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  /* External events are for stream capture. */
  if (flags == 1) return CUDA_ERROR_ILLEGAL_STATE;
  sim_lock_take();
  CUstream stream;
  CUevent event;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS) result = resolve_for_use(hEvent, &event);
  if (result == CUDA_SUCCESS && stream->context != event->context) result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) {
    uint64_t record = event->slot ? atomic_fetch_add(&event->slot->recorded, 1) + 1u : ++event->recorded;
    if (sim_stream_idle(stream) && comes_next(event, record)) complete(event, record);
    else result = submit(stream, event, record, run_record, finish_record);
  }
  sim_lock_drop();
  return result;
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  SIM_ENTER(cuEventRecord);
  return cuEventRecordWithFlags(hEvent, hStream, 0);
}

CUresult cuEventQuery(CUevent hEvent) {
  /* The one call that a forked child gets an answer from. */
  SIM_ENTER_ALWAYS(cuEventQuery);
  if (atomic_load(&sim_state) == SIM_NOT_READY) return CUDA_ERROR_NOT_INITIALIZED;
  sim_lock_take();
  CUevent event;
  CUresult result = resolve_for_use(hEvent, &event);
  if (result == CUDA_SUCCESS && !is_complete(event, newest_record(event))) result = CUDA_ERROR_NOT_READY;
  sim_lock_drop();
  return result;
}

/* Waits, with the lock, for one record. `stream` is the stream whose work this is, or NULL for a thread that calls. */
static void wait_for(CUevent event, uint64_t record, CUstream stream) {
  while (!is_complete(event, record) && !(stream && sim_stream_aborted(stream))) {
    if (!event->slot) {
      pthread_cond_wait(&sim_progress, &sim_lock);
      continue;
    }
    uint32_t seen = atomic_load(&event->slot->completed);
    if (reached(seen, (uint32_t)record)) break;
    sim_lock_drop();
    futex_wait(&event->slot->completed, seen);
    sim_lock_take();
  }
}

CUresult cuEventSynchronize(CUevent hEvent) {
  SIM_ENTER(cuEventSynchronize);
  sim_lock_take();
  CUevent event;
  CUresult result = resolve_for_use(hEvent, &event);
  if (result == CUDA_SUCCESS) {
    event->references += 1;
    wait_for(event, newest_record(event), NULL);
    event_drop(event);
  }
  sim_lock_drop();
  return result;
}

static void run_wait(sim_work *work, CUstream stream) {
  event_work *wait = (event_work *)work;
  sim_lock_take();
  wait_for(wait->event, wait->record, stream);
  sim_lock_drop();
}

static void finish_wait(sim_work *work, bool ran) {
  (void)ran;
  event_drop(((event_work *)work)->event);
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  SIM_ENTER(cuStreamWaitEvent);
  if (Flags > 1) return CUDA_ERROR_INVALID_VALUE;
  if (Flags == 1) return CUDA_ERROR_ILLEGAL_STATE;
  sim_lock_take();
  CUstream stream;
  CUevent event;
  CUresult result = sim_stream_resolve(hStream, &stream);
  if (result == CUDA_SUCCESS) result = resolve_for_use(hEvent, &event);
  /* The real driver crashes. */
  if (result == CUDA_SUCCESS && event->slot && stream->context != event->context) result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS) {
    uint64_t record = newest_record(event);
    if (!is_complete(event, record)) result = submit(stream, event, record, run_wait, finish_wait);
  }
  sim_lock_drop();
  return result;
}

static CUresult elapsed(float *milliseconds, CUevent hStart, CUevent hEnd) {
  sim_lock_take();
  CUevent start, end;
  CUresult result = sim_event_resolve(hStart, &start);
  if (result == CUDA_SUCCESS) result = sim_event_resolve(hEnd, &end);
  if (result != CUDA_SUCCESS || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)) result = CUDA_ERROR_INVALID_HANDLE;
  else if (!start->recorded || !end->recorded) result = CUDA_ERROR_INVALID_HANDLE;
  else if (!milliseconds) result = CUDA_ERROR_INVALID_VALUE;
  else if (!is_complete(start, start->recorded) || !is_complete(end, end->recorded)) result = CUDA_ERROR_NOT_READY;
  else *milliseconds = (float)((double)((int64_t)(end->completed_at_ns - start->completed_at_ns)) / 1e6);
  sim_lock_drop();
  return result;
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  SIM_ENTER(cuEventElapsedTime);
  return elapsed(pMilliseconds, hStart, hEnd);
}

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  SIM_ENTER(cuEventElapsedTime_v2);
  return elapsed(pMilliseconds, hStart, hEnd);
}
