/* Sharing events between processes with 64-byte handles. */
#include <string.h>

#include "contexts.h"
#include "control.h"
#include "events.h"

/* The layout seen in handles of driver 580. The driver looks at pid, table and slot; at the slot only when it is used. */
typedef struct {
  int32_t pid;
  uint32_t zero_4;
  uint64_t table;
  uint32_t slot;
  uint32_t zero_20[11];
} event_handle;
_Static_assert(sizeof(event_handle) == 64 && offsetof(event_handle, slot) == 16, "observed layout");

CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
  SIM_ENTER_ALWAYS(cuIpcGetEventHandle);
  if (!pHandle || !event) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = sim_check_ready();
  if (result != CUDA_SUCCESS) return result;
  CUcontext context;
  CUresult current = sim_current(&context);
  sim_lock_take();
  CUevent known;
  bool own = sim_event_resolve(event, &known) == CUDA_SUCCESS && known->slot && !known->imported;
  if (!own) result = CUDA_ERROR_INVALID_HANDLE;
  else if (current != CUDA_SUCCESS) result = current;
  /* The real driver crashes. */
  else if (context != known->context) result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS) {
    event_handle handle = {
        .pid = sim_own->pid, .table = sim_event_table_number(known->table), .slot = known->slot_index};
    memcpy(pHandle->reserved, &handle, sizeof handle);
  }
  sim_lock_drop();
  return result;
}

CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
  SIM_ENTER_CONTEXT(cuIpcOpenEventHandle);
  if (!phEvent) return CUDA_ERROR_INVALID_VALUE;
  event_handle parsed;
  memcpy(&parsed, handle.reserved, sizeof parsed);
  if (parsed.pid == sim_own->pid) return CUDA_ERROR_INVALID_CONTEXT;
  sim_lock_take();
  CUresult result = CUDA_ERROR_MAP_FAILED;
  sim_event_table *table = sim_event_table_open(parsed.pid, parsed.table);
  if (table) {
    CUevent event = sim_event_import(context, table, parsed.slot);
    result = event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    if (event) *phEvent = event;
    else sim_event_table_drop(table);
  }
  sim_lock_drop();
  return result;
}
