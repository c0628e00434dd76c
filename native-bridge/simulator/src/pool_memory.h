/* The default memory pool of each device, as far as stream-ordered allocation needs it. */
#ifndef GPU_IPC_SIM_POOL_MEMORY_H
#define GPU_IPC_SIM_POOL_MEMORY_H

#include "sim.h"

/** The default pool of a visible device. */
CUmemoryPool sim_default_pool(CUdevice device);

#endif
