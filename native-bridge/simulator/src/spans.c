/*
 * Copying and filling. Device memory is read and written through its memfd: pages that nobody wrote stay unbacked even
 * when they are read, and a bad host pointer is an error code (EFAULT) instead of a crash.
 */
#include "spans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contexts.h"
#include "devices.h"
#include "pools.h"

#define BOUNCE_BYTES (1u << 20)
/* From here on filling with zero punches a hole instead of writing. */
#define HOLE_BYTES (256u << 10)

/* What the device that does the work may do. Pool memory is its device's until cuMemPoolSetAccess says more; mapped
   memory is nobody's until cuMemSetAccess. */
static bool may(const sim_block *block, sim_purpose purpose) {
  if (!block->pool && block->kind != SIM_KIND_MAPPED) return true;
  CUcontext context;
  if (sim_current(&context) != CUDA_SUCCESS) return false;
  int device = sim_device_physical(context->device);
  unsigned int flags = block->pool ? sim_pool_access(block->pool, device) : block->access[device];
  return flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
         (purpose == SIM_FOR_READING && flags == CU_MEM_ACCESS_FLAGS_PROT_READ);
}

uint64_t sim_span_reach(uint64_t address, uint64_t bytes) {
  sim_allocation *allocation = sim_find(address);
  if (!allocation || allocation->block->kind != SIM_KIND_MAPPED) return bytes;
  uint64_t left = allocation->size - (address - allocation->base);
  return bytes < left ? bytes : left;
}

CUresult sim_span_check(uint64_t address, uint64_t bytes, sim_purpose purpose) {
  while (bytes) {
    uint64_t reach = sim_span_reach(address, bytes);
    sim_span span;
    CUresult result = sim_span_device(address, reach, purpose, &span);
    if (result != CUDA_SUCCESS) return result;
    sim_span_drop(&span);
    address += reach;
    bytes -= reach;
  }
  return CUDA_SUCCESS;
}

