import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ShareDescriptor } from './descriptor';
import { type ImportFacts, type ImportSubject, importFindings } from './import-findings';

const { tokens } = JSON.parse(readFileSync(new URL('./testing/handle-tokens.json', import.meta.url), 'utf8')) as {
  tokens: { text: string }[];
};
const bytes = (index: number): Uint8Array =>
  Uint8Array.from(Buffer.from((tokens[index] as { text: string }).text, 'hex'));
/** pid 589, 4,096 bytes. */
const memory = bytes(0);
const event = bytes(4);
const pool = Uint8Array.from(
  Buffer.from(
    `4d02000000000000010000000000000011223344556600000000000000000000${'0000200000000000'}${'00'.repeat(24)}`,
    'hex',
  ),
);
const changed = (handle: Uint8Array, at: number, ...values: number[]): Uint8Array => {
  const copy = handle.slice();
  copy.set(values, at);
  return copy;
};

const GPU = 'GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c';
const OTHER = 'GPU-00000000-0000-0000-0000-000000000001';
const supported = { supported: true, why: 'yes' };

const facts: ImportFacts = {
  ownPid: 1000,
  ownPidNamespace: 'pid:[1]',
  presence: () => 'alive',
  devices: [
    { uuid: GPU, visible: true, name: 'H200', sharing: { legacyMemory: supported, events: supported } },
    { uuid: OTHER, visible: false },
  ],
  device: GPU,
  openCount: 0,
  layoutChecked: true,
};
const descriptor: ShareDescriptor = {
  format: 'gpu-ipc-descriptor',
  version: 1,
  mechanism: 'legacy',
  handle: (tokens[0] as { text: string }).text,
  exporter: { pid: 589, pidNamespace: 'pid:[1]' },
  device: { uuid: GPU },
  offset: 0,
  size: 4096,
};
const withDescriptor = (over: Partial<ShareDescriptor>): ImportSubject => ({ descriptor: { ...descriptor, ...over } });
const virtual = (over: Partial<ShareDescriptor> = {}): ImportSubject =>
  withDescriptor({ mechanism: 'virtual', handle: undefined, descriptors: [{ fd: 3, bytes: 4096 }], ...over });
const found = (subject: ImportSubject, over: Partial<ImportFacts> = {}): string[] =>
  importFindings(subject, { ...facts, ...over }).map(({ level, code }) => `${level} ${code}`);

describe('nothing to say', () => {
  it.each<[string, ImportSubject]>([
    ['a good memory handle', { handle: memory }],
    ['a good event handle', { handle: event, mechanism: 'event' }],
    ['a good descriptor', { descriptor }],
    ['virtual memory', virtual()],
    [
      'a pool',
      withDescriptor({
        mechanism: 'pool',
        handle: Buffer.from(pool).toString('hex'),
        descriptors: [{ fd: 3, bytes: null }],
      }),
    ],
    ['a view that ends with the allocation', { handle: memory, offset: 4000, size: 96 }],
    ['a shape that fills the data', withDescriptor({ dtype: 'f32', shape: [32, 32] })],
    ['an empty shape', withDescriptor({ dtype: 'f32', shape: [0, 9] })],
  ])('%s', (_name, subject) => {
    expect(found(subject)).toEqual([]);
  });
});

