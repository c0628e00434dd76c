/*
 * The part of the CUDA driver ABI that the simulator needs: types, sizes and values on 64-bit Linux, as in cuda.h 13.0.
 * Written for this project so that no CUDA toolkit is needed; check/cuda_h_check.c compares it with the real cuda.h
 * wherever that file is installed.
 */
#ifndef GPU_IPC_SIM_CUDA_TYPES_H
#define GPU_IPC_SIM_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError_enum {
#define X(name, value, text) name = value,
#include "results.def"
#undef X
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUmemGenericAllocationHandle;

typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef void (*CUhostFn)(void *userData);

typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
typedef struct CUipcMemHandle_st {
  char reserved[64];
} CUipcMemHandle;
typedef struct CUipcEventHandle_st {
  char reserved[64];
} CUipcEventHandle;

/** What another process makes a pool's allocation out of. */
typedef struct CUmemPoolPtrExportData_st {
  unsigned char reserved[64];
} CUmemPoolPtrExportData;

/* Enum parameters are 32-bit ints in the ABI. */
typedef enum CUdevice_attribute_enum {
#define X(name, id, value) CU_DEVICE_ATTRIBUTE_##name = id,
#include "device_attributes.def"
#undef X
} CUdevice_attribute;

#define X(name, value) name = value,
typedef enum CUdevice_P2PAttribute_enum {
#include "p2p_attributes.def"
} CUdevice_P2PAttribute;
typedef enum CUpointer_attribute_enum {
#include "pointer_attributes.def"
} CUpointer_attribute;
typedef enum CUdriverProcAddressQueryResult_enum {
#include "proc_address_results.def"
} CUdriverProcAddressQueryResult;
typedef enum CUmemAllocationHandleType_enum {
#include "handle_types.def"
} CUmemAllocationHandleType;
typedef enum CUmemAllocationType_enum {
#include "allocation_types.def"
} CUmemAllocationType;
typedef enum CUmemLocationType_enum {
#include "location_types.def"
} CUmemLocationType;
typedef enum CUmemAccess_flags_enum {
#include "access_flags.def"
} CUmemAccess_flags;
typedef enum CUmemAllocationGranularity_flags_enum {
#include "granularities.def"
} CUmemAllocationGranularity_flags;
typedef enum CUmemPool_attribute_enum {
#include "pool_attributes.def"
} CUmemPool_attribute;
enum {
#include "flags.def"
};
#undef X

typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;
typedef struct CUmemAllocationProp_st {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemPoolProps_st {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

_Static_assert(sizeof(void *) == 8 && sizeof(CUdeviceptr) == 8, "64-bit only");
_Static_assert(sizeof(CUresult) == 4 && sizeof(CUdevice_attribute) == 4, "enums are 32 bits in the ABI");
_Static_assert(sizeof(CUmemLocation) == 8 && sizeof(CUmemAccessDesc) == 12, "struct sizes");
_Static_assert(sizeof(CUmemAllocationProp) == 32 && offsetof(CUmemAllocationProp, allocFlags) == 24, "struct layout");
_Static_assert(sizeof(CUmemPoolProps) == 88 && offsetof(CUmemPoolProps, maxSize) == 24, "struct layout");
_Static_assert(sizeof(CUmemPoolPtrExportData) == 64, "struct sizes");
_Static_assert(sizeof(CUuuid) == 16 && sizeof(CUipcMemHandle) == 64 && sizeof(CUipcEventHandle) == 64, "struct sizes");

#endif
