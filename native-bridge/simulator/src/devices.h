/* The devices of the simulated machine and those this process may see (CUDA_VISIBLE_DEVICES). */
#ifndef GPU_IPC_SIM_DEVICES_H
#define GPU_IPC_SIM_DEVICES_H

#include "sim.h"

/** Reads GPU_IPC_SIM_DEVICES, GPU_IPC_SIM_MEMORY and CUDA_VISIBLE_DEVICES. CUDA_ERROR_NO_DEVICE when none is left. */
CUresult sim_devices_start(void);
/** Number of devices this process sees. */
int sim_device_count(void);
/** Index of a visible device on the machine, which other processes understand; -1 for no such device. */
int sim_device_physical(CUdevice device);
/** Visible ordinal of a machine index; -1 when hidden from this process. */
int sim_device_visible(int physical);
/** Memory of each device in bytes. */
uint64_t sim_device_bytes(void);

#endif
