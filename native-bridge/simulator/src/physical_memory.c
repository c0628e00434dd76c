/* cuMemCreate and what can be done with its handle, but for mapping and sharing. */
#include "physical_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accounting.h"
#include "blocks.h"
#include "control.h"
#include "devices.h"
#include "pools.h"
#include "shareable_files.h"

#define PHYSICAL_FILE_NAME "gpu-ipc-sim.physical"
/* So that low descriptors stay free for select(). */
#define PHYSICAL_FD_MINIMUM 256

static LIST_HEAD(, sim_physical) all = LIST_HEAD_INITIALIZER(all);

sim_physical *sim_physical_of(CUmemGenericAllocationHandle handle) {
  sim_physical *one;
  LIST_FOREACH(one, &all, link) {
    if ((CUmemGenericAllocationHandle)(uintptr_t)one == handle) return one->handles > 0 ? one : NULL;
  }
  return NULL;
}

sim_physical *sim_physical_add(int device, uint64_t bytes, unsigned int handle_types, int fd) {
  sim_physical *physical = calloc(1, sizeof *physical);
  if (!physical) return NULL;
  *physical = (sim_physical){.handles = 1, .device = device, .bytes = bytes, .handle_types = handle_types, .fd = fd,
                             .entry = -1, .import_entry = -1};
  LIST_INSERT_HEAD(&all, physical, link);
  return physical;
}

static void end_when_unused(sim_physical *physical) {
  if (physical->handles > 0 || physical->uses > 0) return;
  LIST_REMOVE(physical, link);
  close(physical->fd);
  if (physical->entry >= 0) {
    sim_control_free_block((uint32_t)physical->entry);
    sim_accounting_release(physical->device, physical->bytes);
  }
  if (physical->import_entry >= 0) sim_control_free_import((uint32_t)physical->import_entry);
  free(physical);
}

void sim_physical_use(sim_physical *physical) { physical->uses += 1; }

void sim_physical_unuse(sim_physical *physical) {
  physical->uses -= 1;
  end_when_unused(physical);
}

static CUresult check_properties(const CUmemAllocationProp *prop, CUdevice *device) {
  if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = sim_check_location(&prop->location, device);
  if (result == CUDA_SUCCESS) result = sim_check_handle_types(prop->requestedHandleTypes);
  if (result != CUDA_SUCCESS) return result;
  bool fabric = prop->requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC;
  return fabric && !sim_fabric() ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option) {
  SIM_ENTER(cuMemGetAllocationGranularity);
  if (!granularity || !prop || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
  if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  CUdevice device;
  CUresult result = sim_check_location(&prop->location, &device);
  if (result == CUDA_SUCCESS) *granularity = SIM_GRANULE;
  return result;
}

/* Counted and entered in the own table. Holds sim_lock. */
static sim_physical *create(int device, uint64_t bytes, unsigned int handle_types) {
  if (!sim_accounting_reserve(device, bytes)) return NULL;
  static uint32_t counter;
  sim_file_facts facts = {
      .device = device, .handle_types = handle_types, .bytes = bytes, .counter = 0x80000000u | ++counter};
  int fd = sim_fd_above(sim_file_create(PHYSICAL_FILE_NAME, SIM_FILE_PHYSICAL, &facts), PHYSICAL_FD_MINIMUM);
  struct stat status;
  int64_t entry = -1;
  if (fd >= 0 && fstat(fd, &status) == 0) {
    entry = sim_control_add_block(fd, status.st_ino, device, bytes, SIM_PAGES_OF_NO_HANDLE, facts.counter);
  }
  sim_physical *physical = NULL;
  if (entry >= 0) {
    facts.entry = (uint32_t)entry;
    if (sim_file_describe(fd, &facts)) physical = sim_physical_add(device, bytes, handle_types, fd);
    if (physical) physical->entry = entry;
    else sim_control_free_block((uint32_t)entry);
  }
  if (!physical) {
    if (fd >= 0) close(fd);
    sim_accounting_release(device, bytes);
  }
  return physical;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags) {
  SIM_ENTER(cuMemCreate);
  if (!handle || !prop || flags != 0 || size == 0 || size % SIM_GRANULE != 0) return CUDA_ERROR_INVALID_VALUE;
  CUdevice device;
  CUresult result = check_properties(prop, &device);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  sim_physical *physical = create(sim_device_physical(device), size, prop->requestedHandleTypes);
  if (physical) *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
  sim_lock_drop();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  SIM_ENTER(cuMemRelease);
  sim_lock_take();
  sim_physical *physical = sim_physical_of(handle);
  if (physical) {
    physical->handles -= 1;
    end_when_unused(physical);
  }
  sim_lock_drop();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
  SIM_ENTER(cuMemRetainAllocationHandle);
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  const sim_allocation *allocation = sim_find((uint64_t)(uintptr_t)addr);
  sim_physical *physical = allocation ? allocation->block->backing : NULL;
  if (physical) {
    physical->handles += 1;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
  }
  sim_lock_drop();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
  SIM_ENTER(cuMemGetAllocationPropertiesFromHandle);
  if (!prop) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  const sim_physical *physical = sim_physical_of(handle);
  if (physical) {
    memset(prop, 0, sizeof *prop);
    prop->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    /* An import says nothing of how it can be shared. */
    unsigned int types = sim_physical_imported(physical) ? 0 : physical->handle_types;
    prop->requestedHandleTypes = (CUmemAllocationHandleType)types;
    prop->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop->location.id = sim_device_visible(physical->device);
  }
  sim_lock_drop();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
