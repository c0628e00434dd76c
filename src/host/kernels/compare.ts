/** Where two ranges differ. */
import { offsetBy } from '#native/cuda/index';
import { asDouble, type KernelDevice } from './device';
import { elementCount, elementsOf } from './elements';
import { runsOf, type Scan, scan } from './scan';
import type { BufferComparison, ByteSpan, CompareOptions, Job, MemoryRange } from './types';

export async function compare(
  device: KernelDevice,
  a: MemoryRange,
  b: MemoryRange,
  { dtype, absolute = 0, relative = 0, nanEqual = true, limit }: CompareOptions,
  job: Job,
): Promise<BufferComparison> {
  const bytes = Math.min(a.bytes, b.bytes);
  const elements = dtype === undefined ? undefined : elementsOf(dtype);
  const bits = elements?.bits ?? 8;
  const count = elements ? elementCount(elements, bytes) : bytes;
  const what: Scan = {
    kernel: elements ? 'compare_values' : 'compare_bytes',
    bits,
    positions: count,
    label: `${a.label} and ${b.label}`,
    argumentsFrom: (offset, positions) => {
      const memory = [offsetBy(a.pointer, offset), offsetBy(b.pointer, offset), positions];
      if (!elements) return memory;
      return [...memory, elements.type, asDouble(absolute), asDouble(relative), nanEqual ? 1 : 0];
    },
  };
  const ranges: { from: number; to: number }[] = [];
  let more = false;
  const differing = await device.withLane((lane) =>
    scan(device, lane, job, what, { backwards: false, countAll: true }, (group) => {
      for (const [from, to] of runsOf(group)) {
        const last = ranges.at(-1);
        // In bytes: two elements of half a byte that differ are one range when they share it.
        const start = Math.floor((from * bits) / 8);
        const end = Math.ceil((to * bits) / 8);
        if (last && start <= last.to) {
          last.to = Math.max(last.to, end);
        } else if (ranges.length >= limit) {
          more = true;
          return false;
        } else {
          ranges.push({ from: start, to: end });
        }
      }
      return true;
    }),
  );
  const spans: ByteSpan[] = ranges.map(({ from, to }) => ({ offset: from, length: to - from }));
  return { count, differing, first: spans[0]?.offset, ranges: spans, more };
}
