/* Other processes whose handles this one has opened: their control tables, kept while something of theirs is open. */
#ifndef GPU_IPC_SIM_EXPORTERS_H
#define GPU_IPC_SIM_EXPORTERS_H

#include "control.h"

typedef struct sim_exporter {
  sim_control *control;
  uint64_t token;
  int32_t pid;
  int references;
  struct sim_exporter *next;
} sim_exporter;

/** A living process by pid, with one more reference; NULL when no such simulator process lives. Holds sim_lock. */
sim_exporter *sim_exporter_of_pid(int32_t pid);
void sim_exporter_drop(sim_exporter *exporter);

#endif
