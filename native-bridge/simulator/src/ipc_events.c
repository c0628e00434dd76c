/* Sharing events between processes with 64-byte handles. */
#include <string.h>

#include "contexts.h"
#include "events.h"

/* The layout seen in handles of driver 580. */
typedef struct {
  int32_t pid;
  uint32_t zero_4;
  uint32_t one;
  uint32_t zero_12;
  uint32_t slot;
  uint32_t zero_20[11];
} event_handle;
_Static_assert(sizeof(event_handle) == 64 && offsetof(event_handle, slot) == 16, "observed layout");

CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
  SIM_ENTER(cuIpcGetEventHandle);
  if (!pHandle) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUevent known = sim_event_known(event);
  bool own = known && known->slot && !known->exporter;
  if (own) {
    event_handle handle = {.pid = sim_own->pid, .one = 1, .slot = known->slot_index};
    memcpy(pHandle->reserved, &handle, sizeof handle);
  }
  sim_lock_drop();
  return own ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
  SIM_ENTER_CONTEXT(cuIpcOpenEventHandle);
  if (!phEvent) return CUDA_ERROR_INVALID_VALUE;
  event_handle parsed;
  memcpy(&parsed, handle.reserved, sizeof parsed);
  if (parsed.pid == sim_own->pid) return CUDA_ERROR_INVALID_CONTEXT;
  sim_lock_take();
  CUresult result = CUDA_ERROR_MAP_FAILED;
  CUevent event = NULL;
  sim_exporter *exporter = parsed.pid > 0 && parsed.one == 1 ? sim_exporter_of_pid(parsed.pid) : NULL;
  if (exporter) {
    result = CUDA_ERROR_INVALID_HANDLE;
    if (parsed.slot < SIM_EVENT_SLOTS) {
      sim_event_slot *slot = &exporter->control->events[parsed.slot];
      /* Counted before the look, so that the exporter cannot give the slot to a new event in between. */
      atomic_fetch_add(&slot->importers, 1);
      if (atomic_load(&slot->live)) {
        event = sim_event_import(context, exporter, parsed.slot);
        result = event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
      }
      if (!event) atomic_fetch_sub(&slot->importers, 1);
    }
    if (!event) sim_exporter_drop(exporter);
  }
  sim_lock_drop();
  if (event) *phEvent = event;
  return result;
}
