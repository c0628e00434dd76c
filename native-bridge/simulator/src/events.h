/*
 * Events. The state of an interprocess event is in a table that processes share (event_tables.h); a plain event's is in
 * this process.
 */
#ifndef GPU_IPC_SIM_EVENTS_H
#define GPU_IPC_SIM_EVENTS_H

#include <sys/queue.h>

#include "event_tables.h"
#include "sim.h"
#include "streams.h"

struct CUevent_st {
  CUcontext context;
  unsigned int flags;
  /** One for the caller's handle, one for each queued piece of work. */
  int references;
  /** Shared state of an interprocess event; NULL for a plain one, and for an imported one outside its table. */
  sim_event_slot *slot;
  uint32_t slot_index;
  sim_event_table *table;
  bool imported;
  /** A plain event's state: number of records, and the newest one whose work is done. */
  uint64_t recorded;
  uint64_t completed;
  uint64_t completed_at_ns;
  LIST_ENTRY(CUevent_st) link;
};

/* All with sim_lock held. */
/** An event of the current context. NULL without memory. */
CUevent sim_event_create(CUcontext context, unsigned int flags);
/**
 * An imported event: any slot of another process's table, as the driver does not look what is there. Takes over the
 * table's reference when it succeeds. NULL without memory.
 */
CUevent sim_event_import(CUcontext context, sim_event_table *table, uint32_t slot_index);
/**
 * A caller's event. INVALID_HANDLE for NULL; the driver follows any other pointer, so what was destroyed, or is something
 * else, gives CONTEXT_IS_DESTROYED (or a crash there), and garbage INVALID_CONTEXT.
 */
CUresult sim_event_resolve(CUevent handle, CUevent *event);
void sim_events_free_context(CUcontext context);

#endif
