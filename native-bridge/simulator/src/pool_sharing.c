/* Pools between processes: the pool as a file descriptor, its allocations as 64 bytes that any channel may carry. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blocks.h"
#include "exporters.h"
#include "pools.h"
#include "shareable_files.h"

#define POOL_FILE_NAME "gpu-ipc-sim.pool"
/* So that low descriptors stay free for select(). */
#define POOL_FD_MINIMUM 256

/*
 * As seen in real data: pid, a number that was 1 for the first pool of each process, a number that grows from one
 * allocation to the next, 0 for the first allocation of a block, the size, and 0x33 and 2 for each 32 MiB of the block.
 * That the 0 is the offset in the block is a guess, and what the growing number is made of is the simulator's own.
 */
typedef struct {
  int32_t pid;
  uint32_t zero_4;
  uint32_t pool;
  uint32_t zero_12;
  uint32_t entry;
  uint32_t counter;
  uint64_t offset;
  uint64_t size;
  uint32_t chunks;
  uint8_t zero_44[20];
} pointer_data;
_Static_assert(sizeof(pointer_data) == 64 && offsetof(pointer_data, pool) == 8 && offsetof(pointer_data, entry) == 16 &&
                   offsetof(pointer_data, size) == 32 && offsetof(pointer_data, chunks) == 40,
               "observed layout");

#define CHUNKS_FIRST 0x33u
#define CHUNK (32ull << 20)

static CUresult export_pool(int *descriptor, CUmemoryPool pool) {
  if (pool->fd < 0) {
    sim_file_facts facts = {
        .device = pool->options.device, .handle_types = pool->options.handle_types, .entry = pool->number};
    pool->fd = sim_fd_above(sim_file_create(POOL_FILE_NAME, SIM_FILE_POOL, &facts), POOL_FD_MINIMUM);
  }
  int shared = pool->fd < 0 ? -1 : sim_file_share(pool->fd);
  if (shared < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *descriptor = shared;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  SIM_ENTER(cuMemPoolExportToShareableHandle);
  if (!handle_out || flags != 0 || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  sim_lock_take();
  bool may = sim_pool_known(pool) && !sim_pool_imported(pool) && (pool->options.handle_types & handleType);
  CUresult result = may ? export_pool(handle_out, pool) : CUDA_ERROR_INVALID_VALUE;
  sim_lock_drop();
  return result;
}

/* The same pool however often it is imported. */
static CUmemoryPool import_pool(const sim_file_facts *facts) {
  CUmemoryPool known = sim_pool_imported_as(facts->token, facts->entry);
  if (known) return known;
  CUmemoryPool pool = sim_pool_create(&(sim_pool_options){.device = facts->device});
  if (!pool) return NULL;
  pool->number = facts->entry;
  pool->owner_token = facts->token;
  pool->owner_client = facts->rm_client;
  pool->owner_pid = facts->pid;
  return pool;
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  SIM_ENTER(cuMemPoolImportFromShareableHandle);
  if (!pool_out || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (handleType == CU_MEM_HANDLE_TYPE_FABRIC) return handle ? CUDA_ERROR_NOT_PERMITTED : CUDA_ERROR_INVALID_VALUE;
  if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
  sim_file_facts facts;
  CUresult result = sim_file_read((int)(intptr_t)handle, SIM_FILE_POOL, &facts);
  if (result != CUDA_SUCCESS) return result;
  sim_lock_take();
  CUmemoryPool pool = import_pool(&facts);
  sim_lock_drop();
  if (!pool) return CUDA_ERROR_OUT_OF_MEMORY;
  *pool_out = pool;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr) {
  SIM_ENTER(cuMemPoolExportPointer);
  if (!shareData_out) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  const sim_allocation *allocation = sim_find(ptr);
  const sim_block *block = allocation ? allocation->block : NULL;
  /* The pool itself must have been exported before. An imported one never was. */
  bool may = block && block->pool && block->pool->fd >= 0;
  if (may) {
    pointer_data data = {
        .pid = sim_own->pid,
        .pool = block->pool->number,
        .entry = (uint32_t)block->entry,
        .counter = (uint32_t)block->counter,
        .offset = allocation->base - block->base,
        .size = allocation->size,
        .chunks = CHUNKS_FIRST + 2 * (uint32_t)(block->bytes / CHUNK),
    };
    memcpy(shareData_out->reserved, &data, sizeof data);
  }
  sim_lock_drop();
  return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static sim_block *known_chunk(CUmemoryPool pool, const pointer_data *data) {
  sim_block *block;
  TAILQ_FOREACH(block, &sim_blocks, link) {
    if (block->pool == pool && block->entry == data->entry && block->counter == data->counter) return block;
  }
  return NULL;
}

static bool is_sound(const sim_block_entry *entry, const pointer_data *data) {
  return atomic_load(&entry->state) == SIM_ENTRY_LIVE && entry->counter == data->counter && entry->bytes > 0 &&
         entry->bytes % SIM_GRANULE == 0 && entry->physical >= 0 && entry->physical < SIM_MAX_DEVICES;
}

/* Opens the chunk's memfd in the process that has it, which may be this one. */
static sim_block *open_chunk(CUmemoryPool pool, const pointer_data *data, int32_t pid, const sim_control *control) {
  const sim_block_entry *entry = &control->blocks[data->entry];
  if (!is_sound(entry, data)) return NULL;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, entry->fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  bool same = fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == entry->inode && is_sound(entry, data);
  sim_block *block = same ? sim_import_chunk(pool, pool->owner_token, entry, data->entry, fd) : NULL;
  if (!block && fd >= 0) close(fd);
  return block;
}

static sim_block *find_chunk(CUmemoryPool pool, const pointer_data *data) {
  sim_block *block = known_chunk(pool, data);
  if (block) return block;
  if (pool->owner_token == sim_own->token) return open_chunk(pool, data, sim_own->pid, sim_own);
  sim_exporter *exporter = sim_exporter_find(pool->owner_client, pool->owner_pid);
  if (!exporter) return NULL;
  if (exporter->token == pool->owner_token) block = open_chunk(pool, data, exporter->pid, exporter->control);
  sim_exporter_drop(exporter);
  return block;
}

static CUresult import_pointer(CUdeviceptr *pointer, CUmemoryPool pool, const pointer_data *data) {
  if (data->pid != pool->owner_pid || data->pool != pool->number) return CUDA_ERROR_INVALID_VALUE;
  if (data->entry >= SIM_BLOCK_ENTRIES || data->size == 0) return CUDA_ERROR_INVALID_VALUE;
  sim_block *block = find_chunk(pool, data);
  if (!block) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  sim_allocation *allocation = NULL;
  if (data->offset < block->bytes && data->size <= block->bytes - data->offset) {
    allocation = sim_import_allocation(block, data->offset, data->size, &result);
  }
  if (allocation) *pointer = allocation->base;
  else if (block->count == 0) sim_forget_import(block);
  return result;
}

CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData) {
  SIM_ENTER(cuMemPoolImportPointer);
  if (!ptr_out || !shareData) return CUDA_ERROR_INVALID_VALUE;
  pointer_data data;
  memcpy(&data, shareData->reserved, sizeof data);
  sim_lock_take();
  bool may = sim_pool_known(pool) && sim_pool_imported(pool);
  CUresult result = may ? import_pointer(ptr_out, pool, &data) : CUDA_ERROR_INVALID_VALUE;
  sim_lock_drop();
  return result;
}
