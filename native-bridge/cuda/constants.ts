/** Flags and attributes of cuda.h 13.0 by the names they have there, without their prefixes. */

/** CUevent_flags. An interprocess event must have its timing disabled: 6, or 7 with blocking waits. */
export const EventFlag = { DEFAULT: 0, BLOCKING_SYNC: 1, DISABLE_TIMING: 2, INTERPROCESS: 4 } as const;

/** CUipcMem_flags. The driver refuses to open without this one. */
export const IpcMemFlag = { LAZY_ENABLE_PEER_ACCESS: 1 } as const;

/** CUstream_flags. */
export const StreamFlag = { DEFAULT: 0, NON_BLOCKING: 1 } as const;

/** CUstreamWaitValue_flags: go on when the 32 bits in memory are … */
export const WaitValueFlag = { GEQ: 0, EQ: 1, AND: 2, NOR: 3 } as const;

/** CUmemAttach_flags, for managed memory. */
export const MemAttachFlag = { GLOBAL: 1, HOST: 2, SINGLE: 4 } as const;

/** CU_MEMHOSTALLOC_* */
export const MemHostAllocFlag = { PORTABLE: 1, DEVICEMAP: 2, WRITECOMBINED: 4 } as const;

/** CU_MEMHOSTREGISTER_* */
export const MemHostRegisterFlag = { PORTABLE: 1, DEVICEMAP: 2, IOMEMORY: 4, READ_ONLY: 8 } as const;

/** CUmemAllocationHandleType, a bit mask. */
export const HandleType = { NONE: 0, POSIX_FILE_DESCRIPTOR: 1, WIN32: 2, WIN32_KMT: 4, FABRIC: 8 } as const;

export const AllocationType = { PINNED: 1, MANAGED: 2 } as const;
export const LocationType = { INVALID: 0, DEVICE: 1, HOST: 2, HOST_NUMA: 3, HOST_NUMA_CURRENT: 4 } as const;
export const AccessFlag = { NONE: 0, READ: 1, READWRITE: 3 } as const;
export const Granularity = { MINIMUM: 0, RECOMMENDED: 1 } as const;

/** CUmemPool_attribute. The REUSE ones are 0 or 1, the others bytes; those that end in HIGH can only be set to 0. */
export const PoolAttribute = {
  REUSE_FOLLOW_EVENT_DEPENDENCIES: 1,
  REUSE_ALLOW_OPPORTUNISTIC: 2,
  REUSE_ALLOW_INTERNAL_DEPENDENCIES: 3,
  RELEASE_THRESHOLD: 4,
  RESERVED_MEM_CURRENT: 5,
  RESERVED_MEM_HIGH: 6,
  USED_MEM_CURRENT: 7,
  USED_MEM_HIGH: 8,
} as const;

/** CUcomputemode. */
export const ComputeMode = { DEFAULT: 0, PROHIBITED: 2, EXCLUSIVE_PROCESS: 3 } as const;

/** CUdevice_P2PAttribute. */
export const P2PAttribute = {
  PERFORMANCE_RANK: 1,
  ACCESS_SUPPORTED: 2,
  NATIVE_ATOMIC_SUPPORTED: 3,
  CUDA_ARRAY_ACCESS_SUPPORTED: 4,
  ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: 5,
} as const;

/** CUdevice_attribute: those that say what a device is and what can be shared from it. */
export const DeviceAttribute = {
  INTEGRATED: 18,
  COMPUTE_MODE: 20,
  PCI_BUS_ID: 33,
  PCI_DEVICE_ID: 34,
  TCC_DRIVER: 35,
  UNIFIED_ADDRESSING: 41,
  PCI_DOMAIN_ID: 50,
  COMPUTE_CAPABILITY_MAJOR: 75,
  COMPUTE_CAPABILITY_MINOR: 76,
  MANAGED_MEMORY: 83,
  MULTI_GPU_BOARD: 84,
  MULTI_GPU_BOARD_GROUP_ID: 85,
  VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: 102,
  HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: 103,
  HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: 104,
  HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: 105,
  GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: 110,
  MEMORY_POOLS_SUPPORTED: 115,
  GPU_DIRECT_RDMA_SUPPORTED: 116,
  MEMPOOL_SUPPORTED_HANDLE_TYPES: 119,
  DMA_BUF_SUPPORTED: 124,
  IPC_EVENT_SUPPORTED: 125,
  HANDLE_TYPE_FABRIC_SUPPORTED: 128,
  NUMA_CONFIG: 130,
  NUMA_ID: 131,
  MULTICAST_SUPPORTED: 132,
  MPS_ENABLED: 133,
  HOST_NUMA_ID: 134,
  GPU_PCI_DEVICE_ID: 139,
  GPU_PCI_SUBSYSTEM_ID: 140,
  HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: 141,
  HOST_NUMA_MEMORY_POOLS_SUPPORTED: 142,
  HOST_NUMA_MULTINODE_IPC_SUPPORTED: 143,
  HOST_MEMORY_POOLS_SUPPORTED: 144,
  HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: 145,
  HOST_ALLOC_DMA_BUF_SUPPORTED: 146,
} as const;
export type DeviceAttributeName = keyof typeof DeviceAttribute;

/** CUpointer_attribute, all of cuda.h 13.0. */
export const PointerAttribute = {
  CONTEXT: 1,
  MEMORY_TYPE: 2,
  DEVICE_POINTER: 3,
  HOST_POINTER: 4,
  P2P_TOKENS: 5,
  SYNC_MEMOPS: 6,
  BUFFER_ID: 7,
  IS_MANAGED: 8,
  DEVICE_ORDINAL: 9,
  IS_LEGACY_CUDA_IPC_CAPABLE: 10,
  RANGE_START_ADDR: 11,
  RANGE_SIZE: 12,
  MAPPED: 13,
  ALLOWED_HANDLE_TYPES: 14,
  IS_GPU_DIRECT_RDMA_CAPABLE: 15,
  ACCESS_FLAGS: 16,
  MEMPOOL_HANDLE: 17,
  MAPPING_SIZE: 18,
  MAPPING_BASE_ADDR: 19,
  MEMORY_BLOCK_ID: 20,
  IS_HW_DECOMPRESS_CAPABLE: 21,
} as const;
export type PointerAttributeName = keyof typeof PointerAttribute;
