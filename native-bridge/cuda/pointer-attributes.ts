/** Meaning of the raw 64 bits of a pointer attribute. */
import type { PointerAttributeName } from './constants';

type Kind = 'address' | 'size' | 'count' | 'flag' | 'int' | 'mask' | 'memory-type';

/** What each attribute's output is in cuda.h. Flags may fill one byte or four: the lowest byte decides. */
const kinds: Readonly<Record<PointerAttributeName, Kind>> = {
  CONTEXT: 'address',
  MEMORY_TYPE: 'memory-type',
  DEVICE_POINTER: 'address',
  HOST_POINTER: 'address',
  P2P_TOKENS: 'count',
  SYNC_MEMOPS: 'flag',
  BUFFER_ID: 'count',
  IS_MANAGED: 'flag',
  DEVICE_ORDINAL: 'int',
  IS_LEGACY_CUDA_IPC_CAPABLE: 'flag',
  RANGE_START_ADDR: 'address',
  RANGE_SIZE: 'size',
  MAPPED: 'flag',
  ALLOWED_HANDLE_TYPES: 'mask',
  IS_GPU_DIRECT_RDMA_CAPABLE: 'flag',
  ACCESS_FLAGS: 'int',
  MEMPOOL_HANDLE: 'address',
  MAPPING_SIZE: 'size',
  MAPPING_BASE_ADDR: 'address',
  MEMORY_BLOCK_ID: 'count',
  IS_HW_DECOMPRESS_CAPABLE: 'flag',
};

/** As a number where the value is one by nature, as bigint for addresses and ids. */
export function decodePointerAttribute(name: PointerAttributeName, raw: bigint): number | bigint {
  switch (kinds[name]) {
    case 'flag':
      return Number(raw & 0xffn) === 0 ? 0 : 1;
    case 'int':
    case 'memory-type':
      return Number(BigInt.asIntN(32, raw));
    case 'mask':
    case 'size':
      return Number(raw);
    default:
      return raw;
  }
}

const memoryTypes: Readonly<Record<number, string>> = { 1: 'host', 2: 'device', 3: 'array', 4: 'unified' };
const handleTypes: readonly (readonly [bit: number, name: string])[] = [
  [1, 'POSIX_FILE_DESCRIPTOR'],
  [2, 'WIN32'],
  [4, 'WIN32_KMT'],
  [8, 'FABRIC'],
];

/** For people: `device`, `yes`, `0x7f5a60000000`, `4194304`, `none`. */
export function pointerAttributeText(name: PointerAttributeName, raw: bigint): string {
  const value = decodePointerAttribute(name, raw);
  switch (kinds[name]) {
    case 'flag':
      return value === 0 ? 'no' : 'yes';
    case 'address':
      return value === 0n ? 'none' : `0x${value.toString(16)}`;
    case 'memory-type':
      return memoryTypes[Number(value)] ?? String(value);
    case 'mask': {
      const names = handleTypes.filter(([bit]) => (Number(value) & bit) !== 0).map(([, handleType]) => handleType);
      return names.length === 0 ? 'none' : names.join(', ');
    }
    default:
      return String(value);
  }
}
