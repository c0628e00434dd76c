/*
 * Events. The state of an interprocess event is in its exporter's control table, so that every process that shares it
 * queries, waits for and records the same thing; a plain event's is in this process.
 */
#ifndef GPU_IPC_SIM_EVENTS_H
#define GPU_IPC_SIM_EVENTS_H

#include <sys/queue.h>

#include "exporters.h"
#include "sim.h"
#include "streams.h"

struct CUevent_st {
  CUcontext context;
  unsigned int flags;
  /** One for the caller's handle, one for each queued piece of work. */
  int references;
  /** Shared state of an interprocess event; NULL for a plain one. */
  sim_event_slot *slot;
  uint32_t slot_index;
  /** Whose slot it is; NULL for an own one. */
  sim_exporter *exporter;
  /** A plain event's state: number of records, and the newest one whose work is done. */
  uint64_t recorded;
  uint64_t completed;
  uint64_t completed_at_ns;
  LIST_ENTRY(CUevent_st) link;
};

/* All with sim_lock held. */
/** An event of the current context; takes over the exporter's reference when it succeeds. NULL without memory. */
CUevent sim_event_create(CUcontext context, unsigned int flags);
/** For an imported event: another process's slot. */
CUevent sim_event_import(CUcontext context, sim_exporter *exporter, uint32_t slot_index);
CUevent sim_event_known(CUevent handle);
void sim_events_free_context(CUcontext context);

#endif
