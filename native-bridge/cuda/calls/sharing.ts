/** Legacy sharing (cuIpc*): 64 bytes that another process turns into the same memory or event. */
import { declare, type HandleByValue } from '../declare';
import {
  type DevicePtr,
  type EventHandle,
  type EventHandleBytes,
  IPC_HANDLE_BYTES,
  type MemHandleBytes,
} from '../types';

const handleBytes = () => new Uint8Array(IPC_HANDLE_BYTES);

/** Where the caller's own 64 bytes are used the driver writes straight into them: no allocation, 0.1 µs. */
function checkedInto(into: Uint8Array): Uint8Array {
  if (into.byteLength < IPC_HANDLE_BYTES) throw new RangeError('a handle needs 64 bytes');
  return into;
}

export const sharing = {
  /**
   * The handle of the allocation that `pointer` lies in: an interior address gives the handle of the base, so the
   * offset has to travel beside it. Cheap and repeatable; the same allocation gives the same bytes.
   * @param into 64 bytes to write into, instead of new ones
   */
  ipcGetMemHandle: declare(
    'cuIpcGetMemHandle(_Out_ CUipcMemHandle *pHandle, CUdeviceptr dptr)',
    (call) =>
      (pointer: DevicePtr, into: Uint8Array = handleBytes()): MemHandleBytes => {
        call(checkedInto(into), pointer);
        return into as MemHandleBytes;
      },
  ),

  /**
   * Maps another process's allocation and answers its base address here. Opening again adds a reference and answers
   * the same address.
   * @param flags IpcMemFlag: the driver refuses everything without LAZY_ENABLE_PEER_ACCESS
   */
  ipcOpenMemHandle: declare(
    'cuIpcOpenMemHandle_v2(_Out_ CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)',
    (call) => {
      const pointer = new BigUint64Array(1);
      // By value: koffi copies the 64 bytes from a typed array member. A bare Uint8Array in its place would be taken
      // for a struct without members and sent as zeros, without an error.
      const byValue: HandleByValue = { reserved: handleBytes() };
      return (handle: MemHandleBytes, flags: number): DevicePtr => {
        byValue.reserved = handle;
        call(pointer, byValue, flags);
        return (pointer[0] ?? 0n) as DevicePtr;
      };
    },
  ),

  /** One reference less; the mapping goes with the last. The exporter and other importers keep theirs. */
  ipcCloseMemHandle: declare('cuIpcCloseMemHandle(CUdeviceptr dptr)', (call) => (pointer: DevicePtr): void => {
    call(pointer);
  }),

  /** The handle of an event created with INTERPROCESS and DISABLE_TIMING. */
  ipcGetEventHandle: declare(
    'cuIpcGetEventHandle(_Out_ CUipcEventHandle *pHandle, CUevent event)',
    (call) =>
      (event: EventHandle, into: Uint8Array = handleBytes()): EventHandleBytes => {
        call(checkedInto(into), event);
        return into as EventHandleBytes;
      },
  ),

  /** Another process's event as one of this process; a different CUevent each time. Destroy it with eventDestroy. */
  ipcOpenEventHandle: declare('cuIpcOpenEventHandle(_Out_ CUevent *phEvent, CUipcEventHandle handle)', (call) => {
    const event = new BigUint64Array(1);
    const byValue: HandleByValue = { reserved: handleBytes() };
    return (handle: EventHandleBytes): EventHandle => {
      byValue.reserved = handle;
      call(event, byValue);
      return (event[0] ?? 0n) as EventHandle;
    };
  }),
};
