/* Page-locked host memory: allocated by the driver, or the caller's own and registered. */
#include <sys/mman.h>
#include <unistd.h>

#include "blocks.h"
#include "contexts.h"

static CUresult allocate(void **pp, size_t bytes, unsigned int flags) {
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  if (!pp || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
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
  /* With unified addressing this memory is always portable and mapped. */
  return allocate(pp, bytesize, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  SIM_ENTER(cuMemHostAlloc);
  if (Flags & ~(unsigned int)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return allocate(pp, bytesize, Flags | CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemFreeHost(void *p) {
  SIM_ENTER_CONTEXT(cuMemFreeHost);
  (void)context;
  uint64_t address = (uint64_t)(uintptr_t)p;
  sim_lock_take();
  sim_allocation *allocation = p ? sim_find(address) : NULL;
  bool owned = allocation && allocation->base == address && allocation->block->kind == SIM_KIND_HOST;
  if (owned) sim_deallocate(allocation);
  sim_lock_drop();
  return owned ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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
  sim_allocation *allocation = sim_register_host(context, context->device, p, bytesize);
  if (allocation) allocation->host_flags = Flags | CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult cuMemHostUnregister(void *p) {
  SIM_ENTER_CONTEXT(cuMemHostUnregister);
  (void)context;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = (uint64_t)(uintptr_t)p;
  sim_lock_take();
  sim_allocation *allocation = sim_find(address);
  bool owned = allocation && allocation->base == address && allocation->block->kind == SIM_KIND_REGISTERED;
  if (owned) sim_deallocate(allocation);
  sim_lock_drop();
  return owned ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

/* Page-locked memory that holds this address. */
static sim_allocation *page_locked(const void *p) {
  sim_allocation *allocation = p ? sim_find((uint64_t)(uintptr_t)p) : NULL;
  bool host = allocation && (allocation->block->kind == SIM_KIND_HOST || allocation->block->kind == SIM_KIND_REGISTERED);
  return host ? allocation : NULL;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  SIM_ENTER_CONTEXT(cuMemHostGetDevicePointer_v2);
  (void)context;
  if (!pdptr || Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  bool known = page_locked(p) != NULL;
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
  sim_allocation *allocation = page_locked(p);
  if (allocation) *pFlags = allocation->host_flags;
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
