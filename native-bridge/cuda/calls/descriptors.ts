/**
 * Sharing by file descriptor: pools, the allocations in them, and virtual memory. A descriptor keeps what it stands for
 * alive as long as anybody has it open, and nothing closes it by itself: who exports closes it, and who imports closes
 * the one that arrived once it is imported.
 */
import { HandleType } from '../constants';
import { declare } from '../declare';
import {
  type AllocationHandle,
  type DevicePtr,
  type FabricHandleBytes,
  IPC_HANDLE_BYTES,
  type MemPool,
  type PoolPointerBytes,
} from '../types';

/** As C casts an int to a pointer: this is how the driver takes a descriptor. */
const asPointer = (descriptor: number): bigint => BigInt.asUintN(64, BigInt(descriptor));

export const descriptors = {
  /** A new file descriptor of a pool that was created with POSIX_FILE_DESCRIPTOR. */
  memPoolExportToShareableHandle: declare(
    'cuMemPoolExportToShareableHandle(_Out_ void *handle_out, CUmemoryPool pool, CUenum handleType, uint64_t flags)',
    (call) => {
      const descriptor = new Int32Array(1);
      return (pool: MemPool): number => {
        call(descriptor, pool, HandleType.POSIX_FILE_DESCRIPTOR, 0);
        return descriptor[0] ?? -1;
      };
    },
    { since: '11.2' },
  ),

  /** A pool of another process, a new one each time. It gives no memory; see memPoolImportPointer. */
  memPoolImportFromShareableHandle: declare(
    'cuMemPoolImportFromShareableHandle(_Out_ CUmemoryPool *pool_out, void *handle, CUenum handleType, uint64_t flags)',
    (call) => {
      const pool = new BigUint64Array(1);
      return (descriptor: number): MemPool => {
        call(pool, asPointer(descriptor), HandleType.POSIX_FILE_DESCRIPTOR, 0);
        return (pool[0] ?? 0n) as MemPool;
      };
    },
    { since: '11.2' },
  ),

  /** What an allocation of a pool is imported from. The pool has to be exported before. */
  memPoolExportPointer: declare(
    'cuMemPoolExportPointer(_Out_ CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)',
    (call) =>
      (pointer: DevicePtr): PoolPointerBytes => {
        const data = new Uint8Array(IPC_HANDLE_BYTES);
        call(data, pointer);
        return data as PoolPointerBytes;
      },
    { since: '11.2' },
  ),

  /** An allocation of the imported pool, at its address here. Free it with memFreeAsync before the exporter does. */
  memPoolImportPointer: declare(
    'cuMemPoolImportPointer(_Out_ CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData)',
    (call) => {
      const pointer = new BigUint64Array(1);
      return (pool: MemPool, data: PoolPointerBytes): DevicePtr => {
        call(pointer, pool, data);
        return (pointer[0] ?? 0n) as DevicePtr;
      };
    },
    { since: '11.2' },
  ),

  /** A new file descriptor of memory that was created with POSIX_FILE_DESCRIPTOR. */
  memExportToShareableHandle: declare(
    'cuMemExportToShareableHandle(_Out_ void *shareableHandle, CUmemGenericAllocationHandle handle, CUenum handleType, uint64_t flags)',
    (call) => {
      const descriptor = new Int32Array(1);
      return (handle: AllocationHandle): number => {
        call(descriptor, handle, HandleType.POSIX_FILE_DESCRIPTOR, 0);
        return descriptor[0] ?? -1;
      };
    },
  ),

  /** Memory of another process, to be mapped, and to be released as often as it was imported. */
  memImportFromShareableHandle: declare(
    'cuMemImportFromShareableHandle(_Out_ CUmemGenericAllocationHandle *handle, void *osHandle, CUenum shHandleType)',
    (call) => {
      const handle = new BigUint64Array(1);
      return (descriptor: number): AllocationHandle => {
        call(handle, asPointer(descriptor), HandleType.POSIX_FILE_DESCRIPTOR);
        return (handle[0] ?? 0n) as AllocationHandle;
      };
    },
  ),

  /** The 64 bytes of memory that was created with FABRIC, for a process on any node of the fabric. */
  memExportToFabricHandle: declare(
    'cuMemExportToShareableHandle(_Out_ void *shareableHandle, CUmemGenericAllocationHandle handle, CUenum handleType, uint64_t flags)',
    (call) =>
      (handle: AllocationHandle): FabricHandleBytes => {
        const bytes = new Uint8Array(IPC_HANDLE_BYTES);
        call(bytes, handle, HandleType.FABRIC, 0);
        return bytes as FabricHandleBytes;
      },
    { since: '12.3' },
  ),

  /** The same memory here, as memImportFromShareableHandle gives it. */
  memImportFromFabricHandle: declare(
    'cuMemImportFromShareableHandle(_Out_ CUmemGenericAllocationHandle *handle, void *osHandle, CUenum shHandleType)',
    (call) => {
      const handle = new BigUint64Array(1);
      return (bytes: FabricHandleBytes): AllocationHandle => {
        call(handle, bytes, HandleType.FABRIC);
        return (handle[0] ?? 0n) as AllocationHandle;
      };
    },
    { since: '12.3' },
  ),
};
