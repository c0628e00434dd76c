/* Page-locked host memory: allocated by the driver, or the caller's own and registered. */
#include <sys/mman.h>
#include <unistd.h>

#include "blocks.h"
#include "contexts.h"
#include "streams.h"

static CUresult allocate(void **pp, size_t bytes, unsigned int flags) {
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  if (!pp) return CUDA_ERROR_INVALID_VALUE;
  if (bytes == 0) {
    *pp = NULL;
    return CUDA_SUCCESS;
  }
  sim_lock_take();
  sim_allocation *allocation = sim_allocate(SIM_KIND_HOST, context, context->device, bytes, &result);
  if (allocation) {
    allocation->host_flags = flags;
    *pp = (void *)(uintptr_t)allocation->base;
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize) {
  SIM_ENTER(cuMemAllocHost_v2);
  return allocate(pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  SIM_ENTER(cuMemHostAlloc);
  if (Flags & ~(unsigned int)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  /* With unified addressing all of it is mapped, and portable without being called so. */
  return allocate(pp, bytesize, (Flags & CU_MEMHOSTALLOC_WRITECOMBINED) | CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemFreeHost(void *p) {
  SIM_ENTER(cuMemFreeHost);
  CUcontext context;
  if (sim_current(&context) == CUDA_ERROR_CONTEXT_IS_DESTROYED) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!p) return CUDA_SUCCESS;
  uint64_t address = (uint64_t)(uintptr_t)p;
  sim_lock_take();
  sim_allocation *allocation = sim_find_own(address, 1u << SIM_KIND_HOST);
  if (allocation) {
    /* As for device memory, the driver waits for the context's work. */
    sim_streams_wait_context(allocation->block->context);
    allocation = sim_find_own(address, 1u << SIM_KIND_HOST);
  }
  if (allocation) sim_deallocate(allocation);
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Whether every page of the range is mapped into this process. */
static bool is_mapped(uint64_t address, uint64_t bytes) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t first = address / page * page;
  uint64_t end = SIM_ROUND_UP(address + bytes, page);
  unsigned char resident[1024];
  while (first < end) {
    uint64_t step = end - first < sizeof resident * page ? end - first : sizeof resident * page;
    if (mincore((void *)(uintptr_t)first, step, resident) != 0) return false;
    first += step;
  }
  return true;
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
  SIM_ENTER_CONTEXT(cuMemHostRegister_v2);
  const unsigned int known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                             CU_MEMHOSTREGISTER_READ_ONLY;
  uint64_t address = (uint64_t)(uintptr_t)p;
  if (!p || bytesize == 0 || (Flags & ~known) || bytesize > UINT64_MAX - address - (1u << 20)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!is_mapped(address, bytesize)) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = CUDA_SUCCESS;
  sim_allocation *there = sim_find(address);
  if (there && there->block->kind != SIM_KIND_REGISTERED) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) {
    sim_allocation *allocation = sim_register_host(context, context->device, p, bytesize);
    const unsigned int portable = CU_MEMHOSTREGISTER_PORTABLE;
    if (allocation) allocation->host_flags = (Flags & ~portable) | CU_MEMHOSTREGISTER_DEVICEMAP;
    else result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  sim_lock_drop();
  return result;
}

CUresult cuMemHostUnregister(void *p) {
  SIM_ENTER(cuMemHostUnregister);
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = (uint64_t)(uintptr_t)p;
  sim_lock_take();
  sim_allocation *allocation = sim_find(address);
  CUresult result = allocation ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (allocation && allocation->base == address && allocation->block->kind == SIM_KIND_REGISTERED) {
    /* As for what the driver allocated itself. */
    sim_streams_wait_context(allocation->block->context);
    allocation = sim_find_own(address, 1u << SIM_KIND_REGISTERED);
    if (allocation) sim_deallocate(allocation);
    result = CUDA_SUCCESS;
  }
  sim_lock_drop();
  return result;
}

/* Page-locked (or also managed) memory that holds this address. */
static sim_allocation *page_locked(const void *p, bool managed) {
  sim_allocation *allocation = p ? sim_find((uint64_t)(uintptr_t)p) : NULL;
  sim_kind kind = allocation ? allocation->block->kind : SIM_KIND_DEVICE;
  bool fits = kind == SIM_KIND_HOST || kind == SIM_KIND_REGISTERED || (managed && kind == SIM_KIND_MANAGED);
  return fits ? allocation : NULL;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  SIM_ENTER_CONTEXT(cuMemHostGetDevicePointer_v2);
  (void)context;
  if (!pdptr || Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  bool known = page_locked(p, false) != NULL;
  sim_lock_drop();
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  *pdptr = (CUdeviceptr)(uintptr_t)p;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p) {
  SIM_ENTER_CONTEXT(cuMemHostGetFlags);
  (void)context;
  if (!pFlags) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  sim_allocation *allocation = page_locked(p, true);
  if (allocation) *pFlags = allocation->host_flags;
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
