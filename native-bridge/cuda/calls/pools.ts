/** Stream-ordered memory, as far as it is needed to tell it from memory that a legacy handle can share. */
import { AllocationType, LocationType } from '../constants';
import { declare } from '../declare';
import { sizeIn } from '../numbers';
import type { DevicePtr, MemPool, Stream } from '../types';

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
};
