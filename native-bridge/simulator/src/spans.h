/* Pieces of memory that are copied and filled: inside a block, or host memory that the driver does not know. */
#ifndef GPU_IPC_SIM_SPANS_H
#define GPU_IPC_SIM_SPANS_H

#include "blocks.h"

typedef struct {
  /** Held while the span is in use; NULL for host memory that the driver does not know. */
  sim_block *block;
  /** Offset in the block's memfd. */
  uint64_t offset;
  /** Where the CPU finds it; NULL for device memory. */
  char *host;
} sim_span;

typedef enum { SIM_FOR_READING, SIM_FOR_WRITING } sim_purpose;

/**
 * The span of `bytes` at a device address, its block held. CUDA_ERROR_INVALID_VALUE when it does not lie inside one
 * allocation, or the current context's device has no such access to it. Holds sim_lock.
 */
CUresult sim_span_device(uint64_t address, uint64_t bytes, sim_purpose purpose, sim_span *span);
/**
 * How many of the bytes at an address lie in one allocation: fewer than `bytes` where physical memory is mapped side by
 * side, and then the rest lies in the next ones; else `bytes`. Holds sim_lock.
 */
uint64_t sim_span_reach(uint64_t address, uint64_t bytes);
/** Whether each piece of the bytes could be a span. Holds sim_lock. */
CUresult sim_span_check(uint64_t address, uint64_t bytes, sim_purpose purpose);
/**
 * The span where a host address is expected: memory that the driver knows, device memory too, as above; else ordinary
 * memory. CUDA_ERROR_INVALID_VALUE for NULL. Holds sim_lock.
 */
CUresult sim_span_host(const void *pointer, uint64_t bytes, sim_purpose purpose, sim_span *span);
/** Holds sim_lock. */
void sim_span_drop(sim_span *span);

/** Copies without the lock. CUDA_ERROR_INVALID_VALUE when host memory cannot be read or written. */
CUresult sim_span_copy(const sim_span *to, const sim_span *from, uint64_t bytes);
/** Repeats a pattern of 1, 2 or 4 bytes. */
CUresult sim_span_fill(const sim_span *to, uint32_t pattern, unsigned int width, uint64_t count);
/** Reads or writes 4 or 8 aligned bytes at once. */
uint64_t sim_span_read_word(const sim_span *span, unsigned int width);
void sim_span_write_word(const sim_span *span, uint64_t value, unsigned int width);

#endif
