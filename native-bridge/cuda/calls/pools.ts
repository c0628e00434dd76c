/** Memory pools and the stream-ordered memory that comes from them. */
import { AllocationType, LocationType } from '../constants';
import { declare } from '../declare';
import { sizeIn, toSize } from '../numbers';
import type { DeviceId, DevicePtr, MemPool, Stream } from '../types';

export interface PoolProperties {
  /** HandleType mask: as what the pool can be exported. */
  readonly handleTypes: number;
  readonly deviceOrdinal: number;
  /** 0 for no limit. */
  readonly maxBytes?: number;
}

export const pools = {
  /** From the device's default pool, in stream order. */
  memAllocAsync: declare(
    'cuMemAllocAsync(_Out_ CUdeviceptr *dptr, size_t bytesize, CUstream hStream)',
    (call) => {
      const pointer = new BigUint64Array(1);
      return (bytes: number, stream: Stream): DevicePtr => {
        call(pointer, sizeIn(bytes), stream);
        return (pointer[0] ?? 0n) as DevicePtr;
      };
    },
    { since: '11.2' },
  ),

  memFreeAsync: declare(
    'cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)',
    (call) =>
      (pointer: DevicePtr, stream: Stream): void => {
        call(pointer, stream);
      },
    { since: '11.2' },
  ),

  /** A pool of pinned memory on one device. */
  memPoolCreate: declare(
    'cuMemPoolCreate(_Out_ CUmemoryPool *pool, const CUmemPoolProps *poolProps)',
    (call) => {
      const pool = new BigUint64Array(1);
      return ({ handleTypes, deviceOrdinal, maxBytes = 0 }: PoolProperties): MemPool => {
        call(pool, {
          allocType: AllocationType.PINNED,
          handleTypes,
          location: { type: LocationType.DEVICE, id: deviceOrdinal },
          win32SecurityAttributes: null,
          maxSize: sizeIn(maxBytes),
          usage: 0,
          reserved: new Uint8Array(54),
        });
        return (pool[0] ?? 0n) as MemPool;
      };
    },
    { since: '11.2' },
  ),

  memPoolDestroy: declare(
    'cuMemPoolDestroy(CUmemoryPool pool)',
    (call) =>
      (pool: MemPool): void => {
        call(pool);
      },
    { since: '11.2' },
  ),

  memAllocFromPoolAsync: declare(
    'cuMemAllocFromPoolAsync(_Out_ CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)',
    (call) => {
      const pointer = new BigUint64Array(1);
      return (bytes: number, pool: MemPool, stream: Stream): DevicePtr => {
        call(pointer, sizeIn(bytes), pool, stream);
        return (pointer[0] ?? 0n) as DevicePtr;
      };
    },
    { since: '11.2' },
  ),

  /** The pool that memAllocAsync took before anybody chose another one. It cannot be exported or destroyed. */
  deviceGetDefaultMemPool: declare(
    'cuDeviceGetDefaultMemPool(_Out_ CUmemoryPool *pool_out, CUdevice dev)',
    (call) => {
      const pool = new BigUint64Array(1);
      return (device: DeviceId): MemPool => {
        call(pool, device);
        return (pool[0] ?? 0n) as MemPool;
      };
    },
    { since: '11.2' },
  ),

  /** The pool that memAllocAsync takes now. */
  deviceGetMemPool: declare(
    'cuDeviceGetMemPool(_Out_ CUmemoryPool *pool, CUdevice dev)',
    (call) => {
      const pool = new BigUint64Array(1);
      return (device: DeviceId): MemPool => {
        call(pool, device);
        return (pool[0] ?? 0n) as MemPool;
      };
    },
    { since: '11.2' },
  ),

  /** From now on memAllocAsync takes this pool of the device; an imported one is refused. */
  deviceSetMemPool: declare(
    'cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)',
    (call) =>
      (device: DeviceId, pool: MemPool): void => {
        call(device, pool);
      },
    { since: '11.2' },
  ),

  /** Gives memory that is reserved and not used back to the system, down to `keepBytes`. */
  memPoolTrimTo: declare(
    'cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)',
    (call) =>
      (pool: MemPool, keepBytes: number): void => {
        call(pool, sizeIn(keepBytes));
      },
    { since: '11.2' },
  ),

  /** One PoolAttribute: bytes, or 0 and 1 of those that are switches. */
  memPoolGetAttribute: declare(
    'cuMemPoolGetAttribute(CUmemoryPool pool, CUenum attr, _Out_ void *value)',
    (call) => {
      // Switches are 32 bits, bytes 64: the rest has to be 0.
      const value = new BigUint64Array(1);
      return (pool: MemPool, attribute: number): number => {
        value[0] = 0n;
        call(pool, attribute, value);
        return toSize(value[0] ?? 0n);
      };
    },
    { since: '11.2' },
  ),

  memPoolSetAttribute: declare(
    'cuMemPoolSetAttribute(CUmemoryPool pool, CUenum attr, void *value)',
    (call) =>
      (pool: MemPool, attribute: number, value: number): void => {
        call(pool, attribute, BigUint64Array.of(BigInt(sizeIn(value))));
      },
    { since: '11.2' },
  ),

  /** AccessFlag that a device has to the pool's memory: READWRITE or NONE. */
  memPoolGetAccess: declare(
    'cuMemPoolGetAccess(_Out_ CUenum *flags, CUmemoryPool memPool, CUmemLocation *location)',
    (call) => {
      const flags = new Int32Array(1);
      return (pool: MemPool, deviceOrdinal: number): number => {
        call(flags, pool, { type: LocationType.DEVICE, id: deviceOrdinal });
        return flags[0] ?? 0;
      };
    },
    { since: '11.2' },
  ),

  /** Lets another device use the pool's memory, what is allocated and what will be; imported pools have it apart. */
  memPoolSetAccess: declare(
    'cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)',
    (call) =>
      (pool: MemPool, deviceOrdinal: number, flags: number): void => {
        call(pool, { location: { type: LocationType.DEVICE, id: deviceOrdinal }, flags }, 1);
      },
    { since: '11.2' },
  ),
};