describe('findings', () => {
  it.each<[string, ImportSubject, Partial<ImportFacts>, string, RegExp]>([
    ['zeros', { handle: new Uint8Array(64) }, {}, 'refuse zero-bytes', /All 64 bytes are zero/],
    [
      'one byte repeated',
      { handle: new Uint8Array(64).fill(0xcd) },
      {},
      'refuse constant-bytes',
      /All 64 bytes are 205/,
    ],
    ['an event as memory', { handle: event }, {}, 'refuse event-as-memory', /of an event, not of memory/],
    ['memory as event', { handle: memory, mechanism: 'event' }, {}, 'refuse memory-as-event', /not of an event/],
    [
      'memory as pool pointer',
      { handle: memory, mechanism: 'pool' },
      { poolImported: true },
      'refuse memory-as-other',
      /“pool”/,
    ],
    ['pool data as legacy', { handle: pool }, {}, 'refuse pool-as-legacy', /pool pointer/],
    ['bytes of another layout', { handle: changed(memory, 33, 9) }, {}, 'warn unknown-layout', /do not look like/],
    [
      'an offset out of the block',
      { handle: changed(memory, 28, 0, 0, 0x20) },
      {},
      'refuse out-of-block',
      /memory block/,
    ],
    [
      'a descriptor of a pool pointer that crashes the driver',
      withDescriptor({
        mechanism: 'pool',
        handle: Buffer.from(changed(pool, 36, 2)).toString('hex'),
        descriptors: [{ fd: 3, bytes: null }],
      }),
      {},
      'refuse pool-pointer-too-large',
      /crash the process/,
    ],
    [
      'a slot out of the table',
      { handle: changed(event, 16, 0, 0x10), mechanism: 'event' },
      {},
      'refuse out-of-table',
      /slot/,
    ],
    ['our own', { handle: memory }, { ownPid: 589 }, 'refuse own-process', /pid 589 exported this handle itself.*201/],
    ['our own event', { handle: event, mechanism: 'event' }, { ownPid: 589 }, 'refuse own-process', /itself/],
    [
      'our own, by name',
      { handle: memory },
      { ownPid: 589, nameOf: () => 'Producer 1' },
      'refuse own-process',
      /Producer 1 \(pid 589\)/,
    ],
    ['our own, by what the text says', { handle: memory, pid: 1000 }, {}, 'refuse own-process', /pid 1000/],
    [
      'our pid in another namespace',
      { descriptor },
      { ownPid: 589, ownPidNamespace: 'pid:[2]' },
      'refuse same-pid-elsewhere',
      /another pid namespace.*589.*201/,
    ],
    [
      'memory of another namespace',
      { descriptor },
      { ownPidNamespace: 'pid:[2]' },
      'info other-pid-namespace',
      /means nothing here/,
    ],
    [
      'an event of another namespace',
      withDescriptor({ mechanism: 'event', handle: (tokens[4] as { text: string }).text, size: 0 }),
      { ownPidNamespace: 'pid:[2]' },
      'warn other-pid-namespace',
      /\/dev\/shm/,
    ],
    [
      'descriptors of another namespace',
      virtual(),
      { ownPidNamespace: 'pid:[2]' },
      'warn other-pid-namespace',
      /by its pid \(589\)/,
    ],
    [
      'an exporter that is gone',
      { handle: memory },
      { presence: () => 'gone' },
      'warn exporter-gone',
      /pid 589 is gone, or/,
    ],
    [
      'an event of one that is gone',
      { handle: event, mechanism: 'event' },
      { presence: () => 'gone' },
      'warn exporter-gone',
      /stays so for ever/,
    ],
    ['descriptors of one that is gone', virtual(), { presence: () => 'gone' }, 'refuse exporter-gone', /gone/],
    [
      'a pool that is here, of one that is gone',
      { handle: pool, mechanism: 'pool' },
      { presence: () => 'gone', poolImported: true },
      'warn exporter-gone',
      /gone/,
    ],
    [
      'an export whose process is gone',
      { handle: memory },
      { madeHere: { state: 'gone', owner: 'Producer 2', label: 'weights' } },
      'refuse export-gone',
      /Producer 2 is gone, and weights was its own/,
    ],
    [
      'a freed export',
      { handle: memory },
      { madeHere: { state: 'freed', owner: 'Producer 2' } },
      'refuse export-freed',
      /Producer 2 has freed This memory|has freed/,
    ],
    [
      'a destroyed event',
      { handle: event, mechanism: 'event' },
      { madeHere: { state: 'freed' } },
      'refuse export-freed',
      /has destroyed/,
    ],
    [
      'an unknown device',
      withDescriptor({ device: { uuid: OTHER.replace('01', '02') } }),
      {},
      'refuse device-unknown',
      /no GPU of this machine/,
    ],
    [
      'fabric memory of an unknown device',
      withDescriptor({ mechanism: 'fabric', handle: 'ab01'.repeat(32), device: { uuid: OTHER.replace('01', '02') } }),
      {},
      'info device-unknown',
      /no GPU of this machine/,
    ],
    ['a hidden device', withDescriptor({ device: { uuid: OTHER } }), {}, 'refuse device-hidden', /does not see/],
    ['another device', { descriptor }, { device: OTHER }, 'warn device-differs', /H200 \(GPU-4c.*another device/],
    [
      'what the device cannot do',
      { descriptor },
      {
        devices: [
          {
            uuid: GPU,
            visible: true,
            sharing: { legacyMemory: { supported: false, why: 'a Tegra device shares events only.' } },
          },
        ],
      },
      'refuse mechanism-unsupported',
      /Tegra/,
    ],
    ['a pool pointer alone', { handle: pool, mechanism: 'pool' }, {}, 'warn needs-pool', /without its pool/],
    ['size 0', { handle: memory, size: 0 }, {}, 'refuse size-zero', /data is 0 bytes/],
    ['an allocation of 0 bytes', virtual({ allocationSize: 0 }), {}, 'refuse size-zero', /allocation is 0 bytes/],
    [
      'a range beyond the bytes’ allocation',
      { handle: memory, offset: 4000, size: 97 },
      {},
      'refuse beyond-allocation',
      /Offset 4,000 and 97 B.*4,096 bytes/,
    ],
    ['an offset beyond it', { handle: memory, offset: 4096 }, {}, 'refuse beyond-allocation', /Offset 4,096 lead/],
    [
      'a range beyond the descriptor’s allocation',
      virtual({ allocationSize: 4095 }),
      {},
      'refuse beyond-allocation',
      /beyond the allocation/,
    ],
    [
      'a shape that is larger than the data',
      withDescriptor({ dtype: 'f32', shape: [32, 33] }),
      {},
      'warn shape-beyond-size',
      /32 × 33 of f32 takes 4,224/,
    ],
    [
      'strides that lead further',
      withDescriptor({ dtype: 'u8', shape: [2, 2], strides: [4096, 1] }),
      {},
      'warn shape-beyond-size',
      /4,098 bytes/,
    ],
    ['open already', { handle: memory }, { openCount: 2 }, 'info already-open', /open twice already/],
    [
      'an event open already',
      { handle: event, mechanism: 'event' },
      { openCount: 1 },
      'info already-open',
      /open once already/,
    ],
  ])('%s', (_name, subject, over, code, message) => {
    const findings = importFindings(subject, { ...facts, ...over });
    expect(findings.map((finding) => `${finding.level} ${finding.code}`)).toEqual([code]);
    expect(findings[0]?.message).toMatch(message);
    expect(findings[0]?.message).toMatch(/[.)]$/);
  });
});

