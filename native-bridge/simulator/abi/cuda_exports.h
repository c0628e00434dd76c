/* Prototypes of the exported driver symbols, from exports.def. Needs cuda_types.h, or the real cuda.h, included before. */
#ifndef GPU_IPC_SIM_CUDA_EXPORTS_H
#define GPU_IPC_SIM_CUDA_EXPORTS_H

#define X(symbol, plain, since, params) __attribute__((visibility("default"))) CUresult symbol params;
#include "exports.def"
#undef X

#endif
