/* Physical memory between processes: its memfd, which keeps it alive as long as anybody has it open. */
#include <fcntl.h>
#include <unistd.h>

#include "control.h"
#include "physical_memory.h"
#include "shareable_files.h"

/* So that low descriptors stay free for select(). */
#define PHYSICAL_FD_MINIMUM 256

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType, unsigned long long flags) {
  SIM_ENTER(cuMemExportToShareableHandle);
  if (!shareableHandle || flags != 0 || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_take();
  const sim_physical *physical = sim_physical_of(handle);
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  /* What was imported is not exported again. */
  if (physical && !sim_physical_imported(physical) && (physical->handle_types & handleType)) {
    int shared = sim_file_share(physical->fd);
    if (shared >= 0) *(int *)shareableHandle = shared;
    result = shared >= 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
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

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  SIM_ENTER(cuMemImportFromShareableHandle);
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  if (shHandleType == CU_MEM_HANDLE_TYPE_FABRIC) return osHandle ? CUDA_ERROR_NOT_PERMITTED : CUDA_ERROR_INVALID_VALUE;
  if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
  int fd = (int)(intptr_t)osHandle;
  sim_file_facts facts;
  CUresult result = sim_file_read(fd, SIM_FILE_PHYSICAL, &facts);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  sim_physical *physical = import(fd, &facts);
  if (physical) *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
  sim_lock_drop();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
