/** Virtual memory: physical memory, addresses, and who may use it there. */
import { AllocationType, LocationType } from '../constants';
import { declare } from '../declare';
import { sizeIn, toSize } from '../numbers';
import type { AllocationHandle, DevicePtr } from '../types';

export interface AllocationProperties {
  /** HandleType mask: as what the allocation can be exported. */
  readonly handleTypes: number;
  readonly deviceOrdinal: number;
}

export interface FoundProperties extends AllocationProperties {
  readonly locationType: number;
}

const properties = ({ handleTypes, deviceOrdinal }: AllocationProperties) => ({
  type: AllocationType.PINNED,
  requestedHandleTypes: handleTypes,
  location: { type: LocationType.DEVICE, id: deviceOrdinal },
  win32HandleMetaData: null,
  compressionType: 0,
  gpuDirectRDMACapable: 0,
  usage: 0,
  reserved: new Uint8Array(4),
});

export const virtualMemory = {
  /** Sizes, addresses and offsets must be multiples of it. `option`: Granularity. */
  memGetAllocationGranularity: declare(
    'cuMemGetAllocationGranularity(_Out_ size_t *granularity, const CUmemAllocationProp *prop, CUenum option)',
    (call) => {
      const granularity = new BigUint64Array(1);
      return (of: AllocationProperties, option: number): number => {
        call(granularity, properties(of), option);
        return toSize(granularity[0] ?? 0n);
      };
    },
  ),

  /** Physical memory without an address. */
  memCreate: declare(
    'cuMemCreate(_Out_ CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, uint64_t flags)',
    (call) => {
      const handle = new BigUint64Array(1);
      return (bytes: number, of: AllocationProperties): AllocationHandle => {
        call(handle, sizeIn(bytes), properties(of), 0);
        return (handle[0] ?? 0n) as AllocationHandle;
      };
    },
  ),

  memRelease: declare(
    'cuMemRelease(CUmemGenericAllocationHandle handle)',
    (call) =>
      (handle: AllocationHandle): void => {
        call(handle);
      },
  ),

  /** Addresses without memory. `alignment`: a power of two, or 0 for the driver's own. */
  memAddressReserve: declare(
    'cuMemAddressReserve(_Out_ CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, uint64_t flags)',
    (call) => {
      const pointer = new BigUint64Array(1);
      return (bytes: number, alignment = 0): DevicePtr => {
        call(pointer, sizeIn(bytes), sizeIn(alignment, 'alignment'), 0n, 0);
        return (pointer[0] ?? 0n) as DevicePtr;
      };
    },
  ),

  memAddressFree: declare(
    'cuMemAddressFree(CUdeviceptr ptr, size_t size)',
    (call) =>
      (pointer: DevicePtr, bytes: number): void => {
        call(pointer, sizeIn(bytes));
      },
  ),

  /** Grants no access yet; see memSetAccess. The driver maps whole allocations only: any `offset` but 0 is refused. */
  memMap: declare(
    'cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, uint64_t flags)',
    (call) =>
      (pointer: DevicePtr, bytes: number, handle: AllocationHandle, offset = 0): void => {
        call(pointer, sizeIn(bytes), sizeIn(offset, 'offset'), handle, 0);
      },
  ),

  memUnmap: declare('cuMemUnmap(CUdeviceptr ptr, size_t size)', (call) => (pointer: DevicePtr, bytes: number): void => {
    call(pointer, sizeIn(bytes));
  }),

  /** `flags`: AccessFlag, for one device. */
  memSetAccess: declare(
    'cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)',
    (call) =>
      (pointer: DevicePtr, bytes: number, deviceOrdinal: number, flags: number): void => {
        call(pointer, sizeIn(bytes), { location: { type: LocationType.DEVICE, id: deviceOrdinal }, flags }, 1);
      },
  ),

  /** The handle behind a mapped address; to be released. INVALID_VALUE for memory that cuMemCreate did not make. */
  memRetainAllocationHandle: declare(
    'cuMemRetainAllocationHandle(_Out_ CUmemGenericAllocationHandle *handle, void *addr)',
    (call) => {
      const handle = new BigUint64Array(1);
      return (pointer: DevicePtr): AllocationHandle => {
        call(handle, pointer);
        return (handle[0] ?? 0n) as AllocationHandle;
      };
    },
  ),

  /** AccessFlag that a device has at a mapped address. */
  memGetAccess: declare(
    'cuMemGetAccess(_Out_ uint64_t *flags, const CUmemLocation *location, CUdeviceptr ptr)',
    (call) => {
      const flags = new BigUint64Array(1);
      return (pointer: DevicePtr, deviceOrdinal: number): number => {
        call(flags, { type: LocationType.DEVICE, id: deviceOrdinal }, pointer);
        return toSize(flags[0] ?? 0n);
      };
    },
  ),

  /** What an allocation was made with. */
  memGetAllocationPropertiesFromHandle: declare(
    'cuMemGetAllocationPropertiesFromHandle(_Out_ CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)',
    (call) => {
      const bytes = new Uint8Array(32);
      const fields = new DataView(bytes.buffer);
      return (handle: AllocationHandle): FoundProperties => {
        call(bytes, handle);
        return {
          handleTypes: fields.getInt32(4, true),
          locationType: fields.getInt32(8, true),
          deviceOrdinal: fields.getInt32(12, true),
        };
      };
    },
  ),
};
