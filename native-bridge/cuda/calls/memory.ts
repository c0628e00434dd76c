/** Memory: allocate, free, and how much there is. All need a current context. */
import { declare } from '../declare';
import { sizeIn, toSize } from '../numbers';
import type { DevicePtr, HostPtr } from '../types';

export const memory = {
  /** Device memory, at least 256-byte aligned. Blocks under 2 MiB share a driver block with neighbours. */
  memAlloc: declare('cuMemAlloc_v2(_Out_ CUdeviceptr *dptr, size_t bytesize)', (call) => {
    const pointer = new BigUint64Array(1);
    return (bytes: number): DevicePtr => {
      call(pointer, sizeIn(bytes));
      return (pointer[0] ?? 0n) as DevicePtr;
    };
  }),

  /** Frees what memAlloc or memAllocManaged gave, by its base address. Never for imported memory. */
  memFree: declare('cuMemFree_v2(CUdeviceptr dptr)', (call) => (pointer: DevicePtr): void => {
    call(pointer);
  }),

  /** Managed memory (cannot be exported). `flags`: MemAttachFlag. */
  memAllocManaged: declare(
    'cuMemAllocManaged(_Out_ CUdeviceptr *dptr, size_t bytesize, unsigned int flags)',
    (call) => {
      const pointer = new BigUint64Array(1);
      return (bytes: number, flags: number): DevicePtr => {
        call(pointer, sizeIn(bytes), flags);
        return (pointer[0] ?? 0n) as DevicePtr;
      };
    },
  ),

  /** Page-locked host memory. */
  memAllocHost: declare('cuMemAllocHost_v2(_Out_ void **pp, size_t bytesize)', (call) => {
    const pointer = new BigUint64Array(1);
    return (bytes: number): HostPtr => {
      call(pointer, sizeIn(bytes));
      return (pointer[0] ?? 0n) as HostPtr;
    };
  }),

  /** Page-locked host memory with MemHostAllocFlag. */
  memHostAlloc: declare('cuMemHostAlloc(_Out_ void **pp, size_t bytesize, unsigned int Flags)', (call) => {
    const pointer = new BigUint64Array(1);
    return (bytes: number, flags: number): HostPtr => {
      call(pointer, sizeIn(bytes), flags);
      return (pointer[0] ?? 0n) as HostPtr;
    };
  }),

  memFreeHost: declare('cuMemFreeHost(void *p)', (call) => (pointer: HostPtr): void => {
    call(pointer);
  }),

  /** Where the device sees page-locked host memory. */
  memHostGetDevicePointer: declare(
    'cuMemHostGetDevicePointer_v2(_Out_ CUdeviceptr *pdptr, void *p, unsigned int Flags)',
    (call) => {
      const device = new BigUint64Array(1);
      return (pointer: HostPtr): DevicePtr => {
        call(device, pointer, 0);
        return (device[0] ?? 0n) as DevicePtr;
      };
    },
  ),

  /**
   * Page-locks a buffer of this process, so that copies into it run at full speed (54.8 instead of 12-15 GB/s). Keep a
   * reference to the buffer and unregister it before it is let go: the driver holds its pages.
   */
  memHostRegister: declare(
    'cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)',
    (call) =>
      (buffer: Uint8Array, flags = 0): void => {
        call(buffer, buffer.byteLength, flags);
      },
  ),

  memHostUnregister: declare('cuMemHostUnregister(void *p)', (call) => (buffer: Uint8Array): void => {
    call(buffer);
  }),

  /** Free and total bytes of the current context's device. */
  memGetInfo: declare('cuMemGetInfo_v2(_Out_ size_t *free, _Out_ size_t *total)', (call) => {
    const free = new BigUint64Array(1);
    const total = new BigUint64Array(1);
    return (): { freeBytes: number; totalBytes: number } => {
      call(free, total);
      return { freeBytes: toSize(free[0] ?? 0n), totalBytes: toSize(total[0] ?? 0n) };
    };
  }),
};
