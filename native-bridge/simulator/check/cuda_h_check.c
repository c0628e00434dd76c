/*
 * Compiled only where the real cuda.h (13.0 or newer) is installed: the simulator's prototypes are declared again next
 * to the real ones, which the compiler accepts only when they are the same, and every value is compared.
 */
/* Also declares the older variants of calls that have a newer one. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <stddef.h>

#include "../abi/cuda_exports.h"

#if CUDA_VERSION >= 13000
#define SAME(name, value) _Static_assert((long long)(name) == (long long)(value), #name " differs from cuda.h");

#define X(name, value, text) SAME(name, value)
#include "../abi/results.def"
#undef X
#define X(name, id, value) SAME(CU_DEVICE_ATTRIBUTE_##name, id)
#include "../abi/device_attributes.def"
#undef X
#define X(name, value) SAME(name, value)
#include "../abi/access_flags.def"
#include "../abi/allocation_types.def"
#include "../abi/flags.def"
#include "../abi/granularities.def"
#include "../abi/handle_types.def"
#include "../abi/location_types.def"
#include "../abi/p2p_attributes.def"
#include "../abi/pointer_attributes.def"
#include "../abi/pool_attributes.def"
#include "../abi/proc_address_results.def"
#undef X

_Static_assert(sizeof(CUipcMemHandle) == 64 && sizeof(CUipcEventHandle) == 64, "IPC handles");
_Static_assert(sizeof(CUuuid) == 16 && sizeof(CUdeviceptr) == 8 && sizeof(CUdevice) == 4, "basic types");
_Static_assert(sizeof(CUresult) == 4 && sizeof(CUpointer_attribute) == 4, "enums");
_Static_assert(sizeof(CUmemLocation) == 8 && sizeof(CUmemAccessDesc) == 12, "locations");
_Static_assert(sizeof(CUmemAllocationProp) == 32 && offsetof(CUmemAllocationProp, allocFlags) == 24, "virtual memory");
_Static_assert(sizeof(CUmemPoolProps) == 88 && offsetof(CUmemPoolProps, maxSize) == 24, "pools");
_Static_assert(sizeof(CUmemPoolPtrExportData) == 64, "pool pointers");
_Static_assert(sizeof(CUmemGenericAllocationHandle) == 8 && sizeof(CUstream) == 8, "handles");
#endif
