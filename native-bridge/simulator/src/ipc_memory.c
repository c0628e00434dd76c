/* Sharing cuMemAlloc memory between processes with 64-byte handles. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blocks.h"
#include "contexts.h"
#include "devices.h"

/* The layout seen in handles of driver 580; little-endian, offsets 0, 8, 16, 24, 28, 32, 40, 48, 52. */
typedef struct {
  uint64_t token;
  int32_t pid;
  uint32_t zero_12;
  uint64_t size;
  uint32_t block_pages;
  uint32_t offset;
  uint8_t constants[8];
  uint32_t counter;
  uint32_t zero_44;
  uint32_t rm_client;
  uint32_t rm_object;
  uint64_t zero_56;
} memory_handle;
_Static_assert(sizeof(memory_handle) == 64 && offsetof(memory_handle, rm_client) == 48, "observed layout");

static const uint8_t constants[8] = {0x06, 0x00, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00};
#define PAGE 4096u
#define RM_OBJECT_BASE 0x5c000000u
#define RM_OBJECT_FIRST 0x20u

static uint32_t object_of_entry(int64_t entry) { return RM_OBJECT_BASE + RM_OBJECT_FIRST + (uint32_t)entry; }

/* The exporter's table index that an RM object number stands for, or SIM_BLOCK_ENTRIES. */
static uint32_t entry_of_object(uint32_t object) {
  uint32_t index = object - RM_OBJECT_BASE - RM_OBJECT_FIRST;
  return object >= RM_OBJECT_BASE + RM_OBJECT_FIRST && index < SIM_BLOCK_ENTRIES ? index : SIM_BLOCK_ENTRIES;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
  SIM_ENTER_CONTEXT(cuIpcGetMemHandle);
  (void)context;
  if (!pHandle) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  const sim_allocation *allocation = sim_find(dptr);
  bool capable = allocation && allocation->block->kind == SIM_KIND_DEVICE;
  if (capable) {
    const sim_block *block = allocation->block;
    /* The offset field has 32 bits; only blocks of 2 MiB hold more than one allocation. */
    memory_handle handle = {
        .token = sim_own->token,
        .pid = sim_own->pid,
        .size = allocation->size,
        .block_pages = (uint32_t)(block->bytes / PAGE),
        .offset = (uint32_t)(allocation->base - block->base),
        .counter = block->counter,
        .rm_client = sim_own->rm_client,
        .rm_object = object_of_entry(block->entry),
    };
    memcpy(handle.constants, constants, sizeof constants);
    memcpy(pHandle->reserved, &handle, sizeof handle);
  }
  sim_lock_drop();
  return capable ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The imported block of this handle on this device, if it is open here. */
static sim_block *already_open(const memory_handle *handle, CUdevice device) {
  sim_block *block;
  TAILQ_FOREACH(block, &sim_blocks, link) {
    if (block->kind != SIM_KIND_IMPORT || block->device != device) continue;
    const sim_exporter *exporter = block->exporter;
    if (exporter->token == handle->token && exporter->control->rm_client == handle->rm_client &&
        object_of_entry(block->entry) == handle->rm_object && exporter->pid == handle->pid) {
      return block;
    }
  }
  return NULL;
}

/* Opens the exporter's memfd of a block; -1 when the exporter is gone or the number is another file's by now. */
static int open_block_file(const sim_exporter *exporter, const sim_block_entry *entry) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", exporter->pid, entry->fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_ino != entry->inode)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Maps the whole block of another process. Holds sim_lock. */
static CUresult open_block(const memory_handle *handle, CUcontext context, sim_block **block) {
  sim_exporter *exporter = sim_exporter_of_pid(handle->pid);
  if (!exporter) return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = CUDA_ERROR_INVALID_HANDLE;
  if (exporter->token == handle->token && exporter->control->rm_client == handle->rm_client) {
    uint32_t index = entry_of_object(handle->rm_object);
    const sim_block_entry *entry = index < SIM_BLOCK_ENTRIES ? &exporter->control->blocks[index] : NULL;
    result = CUDA_ERROR_INVALID_VALUE;
    bool sound = entry && entry->bytes > 0 && entry->bytes % SIM_GRANULE == 0;
    if (sound && atomic_load(&entry->state) == SIM_ENTRY_LIVE && entry->bytes / PAGE == handle->block_pages) {
      int fd = open_block_file(exporter, entry);
      /* Freed, or the whole process gone, between the look at the table and the open. */
      if (fd < 0) result = atomic_load(&entry->state) == SIM_ENTRY_LIVE ? CUDA_ERROR_INVALID_HANDLE : result;
      else *block = sim_import_block(context, context->device, exporter, index, fd, &result);
      if (result == CUDA_SUCCESS) return CUDA_SUCCESS;
      if (fd >= 0) close(fd);
    }
  }
  sim_exporter_drop(exporter);
  return result;
}

static CUresult open_handle(CUdeviceptr *pdptr, const memory_handle *handle, CUcontext context) {
  sim_block *block = already_open(handle, context->device);
  if (block && block->context != context) return CUDA_ERROR_INVALID_HANDLE;
  bool fresh = !block;
  if (fresh) {
    CUresult result = open_block(handle, context, &block);
    if (result != CUDA_SUCCESS) return result;
  }
  bool inside = handle->size > 0 && handle->offset < block->bytes && handle->size <= block->bytes - handle->offset;
  sim_allocation *allocation = inside ? sim_import_allocation(block, handle->offset, handle->size) : NULL;
  if (!allocation) {
    if (fresh && !inside) sim_forget_import(block);
    return inside ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
  }
  allocation->opens += 1;
  *pdptr = allocation->base;
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  SIM_ENTER_CONTEXT(cuIpcOpenMemHandle_v2);
  memory_handle parsed;
  memcpy(&parsed, handle.reserved, sizeof parsed);
  if (!pdptr || !(Flags & CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) return CUDA_ERROR_INVALID_VALUE;
  if (memcmp(parsed.constants, constants, sizeof constants) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (parsed.pid == sim_own->pid) return CUDA_ERROR_INVALID_CONTEXT;
  sim_lock_take();
  CUresult result = open_handle(pdptr, &parsed, context);
  sim_lock_drop();
  return result;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  SIM_ENTER_CONTEXT(cuIpcCloseMemHandle);
  (void)context;
  sim_lock_take();
  sim_allocation *allocation = sim_find(dptr);
  bool imported = allocation && allocation->base == dptr && allocation->block->kind == SIM_KIND_IMPORT;
  /* Any context of the process may close. */
  if (imported && --allocation->opens == 0) sim_deallocate(allocation);
  sim_lock_drop();
  return imported ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
