/* Other processes whose memory this one has open: their control tables, kept while something of theirs is open. */
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

/**
 * The living process with this RM client number, with one more reference; NULL when there is none. The number decides,
 * as in the driver; the pid of a handle only says where to look first. Holds sim_lock.
 */
sim_exporter *sim_exporter_find(uint32_t rm_client, int32_t probable_pid);
void sim_exporter_drop(sim_exporter *exporter);

#endif
