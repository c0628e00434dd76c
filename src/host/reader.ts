/** Bytes out of device memory and into it, for allocations and mappings alike. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { fitsIn } from '#contract/ranges';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { MAX_TRANSFER_BYTES } from '#contract/values';
import { DEFAULT_STREAM, type DevicePtr, offsetBy, type Situation } from '#native/cuda/index';
import { assertUsable } from './address-range';
import type { HostState } from './host-state';
import type { MemoryTarget } from './objects';
import { invalid, outOfRange } from './problems';
import { SLOW_COPY_BYTES } from './session';
import { STAGING_BYTES } from './staging';

/** cuMemcpyDtoH_v2 of a range. Bytes of a small one lie in the staging memory: they are valid until the next call. */
export function read(host: HostState, { id, offset, length }: CheckedArgs<'memory.read'>): CallValue<'memory.read'> {
  const target = host.objects.memory(id);
  if (!fitsIn({ offset, length }, target.bytes)) throw outOfRange({ offset, length }, target.label, target.bytes);
  if (length > MAX_TRANSFER_BYTES) throw invalid(`One read moves at most 64 MiB, not ${formatBytes(length)}.`);
  assertUsable(target, { offset, length }, 'read');
  host.session.use(target.device);
  const from = offsetBy(target.pointer, offset);
  const about = {
    args: rangeText(target, offset, length),
    objectId: id,
    slow: length >= SLOW_COPY_BYTES,
    situation: situationOf(target),
  };
  if (length > STAGING_BYTES) {
    const bytes = new Uint8Array(length);
    host.session.call(about, (cuda) => cuda.memcpyDtoH(bytes, from));
    return { bytes, takenAt: Date.now() };
  }
  const staging = host.staging.atLeast(length);
  host.session.call(about, (cuda) => cuda.memcpyDtoH(staging, from, length));
  return { bytes: staging.subarray(0, length), takenAt: Date.now() };
}

/** cuMemcpyHtoD_v2 into an own allocation or a mapping. */
export function write(host: HostState, { id, offset, bytes }: CheckedArgs<'buffers.write'>): undefined {
  const target = host.objects.memory(id);
  const range = { offset, length: bytes.byteLength };
  if (!fitsIn(range, target.bytes)) throw outOfRange(range, target.label, target.bytes);
  assertUsable(target, range, 'write');
  writeBytes(host, target, offset, bytes);
}

/** Writes through the staging memory: all bytes are on the device when it returns. */
export function writeBytes(host: HostState, target: MemoryTarget, offset: number, bytes: Uint8Array): void {
  host.session.use(target.device);
  for (let done = 0; done < bytes.byteLength; done += STAGING_BYTES) {
    const part = bytes.subarray(done, done + STAGING_BYTES);
    const staging = host.staging.atLeast(part.byteLength);
    staging.set(part);
    copyToDevice(host, target, offset + done, staging, part.byteLength);
  }
}

/**
 * One cuMemcpyHtoD_v2 of the first `length` bytes of `from`, which is the staging memory. Where that could not be
 * page-locked, the copy may return before the bytes are there (docs/driver-facts.md): it is waited for.
 */
export function copyToDevice(
  host: HostState,
  target: MemoryTarget,
  offset: number,
  from: Uint8Array,
  length: number,
): void {
  const to: DevicePtr = offsetBy(target.pointer, offset);
  const about = { args: rangeText(target, offset, length), objectId: target.id, situation: situationOf(target) };
  host.session.call(about, (cuda) => cuda.memcpyHtoD(to, from, length));
  if (!host.staging.pageLocked) synchronise(host, target);
}

/** Waits for the default stream: what returned early is on the device then, and no other process sees half of it. */
export function synchronise(host: HostState, { label, bytes, id }: MemoryTarget): void {
  host.session.call({ args: `default stream, after ${label}, ${formatSize(bytes)}`, objectId: id }, (cuda) =>
    cuda.streamSynchronize(DEFAULT_STREAM),
  );
}

const situationOf = ({ noPoolAccess }: MemoryTarget): Situation => ({ noPoolAccess });

/** `activations + 4,096, 64 B`: where and how much, for the log. */
const rangeText = ({ label }: Pick<MemoryTarget, 'label'>, offset: number, length: number): string =>
  `${label}${offset === 0 ? '' : ` + ${formatCount(offset)}`}, ${formatBytes(length)}`;
