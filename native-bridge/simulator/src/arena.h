/*
 * The process's device address space: one reserved, inaccessible range of virtual addresses, handed out in granules of
 * 2 MiB, lowest first, so that a freed address is soon given again, as on the real driver. Device memory is never
 * mapped into it: device addresses cannot be dereferenced by the CPU, copies go through the blocks' memfds.
 */
#ifndef GPU_IPC_SIM_ARENA_H
#define GPU_IPC_SIM_ARENA_H

#include "sim.h"

struct sim_block;

bool sim_arena_start(void);
/** Addresses for `bytes` (a multiple of the granule) that belong to `owner` from now on; 0 when none are left. */
uint64_t sim_arena_reserve(uint64_t bytes, struct sim_block *owner);
/** The same at a multiple of `alignment`, a power of two. */
uint64_t sim_arena_reserve_aligned(uint64_t bytes, uint64_t alignment, struct sim_block *owner);
/** Gives addresses that are reserved to another owner. */
void sim_arena_give(uint64_t base, uint64_t bytes, struct sim_block *owner);
void sim_arena_release(uint64_t base, uint64_t bytes);
/** Whose address this is, or NULL. Constant time. */
struct sim_block *sim_arena_owner(uint64_t address);

#endif
