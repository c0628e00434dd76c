/** Importing a file descriptor of any process: what was typed, as a descriptor. Pure. */
import { printDescriptor } from '#contract/descriptor';
import { parseHandle } from '#contract/handle-text';
import { decode } from '#contract/paste/item';
import { parseSize } from '#contract/units';

/** `pool`: the descriptor of a memory pool. `virtual`: of physical memory. */
export type ForeignKind = 'pool' | 'virtual';

export interface ForeignForm {
  readonly pid: string;
  readonly fd: string;
  readonly kind: ForeignKind;
  /** Bytes of the physical memory, which its descriptor does not say. */
  readonly size: string;
  /** 64 bytes of memory in the pool; empty for the pool alone. */
  readonly pointer: string;
}

export const emptyForeign: ForeignForm = { pid: '', fd: '', kind: 'virtual', size: '', pointer: '' };

export type ForeignField = 'pid' | 'fd' | 'size' | 'pointer';

export type ForeignReading =
  | { readonly ok: true; readonly pid: number; readonly fd: number; readonly descriptor: string | undefined }
  | { readonly ok: false; readonly problems: Partial<Record<ForeignField, string>> };

/** A whole number of decimal digits, as the kernel counts processes and descriptors. */
export function wholeNumber(text: string, least: number): number | undefined {
  const value = /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= 0x7fffffff ? value : undefined;
}

/** What is a file of the simulator says in its name what it is; the driver's are all alike. */
export const kindOfFile = (file: string): ForeignKind | undefined =>
  /sim\.pool\b/.test(file) ? 'pool' : /sim\.physical\b/.test(file) ? 'virtual' : undefined;

/** @param uuid of the device that it would be opened on; `descriptor` is undefined for a pool alone */
export function readForeign(form: ForeignForm, uuid: string): ForeignReading {
  const pid = wholeNumber(form.pid, 1);
  const fd = wholeNumber(form.fd, 0);
  const problems: Partial<Record<ForeignField, string>> = {};
  if (pid === undefined) problems.pid = 'A pid is a whole number, 1 or more.';
  if (fd === undefined) problems.fd = 'A descriptor is a whole number, 0 or more.';
  const common = {
    format: 'gpu-ipc-descriptor',
    version: 1,
    exporter: { pid: pid ?? 1 },
    device: { uuid },
    offset: 0,
  } as const;
  if (form.kind === 'virtual') {
    const size = parseSize(form.size);
    if (!size.ok || size.bytes < 1) problems.size = size.ok ? 'At least 1 byte.' : size.problem;
    if (pid === undefined || fd === undefined || !size.ok || size.bytes < 1) return { ok: false, problems };
    const { bytes } = size;
    const descriptors = [{ fd, bytes }];
    const descriptor = printDescriptor({
      ...common,
      mechanism: 'virtual',
      descriptors,
      size: bytes,
      allocationSize: bytes,
    });
    return { ok: true, pid, fd, descriptor };
  }
  const pointer = form.pointer.trim() === '' ? undefined : parseHandle(form.pointer);
  if (pointer?.ok === false) problems.pointer = pointer.problem;
  if (pid === undefined || fd === undefined || pointer?.ok === false) return { ok: false, problems };
  if (pointer === undefined) return { ok: true, pid, fd, descriptor: undefined };
  const handle = Array.from(pointer.handle, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const size = decode(pointer.handle).allocationSize ?? 0;
  const descriptors = [{ fd, bytes: null }];
  return {
    ok: true,
    pid,
    fd,
    descriptor: printDescriptor({ ...common, mechanism: 'pool', handle, descriptors, size }),
  };
}
