/*
 * Tables of interprocess events. Each context has one (more when it is full), as in the driver; each is a memfd, so that
 * every process that shares an event queries, waits for and records the same thing. The driver keeps them as files that
 * outlast their process; here a table lives as long as some process has it open, and others find it there.
 */
#ifndef GPU_IPC_SIM_EVENT_TABLES_H
#define GPU_IPC_SIM_EVENT_TABLES_H

#include "sim.h"

#define SIM_EVENT_SLOTS 4096u

/**
 * An interprocess event. `recorded` counts records begun by anyone, `completed` is the newest record whose work is
 * done; the event is ready when the two agree. A recorder that is killed leaves them apart for ever.
 */
typedef struct {
  _Atomic uint32_t recorded;
  /** A futex word. */
  _Atomic uint32_t completed;
} sim_event_slot;

typedef struct sim_event_table sim_event_table;

/* All with sim_lock held. */
/** A free slot for a new event of a context, the highest one; NULL when there is none to be had. */
sim_event_slot *sim_event_slot_take(CUcontext context, sim_event_table **table, uint32_t *index);
/** The event is destroyed. The slot is taken again at once, unless a record of it is still pending. */
void sim_event_slot_give_back(sim_event_table *table, uint32_t index);
/** The context is gone: its tables wait for another one. What other processes hold of them stays. */
void sim_event_tables_free_context(CUcontext context);

/** Table `number` of another process, living or not, with one more reference; NULL when nobody has it open. */
sim_event_table *sim_event_table_open(int32_t pid, uint64_t number);
void sim_event_table_drop(sim_event_table *table);

uint32_t sim_event_table_number(const sim_event_table *table);
/** A slot of a table, whether an event is there or not; NULL outside the table. */
sim_event_slot *sim_event_slot_at(sim_event_table *table, uint32_t index);

/** In a forked child: the mappings stay, because the driver answers queries there too. */
void sim_event_tables_close_in_child(void);

#endif
