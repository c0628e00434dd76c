import { describe, expect, it } from 'vitest';
import { parseDescriptor } from '#contract/descriptor';
import { parsePaste } from './parse-paste';
import { segmentsDescriptor } from './segments';

const UUID = 'GPU-01234567-89ab-cdef-0123-456789abcdef';
const MiB = 2 ** 20;

interface Header {
  readonly pid?: number;
  readonly padding?: number;
  readonly segmentBytes?: number;
  readonly count?: number;
}

/** What PyTorch sends: version and type, the header of ExpandableSegment::share, and `pieces`. */
function sent(pieces: Buffer, { pid = 4376, padding = 0, segmentBytes = 2 * MiB, count = pieces.length / 4 }: Header) {
  const head = Buffer.alloc(26);
  head.write('\x02e', 'latin1');
  head.writeUInt32LE(pid, 2);
  head.writeUInt32LE(padding, 6);
  head.writeBigUInt64LE(BigInt(segmentBytes), 10);
  head.writeBigUInt64LE(BigInt(count), 18);
  return Buffer.concat([head, pieces]);
}
const fdsOf = (...fds: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * fds.length);
  for (const [index, fd] of fds.entries()) bytes.writeInt32LE(fd, 4 * index);
  return bytes;
};
const literal = (bytes: Buffer) => `b'${bytes.toString('hex').replace(/../g, '\\x$&')}'`;
const tuple = (bytes: Buffer, offset: number, size: number) =>
  `(1, ${literal(bytes)}, ${size}, ${offset}, b'/torch_4376_1_0', 0, b'${'\\x00'.repeat(64)}', False)`;

describe('PyTorch’s expandable segments', () => {
  it('are a process, its descriptors, and the bytes of each', () => {
    const bytes = sent(fdsOf(48, 51, 49), { segmentBytes: 20 * MiB });
    for (const text of [
      literal(bytes),
      bytes.toString('hex'),
      `'${bytes.toString('hex')}'`,
      `handle: ${literal(bytes)}`,
    ]) {
      const { items, problems } = parsePaste(text);
      expect(problems, text).toEqual([]);
      expect(items, text).toMatchObject([
        {
          kind: 'pytorch-expandable',
          handle: null,
          pid: 4376,
          segmentBytes: 20 * MiB,
          fds: [48, 51, 49],
          allocationSize: 60 * MiB,
        },
      ]);
      expect(items[0]).not.toHaveProperty('offset');
    }
  });

  it('have their offset, size and device in the tuple around them', () => {
    const { items } = parsePaste(tuple(sent(fdsOf(48), {}), 4096, MiB));
    expect(items).toMatchObject([
      {
        kind: 'pytorch-expandable',
        source: 'PyTorch _share_cuda_() tuple (expandable segments)',
        device: 1,
        offset: 4096,
        size: MiB,
        refCounterFile: '/torch_4376_1_0',
      },
    ]);
  });

  it('may have anything in the padding after the pid, which older versions did not set', () => {
    expect(parsePaste(literal(sent(fdsOf(48), { padding: 0x7ffd1234 }))).items).toMatchObject([{ pid: 4376 }]);
  });

  it.each([
    ['a piece is missing', sent(fdsOf(48, 49).subarray(0, 4), { count: 2 }), 'does not fit'],
    ['there is one more', sent(fdsOf(48, 49), { count: 1 }), 'does not fit'],
    ['there are none', sent(fdsOf(), {}), 'does not fit'],
    ['there is no pid', sent(fdsOf(48), { pid: 0 }), 'does not fit'],
    ['a descriptor is negative', sent(fdsOf(-1), {}), 'does not fit'],
    ['a segment has no bytes', sent(fdsOf(48), { segmentBytes: 0 }), 'does not fit'],
    ['they travel by fabric handles', sent(Buffer.alloc(128, 7), { count: 2 }), 'fabric handles'],
    ['there are more than are opened', sent(fdsOf(...Array(513).keys()), {}), 'at most 512'],
  ])('are refused where %s', (_name, bytes, says) => {
    for (const text of [literal(bytes), tuple(bytes, 0, 4096)]) {
      const { items, problems } = parsePaste(text);
      expect(items).toEqual([]);
      expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining(says) })]);
    }
  });

  it('are opened by a share descriptor of virtual memory', () => {
    const read = (text: string) => {
      const [item] = parsePaste(text).items;
      if (item === undefined) throw new Error('nothing was found');
      const reading = parseDescriptor(segmentsDescriptor(item, UUID) ?? '');
      return reading.ok ? reading.descriptor : reading.problems;
    };
    const bytes = sent(fdsOf(48, 49), {});
    const whole = {
      mechanism: 'virtual',
      descriptors: [
        { fd: 48, bytes: 2 * MiB },
        { fd: 49, bytes: 2 * MiB },
      ],
      exporter: { pid: 4376 },
      device: { uuid: UUID },
      allocationSize: 4 * MiB,
    };
    expect(read(tuple(bytes, 4096, MiB))).toMatchObject({ ...whole, offset: 4096, size: MiB });
    expect(read(literal(bytes))).toMatchObject({ ...whole, offset: 0, size: 4 * MiB });
  });

  it('are the only thing that gets such a descriptor', () => {
    const [item] = parsePaste('11'.repeat(64)).items;
    expect(item && segmentsDescriptor(item, UUID)).toBeUndefined();
  });
});
