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
  const bytes = (value: number): string => (Number.isSafeInteger(value) ? formatCount(value) : String(value));
  return new GpuIpcError({
    code: 'out-of-range',
    message: `Bytes ${bytes(offset)} to ${bytes(offset + length)} do not lie inside ${label}, which has ${bytes(size)}.`,
    hint: offset < size ? `At most ${bytes(size - offset)} bytes can be used from there.` : undefined,
  });
}
