import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type DescriptorProblem,
  descriptorSchema,
  mechanisms,
  parseDescriptor,
  printDescriptor,
  type ShareDescriptor,
} from './descriptor';
import { dtypeIds } from './dtypes';

const hex64 = fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const bytes = fc.oneof(fc.nat(), fc.maxSafeNat());
const uuid = fc.tuple(fc.constantFrom('GPU', 'MIG'), fc.uuid()).map(([kind, id]) => `${kind}-${id}`);
const line = (maxLength: number) =>
  fc.string({ maxLength, unit: 'grapheme' }).filter((text) => text.length <= maxLength && !/\p{Cc}/u.test(text));

const common = {
  format: fc.constant('gpu-ipc-descriptor' as const),
  version: fc.constant(1 as const),
  exporter: fc.record(
    {
      pid: fc.integer({ min: 1, max: 0x7fffffff }),
      pidNamespace: fc.maxSafeNat().map((inode) => `pid:[${inode}]`),
      name: line(200),
    },
    { requiredKeys: ['pid'] },
  ),
  device: fc.record({ uuid, ordinal: fc.nat({ max: 1023 }) }, { requiredKeys: ['uuid'] }),
};
const data = {
  offset: bytes,
  size: bytes,
  base: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((address) => `0x${address.toString(16)}`),
  allocationSize: bytes,
  byteOrder: fc.constantFrom('little' as const, 'big' as const),
  event: hex64,
  label: line(80),
};
const memory = (mechanism: 'legacy' | 'pool' | 'virtual' | 'fabric') =>
  fc
    .record(
      {
        ...common,
        ...data,
        mechanism: fc.constant(mechanism),
        ...(mechanism === 'virtual' ? {} : { handle: hex64 }),
        ...(mechanism === 'pool' || mechanism === 'virtual'
          ? {
              descriptors: fc.array(fc.record({ fd: fc.nat({ max: 0x7fffffff }), bytes: fc.option(bytes) }), {
                minLength: 1,
                maxLength: mechanism === 'pool' ? 1 : 5,
              }),
            }
          : {}),
      },
      {
        requiredKeys: [
          'format',
          'version',
          'mechanism',
          'exporter',
          'device',
          'offset',
          'size',
          ...(mechanism === 'virtual' ? [] : ['handle' as const]),
          ...(mechanism === 'pool' || mechanism === 'virtual' ? ['descriptors' as const] : []),
        ] as never[],
      },
    )
    .chain((descriptor) =>
      fc
        .record({
          dtype: fc.constantFrom(...dtypeIds),
          dimensions: fc.array(fc.tuple(bytes, bytes), { maxLength: 5 }),
          how: fc.constantFrom('none', 'dtype', 'shape', 'strides'),
        })
        .map(({ dtype, dimensions, how }) => ({
          ...descriptor,
          ...(how === 'none' ? {} : { dtype }),
          ...(how === 'shape' || how === 'strides' ? { shape: dimensions.map(([count]) => count) } : {}),
          ...(how === 'strides' ? { strides: dimensions.map(([, stride]) => stride) } : {}),
        })),
    ) as fc.Arbitrary<ShareDescriptor>;
const event = fc.record(
  {
    ...common,
    mechanism: fc.constant('event' as const),
    handle: hex64,
    offset: fc.constant(0),
    size: fc.constant(0),
    label: data.label,
  },
  { requiredKeys: ['format', 'version', 'mechanism', 'handle', 'exporter', 'device', 'offset', 'size'] },
) as fc.Arbitrary<ShareDescriptor>;
const anyDescriptor = fc.oneof(memory('legacy'), memory('pool'), memory('virtual'), memory('fabric'), event);

const legacy: ShareDescriptor = {
  format: 'gpu-ipc-descriptor',
  version: 1,
  mechanism: 'legacy',
  handle: 'd0'.repeat(64),
  exporter: { pid: 589 },
  device: { uuid: 'GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c' },
  offset: 0,
  size: 4096,
};
const json = (value: unknown): string => JSON.stringify(value);
const problems = (value: unknown): readonly DescriptorProblem[] => {
  const reading = parseDescriptor(typeof value === 'string' ? value : json(value));
  return reading.ok ? [] : reading.problems;
};

