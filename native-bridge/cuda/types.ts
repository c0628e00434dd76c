/**
 * Branded types of the bridge. koffi 3 represents every pointer as a bare BigInt and a wrong one kills the process, so
 * the compiler keeps them apart: a Stream never passes for a DevicePtr. Only `calls/` makes these values.
 */

declare const brand: unique symbol;
type Brand<T, B extends string> = T & { readonly [brand]: B };

/** CUdevice: what cuDeviceGet answers for an ordinal. */
export type DeviceId = Brand<number, 'CUdevice'>;
/** CUdeviceptr: an address as the GPU sees it. Interior addresses are DevicePtr too; see `offsetBy`. */
export type DevicePtr = Brand<bigint, 'CUdeviceptr'>;
/** Address of page-locked host memory that the driver allocated. */
export type HostPtr = Brand<bigint, 'host pointer'>;
/** CUcontext; 0n is none. */
export type Context = Brand<bigint, 'CUcontext'>;
/** CUstream; 0n is the default stream of the current context. */
export type Stream = Brand<bigint, 'CUstream'>;
/** CUevent, own or imported. */
export type EventHandle = Brand<bigint, 'CUevent'>;
/** CUmemoryPool. */
export type MemPool = Brand<bigint, 'CUmemoryPool'>;
/** CUmemGenericAllocationHandle of cuMemCreate. */
export type AllocationHandle = Brand<bigint, 'CUmemGenericAllocationHandle'>;
/** CUmodule. */
export type Module = Brand<bigint, 'CUmodule'>;
/** CUfunction. */
export type Kernel = Brand<bigint, 'CUfunction'>;

/** The 64 bytes of a CUipcMemHandle: a capability for another process's memory. Never log them. */
export type MemHandleBytes = Brand<Uint8Array, 'CUipcMemHandle'>;
/** The 64 bytes of a CUipcEventHandle. */
export type EventHandleBytes = Brand<Uint8Array, 'CUipcEventHandle'>;
/** The 64 bytes of a CUmemPoolPtrExportData. Worth nothing without the pool's file descriptor. */
export type PoolPointerBytes = Brand<Uint8Array, 'CUmemPoolPtrExportData'>;

/** The 64 bytes of a CUmemFabricHandle. */
export type FabricHandleBytes = Brand<Uint8Array, 'CUmemFabricHandle'>;

export const IPC_HANDLE_BYTES = 64;

export const NO_CONTEXT = 0n as Context;
export const DEFAULT_STREAM = 0n as Stream;

/** The address `bytes` further on; negative goes back. The driver, not this function, knows whether it is valid. */
export const offsetBy = (pointer: DevicePtr, bytes: number | bigint): DevicePtr =>
  (pointer + BigInt(bytes)) as DevicePtr;

/** Takes a number from outside (a parsed address) as a device address. The one place where the brand is claimed. */
export const asDevicePtr = (address: bigint): DevicePtr => address as DevicePtr;

/** Takes 64 bytes as a memory handle. */
export const asMemHandle = (bytes: Uint8Array): MemHandleBytes => sized(bytes) as MemHandleBytes;

/** Takes 64 bytes as an event handle. */
export const asEventHandle = (bytes: Uint8Array): EventHandleBytes => sized(bytes) as EventHandleBytes;

/** Takes 64 bytes as what a pool's allocation is imported from. */
export const asPoolPointer = (bytes: Uint8Array): PoolPointerBytes => sized(bytes) as PoolPointerBytes;

/** Takes 64 bytes as a fabric handle. */
export const asFabricHandle = (bytes: Uint8Array): FabricHandleBytes => sized(bytes) as FabricHandleBytes;

/** The wire form of an address: `0x7f…`, lower case, no leading zeros. */
export const toAddress = (pointer: bigint): string => `0x${pointer.toString(16)}`;

function sized(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength !== IPC_HANDLE_BYTES) throw new RangeError(`a handle has 64 bytes, not ${bytes.byteLength}`);
  return bytes;
}
