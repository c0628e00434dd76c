/** Devices: what they are, and which reach each other. None of these needs a context. */
import { declare } from '../declare';
import { cString, toSize } from '../numbers';
import { INVALID_VALUE } from '../results';
import type { DeviceId } from '../types';

export const devices = {
  /** Devices this process may use (after CUDA_VISIBLE_DEVICES). */
  deviceGetCount: declare('cuDeviceGetCount(_Out_ int *count)', (call) => {
    const count = new Int32Array(1);
    return (): number => {
      call(count);
      return count[0] ?? 0;
    };
  }),

  deviceGet: declare('cuDeviceGet(_Out_ CUdevice *device, int ordinal)', (call) => {
    const device = new Int32Array(1);
    return (ordinal: number): DeviceId => {
      call(device, ordinal);
      return (device[0] ?? 0) as DeviceId;
    };
  }),

  /** `NVIDIA H200` */
  deviceGetName: declare('cuDeviceGetName(_Out_ char *name, int len, CUdevice dev)', (call) => {
    const name = new Uint8Array(256);
    return (device: DeviceId): string => {
      call(name, name.byteLength, device);
      return cString(name);
    };
  }),

  /** 16 bytes; of the MIG instance where there is one. */
  deviceGetUuid: declare(
    'cuDeviceGetUuid_v2(_Out_ CUuuid *uuid, CUdevice dev)',
    (call) =>
      (device: DeviceId): Uint8Array => {
        const uuid = new Uint8Array(16);
        call(uuid, device);
        return uuid;
      },
    { since: '9.2', older: 'cuDeviceGetUuid' },
  ),

  /** Memory of the device in bytes. */
  deviceTotalMem: declare('cuDeviceTotalMem_v2(_Out_ size_t *bytes, CUdevice dev)', (call) => {
    const bytes = new BigUint64Array(1);
    return (device: DeviceId): number => {
      call(bytes, device);
      return toSize(bytes[0] ?? 0n);
    };
  }),

  /** Value of a DeviceAttribute; undefined when this driver does not know the attribute (INVALID_VALUE). */
  deviceGetAttribute: declare(
    'cuDeviceGetAttribute(_Out_ int *pi, CUenum attrib, CUdevice dev)',
    (call) => {
      const value = new Int32Array(1);
      return (attribute: number, device: DeviceId): number | undefined =>
        call(value, attribute, device) === 0 ? value[0] : undefined;
    },
    { answers: [INVALID_VALUE] },
  ),

  /** `0000:19:00.0` */
  deviceGetPciBusId: declare('cuDeviceGetPCIBusId(_Out_ char *pciBusId, int len, CUdevice dev)', (call) => {
    const id = new Uint8Array(32);
    return (device: DeviceId): string => {
      call(id, id.byteLength, device);
      return cString(id);
    };
  }),

  /** Whether a context on `device` can reach memory of `peer` directly. */
  deviceCanAccessPeer: declare(
    'cuDeviceCanAccessPeer(_Out_ int *canAccessPeer, CUdevice dev, CUdevice peerDev)',
    (call) => {
      const can = new Int32Array(1);
      return (device: DeviceId, peer: DeviceId): boolean => {
        call(can, device, peer);
        return can[0] !== 0;
      };
    },
  ),

  /** Value of a P2PAttribute of the link; undefined when this driver does not know the attribute. */
  deviceGetP2PAttribute: declare(
    'cuDeviceGetP2PAttribute(_Out_ int *value, CUenum attrib, CUdevice srcDevice, CUdevice dstDevice)',
    (call) => {
      const value = new Int32Array(1);
      return (attribute: number, device: DeviceId, peer: DeviceId): number | undefined =>
        call(value, attribute, device, peer) === 0 ? value[0] : undefined;
    },
    { answers: [INVALID_VALUE] },
  ),
};
