/** The host's own refusals as typed errors, in words for people. */

import type { ByteRange } from '#contract/ranges';
import { GpuIpcError } from '#contract/result';
import { formatCount } from '#contract/units';

export const notFound = (what: string, id: string): GpuIpcError =>
  new GpuIpcError({ code: 'not-found', message: `This process has no ${what} ${id}.` });

export const closed = (message: string, hint?: string): GpuIpcError =>
  new GpuIpcError({ code: 'closed', message, hint });

export const invalid = (message: string, hint?: string): GpuIpcError =>
  new GpuIpcError({ code: 'invalid-argument', message, hint });

export const unsupported = (message: string, hint?: string): GpuIpcError =>
  new GpuIpcError({ code: 'unsupported', message, hint });

export const ending = (): GpuIpcError =>
  new GpuIpcError({ code: 'host-lost', message: 'This process is being ended.' });

/** A range that does not lie inside an object of `size` bytes. */
export function outOfRange({ offset, length }: ByteRange, label: string, size: number): GpuIpcError {
  // The end may lie beyond 2^53, where a sum of numbers is not exact.
  const whole = Number.isInteger(offset) && Number.isInteger(length);
  const end = whole ? BigInt(offset) + BigInt(length) : offset + length;
  return new GpuIpcError({
    code: 'out-of-range',
    message: `Bytes ${formatCount(offset)} to ${formatCount(end)} do not lie inside ${label}, which has ${formatCount(size)}.`,
    hint: offset < size ? `At most ${formatCount(size - offset)} bytes can be used from there.` : undefined,
  });
}
