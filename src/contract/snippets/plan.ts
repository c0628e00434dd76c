/** What a snippet has to do, worked out from a descriptor once for all languages. */
import { readDescriptor, type ShareDescriptor } from '#contract/descriptor';
import { bytesOfElements, type DtypeId, dtypes, elementsInBytes } from '#contract/dtypes';

/** Bytes that an importer prints; fewer where there are fewer. */
const FIRST_BYTES = 16;
/** The driver puts smaller legacy allocations into one block, and a handle then opens all of it. */
export const BLOCK_BYTES = 2 * 1024 * 1024;

export type Mechanism = ShareDescriptor['mechanism'];

/** How the bytes are to be read as numbers. */
export interface ArrayPlan {
  readonly dtype: DtypeId;
  /** Elements per dimension, outermost first. */
  readonly shape: readonly number[];
  /** Elements from one index to the next; undefined: row after row without gaps. */
  readonly strides: readonly number[] | undefined;
}

export interface Plan {
  readonly mechanism: Mechanism;
  /** 128 hexadecimal digits; empty for virtual memory. */
  readonly handle: string;
  /** Event to wait for before reading, as 128 hexadecimal digits. */
  readonly event: string | undefined;
  /** As in the descriptor: GPU- or MIG- and the UUID. */
  readonly device: string;
  readonly exporterPid: number;
  /** Bytes from the start of what is opened to the data. */
  readonly offset: number;
  /** Bytes of the data. */
  readonly size: number;
  /** Bytes to be mapped: offset, data, and what is behind them. */
  readonly total: number;
  /** How many bytes are printed. */
  readonly first: number;
  /** File descriptors in the exporter, each with the bytes behind it, in the order of addresses. */
  readonly pieces: readonly { readonly fd: number; readonly bytes: number }[];
  /** Undefined: nothing says what the bytes are, or it does not fit them (a note says so). */
  readonly array: ArrayPlan | undefined;
  /** One line for people: what is opened. */
  readonly subject: string;
  readonly notes: readonly string[];
}

export type PlanReading = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly why: string };

/**
 * Reads a descriptor as what to open. Also the guard of the generated code: everything that goes into it verbatim has
 * passed the schema here.
 */
export function planFor(descriptor: ShareDescriptor): PlanReading {
  const reading = readDescriptor(descriptor);
  if (!reading.ok) return { ok: false, why: reading.problems.map(({ message }) => message).join(' ') };
  const { mechanism, offset, size, device, exporter, event } = reading.descriptor;
  if (mechanism !== 'event' && size === 0) {
    return { ok: false, why: 'The descriptor says 0 bytes: there is nothing to open.' };
  }
  const end = offset + size;
  if (!Number.isSafeInteger(end)) return { ok: false, why: '“offset” and “size” together are too large.' };

  const mapped = piecesOf(reading.descriptor, end);
  if (typeof mapped === 'string') return { ok: false, why: mapped };

  const notes: string[] = [];
  const array = arrayOf(reading.descriptor, notes);
  return {
    ok: true,
    plan: {
      mechanism,
      handle: reading.descriptor.handle ?? '',
      event,
      device: device.uuid,
      exporterPid: exporter.pid,
      offset,
      size,
      total: mapped.total,
      first: Math.min(size, FIRST_BYTES),
      pieces: mapped.pieces,
      array,
      subject: subjectOf(reading.descriptor),
      notes,
    },
  };
}

/** What has to be mapped; a sentence when the descriptor does not say how much. */
function piecesOf(
  { mechanism, descriptors = [], allocationSize }: ShareDescriptor,
  end: number,
): { readonly pieces: Plan['pieces']; readonly total: number } | string {
  if (mechanism === 'fabric') {
    if (allocationSize === undefined) {
      return 'Fabric memory is mapped as a whole, and the descriptor does not say how large it is (“allocationSize”).';
    }
    return allocationSize < end
      ? `The data end at byte ${end}, and the memory has ${allocationSize}.`
      : { pieces: [], total: allocationSize };
  }
  if (mechanism !== 'virtual') {
    return { pieces: descriptors.map(({ fd }) => ({ fd, bytes: 0 })), total: Math.max(allocationSize ?? 0, end) };
  }
  const sizes = descriptors.map(({ bytes }) => bytes ?? (descriptors.length === 1 ? allocationSize : undefined));
  const pieces = descriptors.map(({ fd }, index) => ({ fd, bytes: sizes[index] ?? 0 }));
  if (pieces.some(({ bytes }) => bytes === 0)) {
    return 'Virtual memory is mapped as a whole, and the descriptor does not say how large each memory is (“descriptors.bytes”).';
  }
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  return total < end ? `The data end at byte ${end}, and the memory has ${total}.` : { pieces, total };
}

function arrayOf({ dtype, shape, strides, size, byteOrder }: ShareDescriptor, notes: string[]): ArrayPlan | undefined {
  if (dtype === undefined) return undefined;
  if (byteOrder === 'big') {
    notes.push(
      'The values are big-endian, and a GPU is little-endian: they are read as bytes here, to be swapped first.',
    );
    return undefined;
  }
  const elements = shape ?? [elementsInBytes(size, dtype)];
  const needed = bytesOfElements(extentOf({ shape: elements, strides }), dtype);
  if (needed > size) {
    notes.push(`The shape needs ${needed} bytes, and the data have ${size}: they are read as bytes here.`);
    return undefined;
  }
  return { dtype, shape: elements, strides };
}

/** Elements from the first to behind the last one that an index reaches. */
export function extentOf({ shape, strides }: Pick<ArrayPlan, 'shape' | 'strides'>): number {
  if (shape.includes(0)) return 0;
  if (strides === undefined) return shape.reduce((product, count) => product * count, 1);
  return 1 + shape.reduce((last, count, dimension) => last + (count - 1) * (strides[dimension] ?? 0), 0);
}

/** `262,144 bytes of “weights” (f32, 256 × 256) of process 4242` */
function subjectOf({ mechanism, size, label, dtype, shape, exporter }: ShareDescriptor): string {
  const named = label === undefined ? '' : ` “${inComment(label)}”`;
  const by = exporter.name === undefined ? '' : ` (“${inComment(exporter.name)}”)`;
  const whose = `of process ${exporter.pid}${by}`;
  if (mechanism === 'event') return `the event${named} ${whose}`;
  const what = [...(dtype === undefined ? [] : [dtypes[dtype].name]), ...(shape?.length ? [shape.join(' × ')] : [])];
  const count = `${size.toLocaleString('en-US')} byte${size === 1 ? '' : 's'}`;
  return `${count}${named === '' ? '' : ` of${named}`}${what.length === 0 ? '' : ` (${what.join(', ')})`} ${whose}`;
}

/** A text of somebody else, made safe for one line of a comment in any language: no line ends, nothing invisible. */
const inComment = (text: string): string => text.replace(/[\p{Zl}\p{Zp}\p{Cc}\p{Cf}\p{Cs}]/gu, ' ').trim();
