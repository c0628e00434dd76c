/*
 * Physical memory between processes: its memfd, which keeps it alive as long as anybody has it open, or a fabric handle,
 * 64 bytes that name it. The layout of those is the simulator's own: nobody measured a machine with an IMEX channel.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"
#include "exporters.h"
#include "physical_memory.h"
#include "shareable_files.h"

/* So that low descriptors stay free for select(). */
#define PHYSICAL_FD_MINIMUM 256
#define FABRIC_MAGIC 0x6369726261666d73ull

typedef struct {
  uint64_t magic;
  uint64_t token;
  uint32_t rm_client;
  int32_t pid;
  uint32_t entry;
  uint32_t counter;
  uint8_t zero_32[32];
} fabric_data;
_Static_assert(sizeof(fabric_data) == 64, "the size of a CUmemFabricHandle");

bool sim_fabric(void) {
  const char *text = getenv("GPU_IPC_SIM_FABRIC");
  return text && strcmp(text, "1") == 0;
}

static CUresult export_descriptor(int *descriptor, const sim_physical *physical) {
  int shared = sim_file_share(physical->fd);
  if (shared < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *descriptor = shared;
  return CUDA_SUCCESS;
}

static void export_fabric(void *handle, const sim_physical *physical) {
  fabric_data data = {.magic = FABRIC_MAGIC,
                      .token = sim_own->token,
                      .rm_client = sim_own->rm_client,
                      .pid = sim_own->pid,
                      .entry = (uint32_t)physical->entry,
                      .counter = sim_own->blocks[physical->entry].counter};
  memcpy(handle, &data, sizeof data);
}

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType, unsigned long long flags) {
  SIM_ENTER(cuMemExportToShareableHandle);
  if (!shareableHandle || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && handleType != CU_MEM_HANDLE_TYPE_FABRIC) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_take();
  const sim_physical *physical = sim_physical_of(handle);
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  /* What was imported is not exported again. */
  if (physical && !sim_physical_imported(physical) && (physical->handle_types & handleType)) {
    result = CUDA_SUCCESS;
    if (handleType == CU_MEM_HANDLE_TYPE_FABRIC) export_fabric(shareableHandle, physical);
    else result = export_descriptor(shareableHandle, physical);
  }
  sim_lock_drop();
  return result;
}

/* With a descriptor of its own: the caller may close the one it gave. Holds sim_lock. */
static sim_physical *import(int caller_fd, const sim_file_facts *facts) {
  int fd = fcntl(caller_fd, F_DUPFD_CLOEXEC, PHYSICAL_FD_MINIMUM);
  if (fd < 0) return NULL;
  sim_physical *physical = sim_physical_add(facts->device, facts->bytes, facts->handle_types, fd);
  if (!physical) {
    close(fd);
    return NULL;
  }
  /* Its own too: it counts once, as the owner's, and here when the owner lets go of it. */
  physical->import_entry =
      sim_control_add_import(facts->token, facts->entry, facts->counter, facts->device, facts->bytes);
  return physical;
}

static CUresult import_file(CUmemGenericAllocationHandle *handle, int fd) {
  sim_file_facts facts;
  CUresult result = sim_file_read(fd, SIM_FILE_PHYSICAL, &facts);
  if (result != CUDA_SUCCESS) return result;
  sim_physical *physical = import(fd, &facts);
  if (!physical) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
  return CUDA_SUCCESS;
}

/* The memfd of a block in the process that has it, which may be this one; -1 when it is there no more. */
static int open_block(const sim_control *control, int32_t pid, const fabric_data *data) {
  const sim_block_entry *entry = &control->blocks[data->entry];
  if (atomic_load(&entry->state) != SIM_ENTRY_LIVE || entry->counter != data->counter) return -1;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, entry->fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == entry->inode) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

static CUresult import_fabric(CUmemGenericAllocationHandle *handle, const void *bytes) {
  fabric_data data;
  memcpy(&data, bytes, sizeof data);
  if (data.magic != FABRIC_MAGIC || data.entry >= SIM_BLOCK_ENTRIES) return CUDA_ERROR_INVALID_VALUE;
  int fd = -1;
  if (data.token == sim_own->token) fd = open_block(sim_own, sim_own->pid, &data);
  else {
    sim_exporter *exporter = sim_exporter_find(data.rm_client, data.pid);
    if (exporter && exporter->token == data.token) fd = open_block(exporter->control, exporter->pid, &data);
    if (exporter) sim_exporter_drop(exporter);
  }
  if (fd < 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = import_file(handle, fd);
  close(fd);
  return result;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  SIM_ENTER(cuMemImportFromShareableHandle);
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  bool fabric = shHandleType == CU_MEM_HANDLE_TYPE_FABRIC;
  if (fabric && !osHandle) return CUDA_ERROR_INVALID_VALUE;
  if (fabric && !sim_fabric()) return CUDA_ERROR_NOT_PERMITTED;
  if (!fabric && shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = fabric ? import_fabric(handle, osHandle) : import_file(handle, (int)(intptr_t)osHandle);
  sim_lock_drop();
  return result;
}
