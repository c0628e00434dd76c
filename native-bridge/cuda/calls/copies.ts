/**
 * Copies and fills. The copy calls check the allocation's range: one byte past its end is INVALID_VALUE. The plain ones
 * return when the bytes are there; those with a stream return at once, and then the JavaScript buffer must stay
 * referenced and untouched until the stream is done.
 */
import { declare } from '../declare';
import { fits, sizeIn } from '../numbers';
import type { DevicePtr, Stream } from '../types';

export const copies = {
  /** Device to host, into the first `bytes` bytes of `into` (all of it unless given). */
  memcpyDtoH: declare(
    'cuMemcpyDtoH_v2(_Out_ void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)',
    (call) =>
      (into: Uint8Array, from: DevicePtr, bytes: number = into.byteLength): void => {
        call(into, from, fits(into, bytes));
      },
  ),

  /** Host to device. */
  memcpyHtoD: declare(
    'cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)',
    (call) =>
      (to: DevicePtr, from: Uint8Array, bytes: number = from.byteLength): void => {
        call(to, from, fits(from, bytes));
      },
  ),

  memcpyDtoD: declare(
    'cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)',
    (call) =>
      (to: DevicePtr, from: DevicePtr, bytes: number): void => {
        call(to, from, sizeIn(bytes));
      },
  ),

  memcpyDtoHAsync: declare(
    'cuMemcpyDtoHAsync_v2(_Out_ void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)',
    (call) =>
      (into: Uint8Array, from: DevicePtr, stream: Stream, bytes: number = into.byteLength): void => {
        call(into, from, fits(into, bytes), stream);
      },
  ),

  memcpyHtoDAsync: declare(
    'cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)',
    (call) =>
      (to: DevicePtr, from: Uint8Array, stream: Stream, bytes: number = from.byteLength): void => {
        call(to, from, fits(from, bytes), stream);
      },
  ),

  memcpyDtoDAsync: declare(
    'cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)',
    (call) =>
      (to: DevicePtr, from: DevicePtr, bytes: number, stream: Stream): void => {
        call(to, from, sizeIn(bytes), stream);
      },
  ),

  /** `count` bytes of `value`. */
  memsetD8: declare(
    'cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)',
    (call) =>
      (to: DevicePtr, value: number, count: number): void => {
        call(to, value, sizeIn(count));
      },
  ),

  /** `count` little-endian 16-bit values; the address must be aligned to 2. */
  memsetD16: declare(
    'cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)',
    (call) =>
      (to: DevicePtr, value: number, count: number): void => {
        call(to, value, sizeIn(count, 'count'));
      },
  ),

  /** `count` little-endian 32-bit values; the address must be aligned to 4. */
  memsetD32: declare(
    'cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)',
    (call) =>
      (to: DevicePtr, value: number, count: number): void => {
        call(to, value, sizeIn(count, 'count'));
      },
  ),

  memsetD8Async: declare(
    'cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)',
    (call) =>
      (to: DevicePtr, value: number, count: number, stream: Stream): void => {
        call(to, value, sizeIn(count), stream);
      },
  ),

  memsetD32Async: declare(
    'cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)',
    (call) =>
      (to: DevicePtr, value: number, count: number, stream: Stream): void => {
        call(to, value, sizeIn(count, 'count'), stream);
      },
  ),
};