describe('what counts', () => {
  it('takes the fields of the bytes only where the layout was checked', () => {
    const unchecked = { layoutChecked: false };
    expect(found({ handle: memory }, { ...unchecked, ownPid: 589 })).toEqual([]);
    expect(found({ handle: event }, unchecked)).toEqual([]);
    expect(found({ handle: pool }, unchecked)).toEqual([]);
    expect(found({ handle: changed(memory, 28, 0, 0, 0x20) }, unchecked)).toEqual([]);
    expect(found({ handle: changed(event, 16, 0, 0x10), mechanism: 'event' }, unchecked)).toEqual([]);
    expect(found({ handle: memory, offset: 5000, size: 1 }, unchecked)).toEqual([]);
    expect(found({ handle: new Uint8Array(64) }, unchecked)).toEqual(['refuse zero-bytes']);
    expect(found({ descriptor }, { ...unchecked, ownPid: 589 })).toEqual(['refuse own-process']);
  });

  it('lets what is open be opened again after its owner freed it', () => {
    expect(found({ handle: memory }, { madeHere: { state: 'freed' }, openCount: 1 })).toEqual([
      'warn export-freed',
      'info already-open',
    ]);
    expect(found({ handle: memory }, { madeHere: { state: 'gone' }, openCount: 1 })).toEqual([
      'warn export-gone',
      'info already-open',
    ]);
  });

  it('lets own pools and own virtual memory be imported, as the driver does', () => {
    expect(found(virtual(), { ownPid: 589 })).toEqual([]);
  });

  it('does not ask for a process of another namespace by our numbers', () => {
    const asked: number[] = [];
    const presence = (pid: number) => {
      asked.push(pid);
      return 'gone' as const;
    };
    expect(found({ descriptor }, { ownPidNamespace: 'pid:[2]', presence })).toEqual(['info other-pid-namespace']);
    expect(asked).toEqual([]);
  });

  it('puts what refuses first, whatever else there is', () => {
    expect(
      found(withDescriptor({ dtype: 'f32', shape: [9999], size: 10_000 }), { openCount: 1, presence: () => 'gone' }),
    ).toEqual(['refuse beyond-allocation', 'warn exporter-gone', 'warn shape-beyond-size', 'info already-open']);
  });

  it('says nothing of handles: no bytes are in any message', () => {
    const text = JSON.stringify(importFindings({ handle: changed(memory, 28, 0, 0, 0x20) }, facts));
    expect(text).not.toContain('9f2a');
  });
});