describe('round trip', () => {
  it('gives back exactly what was printed, and prints it the same again', () => {
    fc.assert(
      fc.property(anyDescriptor, (descriptor) => {
        const text = printDescriptor(descriptor);
        const reading = parseDescriptor(text);
        expect(reading).toEqual({ ok: true, descriptor });
        if (reading.ok) expect(printDescriptor(reading.descriptor)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('prints the keys in the same order whatever the order they came in', () => {
    fc.assert(
      fc.property(anyDescriptor, (descriptor) => {
        const reverse = (value: object) => Object.fromEntries(Object.entries(value).reverse());
        const turned = reverse({
          ...descriptor,
          exporter: reverse(descriptor.exporter),
          device: reverse(descriptor.device),
          ...(descriptor.descriptors && { descriptors: descriptor.descriptors.map(reverse) }),
        }) as unknown as ShareDescriptor;
        expect(printDescriptor(turned)).toBe(printDescriptor(descriptor));
      }),
    );
  });

  it('generates every mechanism', () => {
    const seen = new Set(fc.sample(anyDescriptor, 200).map(({ mechanism }) => mechanism));
    expect([...seen].sort()).toEqual([...mechanisms].sort());
  });

  it('looks like this', () => {
    expect(printDescriptor({ ...legacy, shape: [32, 32], dtype: 'f32', label: 'activations' })).toBe(`{
  "format": "gpu-ipc-descriptor",
  "version": 1,
  "mechanism": "legacy",
  "handle": "${'d0'.repeat(64)}",
  "exporter": {
    "pid": 589
  },
  "device": {
    "uuid": "GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c"
  },
  "offset": 0,
  "size": 4096,
  "dtype": "f32",
  "shape": [
    32,
    32
  ],
  "label": "activations"
}`);
  });

  it('leaves undefined fields out', () => {
    expect(printDescriptor({ ...legacy, label: undefined })).toBe(printDescriptor(legacy));
  });

  it('prints no descriptor that it would refuse to read', () => {
    expect(() => printDescriptor({ ...legacy, handle: 'd0' })).toThrow(/“handle” must be 64 bytes/);
  });
});

describe('the documentation', () => {
  const page = readFileSync(new URL('../../docs/descriptor.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, example]) =>
    // Handles are shortened there.
    (example as string).replace(/"([0-9a-f]+)…"/g, (_all, digits: string) => json(digits.padEnd(128, '0'))),
  );

  it('has an example for each mechanism, and all of them are descriptors', () => {
    const read = examples.map(parseDescriptor);
    expect(read.map((reading) => (reading.ok ? reading.descriptor.mechanism : reading.problems))).toEqual([
      ...mechanisms,
    ]);
  });

  it('names every field', () => {
    const fields = fc
      .sample(anyDescriptor, 500)
      .flatMap(({ exporter, device, ...own }) => [
        ...Object.keys(own),
        ...Object.keys(exporter).map((key) => `exporter.${key}`),
        ...Object.keys(device).map((key) => `device.${key}`),
      ]);
    const named = [...page.matchAll(/^\| `([\w.]+)` \| (?:required|optional|by mechanism)/gm)].map(
      ([, field]) => field,
    );
    expect(new Set(fields)).toEqual(new Set(named));
  });
});

describe('refusals', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['no JSON', '{', '', /not JSON/],
    ['a list', [legacy], '', /JSON object/],
    ['null', null, '', /JSON object/],
    ['another format', { ...legacy, format: 'x' }, 'format', /“format” must be "gpu-ipc-descriptor"/],
    ['no version', { ...legacy, version: undefined }, 'version', /whole number/],
    ['version 0', { ...legacy, version: 0 }, 'version', /whole number/],
    ['a newer version', { ...legacy, version: 2, extra: 1 }, 'version', /“version” is 2, .* made by a newer one/],
    ['an unknown mechanism', { ...legacy, mechanism: 'magic' }, 'mechanism', /“mechanism” must be \("legacy" \| /],
    ['a missing handle', { ...legacy, handle: undefined }, 'handle', /“handle” is missing: “legacy” has 64 bytes/],
    ['an upper-case handle', { ...legacy, handle: 'D0'.repeat(64) }, 'handle', /128 lower-case/],
    ['63 bytes', { ...legacy, handle: 'd0'.repeat(63) }, 'handle', /128 lower-case/],
    ['a number as handle', { ...legacy, handle: 5 }, 'handle', /“handle” must be a text/],
    ['no exporter', { ...legacy, exporter: undefined }, 'exporter', /“exporter” is missing/],
    ['no pid', { ...legacy, exporter: {} }, 'exporter.pid', /“exporter.pid” is missing/],
    ['pid 0', { ...legacy, exporter: { pid: 0 } }, 'exporter.pid', /“exporter.pid” must be >=1, not 0/],
    ['half a pid', { ...legacy, exporter: { pid: 1.5 } }, 'exporter.pid', /“exporter.pid” must be/],
    ['a pid as text', { ...legacy, exporter: { pid: '5' } }, 'exporter.pid', /“exporter.pid” must be number, not "5"/],
    [
      'another namespace',
      { ...legacy, exporter: { pid: 1, pidNamespace: 'net:[5]' } },
      'exporter.pidNamespace',
      /“exporter.pidNamespace” must look like pid:\[/,
    ],
    ['an address as uuid', { ...legacy, device: { uuid: '0000:19:00.0' } }, 'device.uuid', /must look like GPU-/],
    ['an ordinal below 0', { ...legacy, device: { ...legacy.device, ordinal: -1 } }, 'device.ordinal', /must be >=0/],
    ['a negative offset', { ...legacy, offset: -1 }, 'offset', /“offset” must be >=0, not -1/],
    ['a size above what is exact', { ...legacy, size: 2 ** 53 }, 'size', /“size” must be/],
    ['a size as text', { ...legacy, size: '4096' }, 'size', /“size” must be number, not "4096"/],
    ['a null label', { ...legacy, label: null }, 'label', /“label” must be/],
    ['a label of two lines', { ...legacy, label: 'a\nb' }, 'label', /one line/],
    ['a field that is not known', { ...legacy, ofset: 0 }, 'ofset', /“ofset” is not a field of version 1/],
    ['a field named like a method', { ...legacy, toString: 1 }, 'toString', /“toString” is not a field/],
    ['a prototype', json(legacy).replace('{', '{"__proto__":{},'), '__proto__', /“__proto__” is not a field/],
    [
      'a field inside that is not known',
      { ...legacy, exporter: { pid: 1, uid: 0 } },
      'exporter.uid',
      /“exporter.uid” is not a field/,
    ],
    ['descriptors of legacy memory', { ...legacy, descriptors: [] }, 'descriptors', /does not belong to “legacy”/],
    ['a pool without descriptor', { ...legacy, mechanism: 'pool' }, 'descriptors', /“descriptors” must hold 1\./],
    [
      'a pool with two',
      {
        ...legacy,
        mechanism: 'pool',
        descriptors: [
          { fd: 5, bytes: null },
          { fd: 6, bytes: null },
        ],
      },
      'descriptors',
      /must hold 1\./,
    ],
    [
      'virtual memory with a handle',
      { ...legacy, mechanism: 'virtual', descriptors: [{ fd: 5, bytes: 2097152 }] },
      'handle',
      /does not belong to “virtual”/,
    ],
    [
      'virtual memory without descriptors',
      { ...legacy, handle: undefined, mechanism: 'virtual' },
      'descriptors',
      /must hold 1 to 512/,
    ],
    [
      'a descriptor without bytes',
      { ...legacy, mechanism: 'pool', descriptors: [{ fd: 5 }] },
      'descriptors.0.bytes',
      /“descriptors.0.bytes” is missing/,
    ],
    ['a shape without type', { ...legacy, shape: [4] }, 'dtype', /“dtype” is missing: “shape” counts elements/],
    ['strides without shape', { ...legacy, dtype: 'f32', strides: [4] }, 'strides', /one number for each dimension/],
    ['too few strides', { ...legacy, dtype: 'f32', shape: [2, 2], strides: [2] }, 'strides', /one number for each/],
    ['a type with another name', { ...legacy, dtype: 'float32' }, 'dtype', /“dtype” must be/],
    ['an event with bytes', { ...legacy, mechanism: 'event' }, 'size', /“size” must be 0 for “event”/],
    [
      'an event with a type',
      { ...legacy, mechanism: 'event', size: 0, dtype: 'f32' },
      'dtype',
      /“dtype” does not belong to “event”/,
    ],
  ])('%s', (_name, value, field, message) => {
    const found = problems(value);
    expect(found.map((problem) => problem.field)).toContain(field);
    const problem = found.find((one) => one.field === field);
    expect(problem?.message).toMatch(message);
    if (field !== '') expect(problem?.message).toContain(`“${field}”`);
  });

  it('lists every problem, not only the first', () => {
    expect(problems({ ...legacy, offset: -1, size: 'x', ofset: 1 }).map(({ field }) => field)).toEqual([
      'offset',
      'size',
      'ofset',
    ]);
  });

  it('takes fields of its schema only, in calls as well', () => {
    const read = (value: unknown) => v.safeParse(descriptorSchema, value);
    expect(read(legacy).success).toBe(true);
    const wrong = read({ ...legacy, mechanism: 'fabric', descriptors: [] });
    expect(wrong.success).toBe(false);
    expect(wrong.issues?.map((issue) => v.getDotPath(issue))).toEqual(['descriptors']);
  });

  it('takes as many physical memories as its text may hold', () => {
    const descriptors = Array.from({ length: 512 }, () => ({ fd: 0x7fffffff, bytes: Number.MAX_SAFE_INTEGER }));
    const virtual: ShareDescriptor = { ...legacy, handle: undefined, mechanism: 'virtual', descriptors };
    expect(parseDescriptor(printDescriptor(virtual)).ok).toBe(true);
  });

  it('does not take a text of any size', () => {
    expect(problems(`${' '.repeat(64 * 1024)}{}`)[0]?.message).toMatch(/too long/);
  });

  it('never throws, and reads a changed text as it stands or refuses it', () => {
    fc.assert(
      fc.property(
        anyDescriptor,
        fc.nat(),
        fc.string({ maxLength: 2, unit: 'binary-ascii' }),
        (descriptor, where, insert) => {
          const text = printDescriptor(descriptor);
          const at = where % text.length;
          const changed = text.slice(0, at) + insert + text.slice(at + 1);
          const reading = parseDescriptor(changed);
          if (reading.ok) expect(reading.descriptor).toEqual(JSON.parse(changed));
          else expect(reading.problems[0].message).not.toBe('');
        },
      ),
      { numRuns: 2000 },
    );
  });
});
