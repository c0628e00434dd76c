/* Physical memory without addresses (cuMemCreate, or imported): its handles, and how long it lives. */
#ifndef GPU_IPC_SIM_PHYSICAL_MEMORY_H
#define GPU_IPC_SIM_PHYSICAL_MEMORY_H

#include <sys/queue.h>

#include "sim.h"

/** Lives while it has handles or uses (mappings, and queued work of mappings that are gone). */
typedef struct sim_physical {
  /** Times that the handle must be released. */
  int handles;
  int uses;
  /** Index of the device on the machine. */
  int device;
  uint64_t bytes;
  unsigned int handle_types;
  /** A shareable file (shareable_files.h) with the bytes. */
  int fd;
  /** Created here: its entry in the own control table. Imported: the own table's note of it. The other is -1. */
  int64_t entry;
  int64_t import_entry;
  LIST_ENTRY(sim_physical) link;
} sim_physical;

static inline bool sim_physical_imported(const sim_physical *physical) { return physical->entry < 0; }

/** Whether there is an IMEX channel: GPU_IPC_SIM_FABRIC=1. Without one memory with a fabric handle is NOT_PERMITTED. */
bool sim_fabric(void);

/** All calls hold sim_lock. The handle is the object's address. */
sim_physical *sim_physical_of(CUmemGenericAllocationHandle handle);
/** Takes over `fd` when it succeeds; with one handle. NULL when memory runs out. */
sim_physical *sim_physical_add(int device, uint64_t bytes, unsigned int handle_types, int fd);
void sim_physical_use(sim_physical *physical);
void sim_physical_unuse(sim_physical *physical);

#endif
