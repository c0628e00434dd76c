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
#include "streams.h"

/*
 * The layout seen in handles of driver 580; little-endian, offsets 0, 8, 16, 24, 28, 32, 40, 48, 52. The driver finds
 * the memory by RM client and RM object, and maps as many pages as it says when the block has them. It does not look at
 * the token, nor at the pid but to refuse its own process's, and believes size and offset. What is open already it knows
 * by the counter too.
 */
typedef struct {
  uint64_t token;
  int32_t pid;
  uint32_t zero_12;
  uint64_t size;
  uint32_t block_pages;
  uint32_t offset;
  uint8_t constants[8];
  uint64_t counter;
  uint32_t rm_client;
  uint32_t rm_object;
  uint64_t zero_56;
} memory_handle;
_Static_assert(sizeof(memory_handle) == 64 && offsetof(memory_handle, rm_client) == 48, "observed layout");

static const uint8_t constants[8] = {0x06, 0x00, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00};
/* Measured: bytes 33 and 36 must be as they are, 32, 37 and 39 need not. */
static bool are_constants(const uint8_t bytes[8]) {
  return bytes[0] != 0 && memcmp(bytes + 1, constants + 1, 4) == 0 && bytes[6] == constants[6];
}

#define PAGE 4096u
/* Each block takes two numbers. */
#define RM_OBJECT_BASE 0x5c000000u
#define RM_OBJECT_FIRST 0x20u
#define RM_OBJECT_STEP 2u

static uint32_t object_of_entry(int64_t entry) {
  return RM_OBJECT_BASE + RM_OBJECT_FIRST + RM_OBJECT_STEP * (uint32_t)entry;
}

/* The exporter's table entry that an RM object number stands for, or NULL. */
static const sim_block_entry *entry_of_object(const sim_control *control, uint32_t object, uint32_t *index) {
  uint32_t from_first = object - RM_OBJECT_BASE - RM_OBJECT_FIRST;
  if (object < RM_OBJECT_BASE + RM_OBJECT_FIRST || from_first % RM_OBJECT_STEP != 0) return NULL;
  *index = from_first / RM_OBJECT_STEP;
  return *index < SIM_BLOCK_ENTRIES ? &control->blocks[*index] : NULL;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
  SIM_ENTER(cuIpcGetMemHandle);
  if (!pHandle) return CUDA_ERROR_INVALID_VALUE;
  CUcontext context;
  CUresult result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  const sim_allocation *allocation = sim_find(dptr);
  bool capable = allocation && allocation->block->kind == SIM_KIND_DEVICE;
  if (capable) {
    const sim_block *block = allocation->block;
    /* The offset field has 32 bits; only blocks of 2 MiB hold more than one allocation. */
    memory_handle handle = {
        .token = context->token,
        .pid = sim_own->pid,
        .size = allocation->size,
        .block_pages = block->pages,
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

static bool is_exporters(const sim_block *block, const memory_handle *handle, CUdevice device) {
  return block->kind == SIM_KIND_IMPORT && block->device == device &&
         block->exporter->control->rm_client == handle->rm_client;
}

/* The imported block of this handle on this device, if it is open here. */
static sim_block *already_open(const memory_handle *handle, CUdevice device) {
  sim_block *block;
  TAILQ_FOREACH(block, &sim_blocks, link) {
    if (!is_exporters(block, handle, device)) continue;
    /* The number may have been given to a new block while this one is still open here; the counter tells, as the handle
       gave it. */
    if (object_of_entry(block->entry) == handle->rm_object && block->counter == handle->counter) return block;
  }
  return NULL;
}

/* One context of a device at a time may have memory of an exporter open. */
static bool open_in_other_context(const memory_handle *handle, CUcontext context) {
  sim_block *block;
  TAILQ_FOREACH(block, &sim_blocks, link) {
    if (is_exporters(block, handle, context->device) && block->context != context) return true;
  }
  return false;
}

/* Opens the exporter's memfd of a block; -1 when the exporter is gone or the number is another file's by now. */
static int open_block_file(const sim_exporter *exporter, const sim_block_entry *entry, uint64_t inode) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", exporter->pid, entry->fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_ino != inode)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Maps the whole block of another process. Holds sim_lock. */
static CUresult open_block(const memory_handle *handle, CUcontext context, sim_block **block) {
  sim_exporter *exporter = sim_exporter_find(handle->rm_client, handle->pid);
  if (!exporter) return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  uint32_t index;
  const sim_block_entry *entry = entry_of_object(exporter->control, handle->rm_object, &index);
  bool sound = entry && entry->bytes > 0 && entry->bytes % SIM_GRANULE == 0;
  /* Fewer pages than the block has are mapped, but not none. */
  bool fits = sound && entry->pages != SIM_PAGES_OF_NO_HANDLE && handle->block_pages <= entry->pages;
  if (fits && handle->block_pages == 0) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
    fits = false;
  }
  if (fits && atomic_load(&entry->state) == SIM_ENTRY_LIVE) {
    uint32_t counter = entry->counter;
    int fd = open_block_file(exporter, entry, entry->inode);
    bool still = atomic_load(&entry->state) == SIM_ENTRY_LIVE && entry->counter == counter;
    /* Freed, or the whole process gone, between the look at the table and the open. */
    if (fd < 0) result = still ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    else if (still) *block = sim_import_block(context, exporter, index, handle->block_pages, handle->counter, fd, &result);
    if (result == CUDA_SUCCESS) return CUDA_SUCCESS;
    if (fd >= 0) close(fd);
  }
  sim_exporter_drop(exporter);
  return result;
}

static CUresult open_handle(CUdeviceptr *pdptr, const memory_handle *handle, CUcontext context) {
  if (open_in_other_context(handle, context)) return CUDA_ERROR_INVALID_HANDLE;
  sim_block *block = already_open(handle, context->device);
  bool fresh = !block;
  if (fresh) {
    CUresult result = open_block(handle, context, &block);
    if (result != CUDA_SUCCESS) return result;
  }
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  sim_allocation *allocation = NULL;
  if (handle->size > 0) allocation = sim_import_allocation(block, handle->offset, handle->size, &result);
  if (!allocation) {
    if (fresh) sim_forget_import(block);
    return result;
  }
  allocation->opens += 1;
  *pdptr = allocation->base;
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  SIM_ENTER_ALWAYS(cuIpcOpenMemHandle_v2);
  if (!pdptr || !(Flags & CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = sim_check_ready();
  CUcontext context = NULL;
  if (result == CUDA_SUCCESS) result = sim_current(&context);
  if (result != CUDA_SUCCESS) return result;
  memory_handle parsed;
  memcpy(&parsed, handle.reserved, sizeof parsed);
  if (!are_constants(parsed.constants)) return CUDA_ERROR_INVALID_VALUE;
  if (parsed.pid == sim_own->pid) return CUDA_ERROR_INVALID_CONTEXT;
  sim_lock_take();
  result = open_handle(pdptr, &parsed, context);
  sim_lock_drop();
  return result;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  SIM_ENTER_CONTEXT(cuIpcCloseMemHandle);
  (void)context;
  const unsigned int imported = 1u << SIM_KIND_IMPORT;
  sim_lock_take();
  sim_allocation *allocation = sim_find_own(dptr, imported);
  if (allocation) {
    /* Waits for all work of the context, also where others keep it mapped; meanwhile another thread may open or close. */
    sim_streams_wait_context(allocation->block->context);
    allocation = sim_find_own(dptr, imported);
  }
  /* Any context of the process may close. */
  if (allocation && --allocation->opens == 0) sim_deallocate(allocation);
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
