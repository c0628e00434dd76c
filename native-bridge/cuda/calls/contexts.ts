/** Contexts. The current one belongs to the thread that set it. */
import { declare } from '../declare';
import type { Context, DeviceId } from '../types';

export const contexts = {
  /** The device's primary context, which the runtime API uses too. Each retain needs its release. */
  devicePrimaryCtxRetain: declare('cuDevicePrimaryCtxRetain(_Out_ CUcontext *pctx, CUdevice dev)', (call) => {
    const context = new BigUint64Array(1);
    return (device: DeviceId): Context => {
      call(context, device);
      return (context[0] ?? 0n) as Context;
    };
  }),

  devicePrimaryCtxRelease: declare('cuDevicePrimaryCtxRelease_v2(CUdevice dev)', (call) => (device: DeviceId): void => {
    call(device);
  }),

  devicePrimaryCtxGetState: declare(
    'cuDevicePrimaryCtxGetState(CUdevice dev, _Out_ unsigned int *flags, _Out_ int *active)',
    (call) => {
      const flags = new Uint32Array(1);
      const active = new Int32Array(1);
      return (device: DeviceId): { flags: number; active: boolean } => {
        call(device, flags, active);
        return { flags: flags[0] ?? 0, active: active[0] !== 0 };
      };
    },
  ),

  /** A further context beside the primary one; it becomes current. The app itself uses primary contexts only. */
  ctxCreate: declare('cuCtxCreate_v2(_Out_ CUcontext *pctx, unsigned int flags, CUdevice dev)', (call) => {
    const context = new BigUint64Array(1);
    return (flags: number, device: DeviceId): Context => {
      call(context, flags, device);
      return (context[0] ?? 0n) as Context;
    };
  }),

  ctxDestroy: declare('cuCtxDestroy_v2(CUcontext ctx)', (call) => (context: Context): void => {
    call(context);
  }),

  /** Replaces the thread's current context; 0n for none. */
  ctxSetCurrent: declare('cuCtxSetCurrent(CUcontext ctx)', (call) => (context: Context): void => {
    call(context);
  }),

  /** 0n when the thread has none. */
  ctxGetCurrent: declare('cuCtxGetCurrent(_Out_ CUcontext *pctx)', (call) => {
    const context = new BigUint64Array(1);
    return (): Context => {
      call(context);
      return (context[0] ?? 0n) as Context;
    };
  }),

  ctxPushCurrent: declare('cuCtxPushCurrent_v2(CUcontext ctx)', (call) => (context: Context): void => {
    call(context);
  }),

  ctxPopCurrent: declare('cuCtxPopCurrent_v2(_Out_ CUcontext *pctx)', (call) => {
    const context = new BigUint64Array(1);
    return (): Context => {
      call(context);
      return (context[0] ?? 0n) as Context;
    };
  }),

  /** Device of the current context. */
  ctxGetDevice: declare('cuCtxGetDevice(_Out_ CUdevice *device)', (call) => {
    const device = new Int32Array(1);
    return (): DeviceId => {
      call(device);
      return (device[0] ?? 0) as DeviceId;
    };
  }),

  /** Blocks until everything queued in the current context is done. */
  ctxSynchronize: declare('cuCtxSynchronize(void)', (call) => (): void => {
    call();
  }),

  /** Lets the current context reach memory of `peer`. A second time is PEER_ACCESS_ALREADY_ENABLED. */
  ctxEnablePeerAccess: declare(
    'cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)',
    (call) =>
      (peer: Context): void => {
        call(peer, 0);
      },
  ),

  ctxDisablePeerAccess: declare('cuCtxDisablePeerAccess(CUcontext peerContext)', (call) => (peer: Context): void => {
    call(peer);
  }),
};
