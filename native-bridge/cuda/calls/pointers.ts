/** What the driver knows about an address. */
import { declare } from '../declare';
import { toSize } from '../numbers';
import { NOT_FOUND } from '../results';
import type { DevicePtr } from '../types';

export const pointers = {
  /**
   * Base and size of the allocation, own or imported, that an address lies in; not the driver block around a small
   * one. Undefined when the address is nobody's (NOT_FOUND).
   */
  memGetAddressRange: declare(
    'cuMemGetAddressRange_v2(_Out_ CUdeviceptr *pbase, _Out_ size_t *psize, CUdeviceptr dptr)',
    (call) => {
      const base = new BigUint64Array(1);
      const size = new BigUint64Array(1);
      return (pointer: DevicePtr): { base: DevicePtr; bytes: number } | undefined => {
        if (call(base, size, pointer) !== 0) return undefined;
        return { base: (base[0] ?? 0n) as DevicePtr, bytes: toSize(size[0] ?? 0n) };
      };
    },
    { answers: [NOT_FOUND] },
  ),

  /**
   * One PointerAttribute as its raw 64 bits; see `decodePointerAttribute` for what they mean. INVALID_VALUE for an
   * address of nobody and for an attribute this driver does not know.
   */
  pointerGetAttribute: declare('cuPointerGetAttribute(_Out_ void *data, CUenum attribute, CUdeviceptr ptr)', (call) => {
    // 16 bytes, because P2P_TOKENS are two values; zeroed each time, because a flag writes only part of it.
    const data = new BigUint64Array(2);
    return (attribute: number, pointer: DevicePtr): bigint => {
      data.fill(0n);
      call(data, attribute, pointer);
      return data[0] ?? 0n;
    };
  }),
};
