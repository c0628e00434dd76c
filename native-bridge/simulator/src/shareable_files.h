/*
 * The file descriptors that cuMemExportToShareableHandle and cuMemPoolExportToShareableHandle give: memfds whose last
 * page says what they are. That of virtual memory holds the bytes themselves before it, so the memory lives as long as
 * anybody has it open; that of a pool names the pool.
 */
#ifndef GPU_IPC_SIM_SHAREABLE_FILES_H
#define GPU_IPC_SIM_SHAREABLE_FILES_H

#include "sim.h"

typedef enum { SIM_FILE_PHYSICAL = 1, SIM_FILE_POOL = 2 } sim_file_kind;

/** What the last page begins with. The rest of it is zero. */
typedef struct {
  uint64_t magic;
  uint32_t layout;
  uint32_t kind;
  /** The process that made it: token, RM client and pid of its control table. */
  uint64_t token;
  uint32_t rm_client;
  int32_t pid;
  /** Index of the device on the machine, and as what it can be exported (CUmemAllocationHandleType bits). */
  int32_t device;
  uint32_t handle_types;
  /** Bytes before the last page. */
  uint64_t bytes;
  /** Virtual memory: its entry in the owner's control table, and that entry's counter. A pool: its number. */
  uint32_t entry;
  uint32_t counter;
} sim_file_facts;

/**
 * A new memfd of `facts->bytes` bytes, sealed against changes of its size. Fills in magic, layout, kind and the
 * process. -1 when there is none to be had. `facts->entry` and `counter` may be set later by sim_file_describe.
 */
int sim_file_create(const char *name, sim_file_kind kind, sim_file_facts *facts);
/** Writes the facts again. */
bool sim_file_describe(int fd, const sim_file_facts *facts);
/**
 * What a caller's descriptor is: CUDA_ERROR_UNKNOWN when it is not open or of another file, CUDA_ERROR_NOT_SUPPORTED for
 * the other kind.
 */
CUresult sim_file_read(int fd, sim_file_kind kind, sim_file_facts *facts);
/** One more descriptor of the file, for a caller to keep; -1 when there is none to be had. */
int sim_file_share(int fd);

#endif