CUresult sim_span_device(uint64_t address, uint64_t bytes, sim_purpose purpose, sim_span *span) {
  sim_allocation *allocation = sim_find(address);
  if (!allocation || bytes > allocation->size - (address - allocation->base)) return CUDA_ERROR_INVALID_VALUE;
  sim_block *block = allocation->block;
  if (!may(block, purpose)) return CUDA_ERROR_INVALID_VALUE;
  if (block->outside && address - block->base + bytes > block->bytes) {
    /* The GPU finds nothing there. */
    atomic_store(&sim_lost, CUDA_ERROR_LAUNCH_FAILED);
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  span->block = block;
  span->offset = address - block->base;
  span->host = sim_kind_is_host(block->kind) ? (char *)(uintptr_t)address : NULL;
  sim_block_hold(block);
  return CUDA_SUCCESS;
}

CUresult sim_span_host(const void *pointer, uint64_t bytes, sim_purpose purpose, sim_span *span) {
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (!pointer || bytes > UINT64_MAX - address) return CUDA_ERROR_INVALID_VALUE;
  if (sim_find(address)) return sim_span_device(address, bytes, purpose, span);
  span->block = NULL;
  span->offset = 0;
  span->host = (char *)(uintptr_t)address;
  return CUDA_SUCCESS;
}

void sim_span_drop(sim_span *span) {
  if (span->block) sim_block_drop(span->block);
  span->block = NULL;
}

static CUresult failure(void) { return errno == EFAULT ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNKNOWN; }

static CUresult read_block(int fd, char *to, uint64_t offset, uint64_t bytes) {
  while (bytes) {
    ssize_t done = pread(fd, to, bytes, (off_t)offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failure();
    to += done;
    offset += (uint64_t)done;
    bytes -= (uint64_t)done;
  }
  return CUDA_SUCCESS;
}

static CUresult write_block(int fd, const char *from, uint64_t offset, uint64_t bytes) {
  while (bytes) {
    ssize_t done = pwrite(fd, from, bytes, (off_t)offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failure();
    from += done;
    offset += (uint64_t)done;
    bytes -= (uint64_t)done;
  }
  return CUDA_SUCCESS;
}

static bool punch(int fd, uint64_t offset, uint64_t bytes) {
  return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes) == 0;
}

/* Unwritten parts of the source become unwritten parts of the destination, so that sparse memory stays sparse. */
static CUresult copy_block(int to, uint64_t to_offset, int from, uint64_t from_offset, uint64_t bytes) {
  char *bounce = malloc(bytes < BOUNCE_BYTES ? bytes : BOUNCE_BYTES);
  if (!bounce) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = CUDA_SUCCESS;
  while (bytes && result == CUDA_SUCCESS) {
    uint64_t step = bytes < BOUNCE_BYTES ? bytes : BOUNCE_BYTES;
    if (bytes >= HOLE_BYTES) {
      off_t data = lseek(from, (off_t)from_offset, SEEK_DATA);
      uint64_t hole = data < 0 ? bytes : (uint64_t)data - from_offset;
      if (hole > bytes) hole = bytes;
      if (hole >= HOLE_BYTES && punch(to, to_offset, hole)) {
        from_offset += hole;
        to_offset += hole;
        bytes -= hole;
        continue;
      }
    }
    result = read_block(from, bounce, from_offset, step);
    if (result == CUDA_SUCCESS) result = write_block(to, bounce, to_offset, step);
    from_offset += step;
    to_offset += step;
    bytes -= step;
  }
  free(bounce);
  return result;
}

CUresult sim_span_copy(const sim_span *to, const sim_span *from, uint64_t bytes) {
  if (bytes == 0) return CUDA_SUCCESS;
  if (to->host && from->host) {
    memmove(to->host, from->host, bytes);
    return CUDA_SUCCESS;
  }
  if (to->host) return read_block(from->block->fd, to->host, from->offset, bytes);
  if (from->host) return write_block(to->block->fd, from->host, to->offset, bytes);
  return copy_block(to->block->fd, to->offset, from->block->fd, from->offset, bytes);
}

static void repeat(char *buffer, uint64_t bytes, uint32_t pattern, unsigned int width) {
  if (width == 1) {
    memset(buffer, (int)(pattern & 0xff), bytes);
  } else if (width == 2) {
    uint16_t value = (uint16_t)pattern;
    for (uint64_t i = 0; i + 2 <= bytes; i += 2) memcpy(buffer + i, &value, 2);
  } else {
    for (uint64_t i = 0; i + 4 <= bytes; i += 4) memcpy(buffer + i, &pattern, 4);
  }
}

CUresult sim_span_fill(const sim_span *to, uint32_t pattern, unsigned int width, uint64_t count) {
  uint64_t bytes = count * width;
  if (bytes == 0) return CUDA_SUCCESS;
  if (to->host) {
    repeat(to->host, bytes, pattern, width);
    return CUDA_SUCCESS;
  }
  if (pattern == 0 && bytes >= HOLE_BYTES && punch(to->block->fd, to->offset, bytes)) return CUDA_SUCCESS;
  uint64_t chunk = bytes < BOUNCE_BYTES ? bytes : BOUNCE_BYTES;
  char *buffer = malloc(chunk);
  if (!buffer) return CUDA_ERROR_OUT_OF_MEMORY;
  repeat(buffer, chunk, pattern, width);
  CUresult result = CUDA_SUCCESS;
  for (uint64_t done = 0; done < bytes && result == CUDA_SUCCESS; done += chunk) {
    result = write_block(to->block->fd, buffer, to->offset + done, bytes - done < chunk ? bytes - done : chunk);
  }
  free(buffer);
  return result;
}

uint64_t sim_span_read_word(const sim_span *span, unsigned int width) {
  uint64_t value = 0;
  if (!span->host) {
    read_block(span->block->fd, (char *)&value, span->offset, width);
    return value;
  }
  if (width == 4) return atomic_load((_Atomic uint32_t *)(void *)span->host);
  return atomic_load((_Atomic uint64_t *)(void *)span->host);
}

void sim_span_write_word(const sim_span *span, uint64_t value, unsigned int width) {
  if (!span->host) write_block(span->block->fd, (const char *)&value, span->offset, width);
  else if (width == 4) atomic_store((_Atomic uint32_t *)(void *)span->host, (uint32_t)value);
  else atomic_store((_Atomic uint64_t *)(void *)span->host, value);
}
