/* Device memory in use on the whole machine, each physical block counted once. All calls hold sim_lock. */
#ifndef GPU_IPC_SIM_ACCOUNTING_H
#define GPU_IPC_SIM_ACCOUNTING_H

#include "sim.h"

/** Bytes in use on a device of the machine, by whomever. */
uint64_t sim_accounting_used(int physical);
/** Counts `bytes` as this process's; false, and nothing counted, when the device has not that much left. */
bool sim_accounting_reserve(int physical, uint64_t bytes);
void sim_accounting_release(int physical, uint64_t bytes);

#endif
