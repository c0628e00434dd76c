import { describe, expect, it } from 'vitest';
import type { Allocation, Export, Mapping, Peer } from '#contract/records';
import {
  addressNote,
  type ConsumerLists,
  doneSteps,
  eventOffers,
  offers,
  referencesOf,
  viewWords,
} from './consumer-model';

const peer = (id: string, name: string, role: Peer['role']): Peer => ({
  id,
  name,
  pid: 1,
  role,
  device: 0,
  state: 'alive',
  startedAt: 1,
});
const allocation = (change: Partial<Allocation> = {}): Allocation => ({
  id: 'p1.a1',
  peerId: 'p1',
  label: 'greeting',
  memory: 'device',
  dtype: 'u8',
  device: 0,
  bytes: 4096,
  address: '0x7f0000',
  blockBytes: 2 ** 21,
  state: 'live',
  createdAt: 5,
  ...change,
});
const exported = (change: Partial<Export> = {}): Export => ({
  id: 'p1.x1',
  peerId: 'p1',
  kind: 'memory',
  mechanism: 'legacy',
  objectId: 'p1.a1',
  state: 'live',
  createdAt: 6,
  ...change,
});
const mapping = (change: Partial<Mapping> = {}): Mapping => ({
  id: 'p2.m1',
  peerId: 'p2',
  mechanism: 'legacy',
  exportId: 'p1.x1',
  exporterPeerId: 'p1',
  label: 'greeting',
  device: 0,
  address: '0x7f1000',
  bytes: 4096,
  offset: 0,
  allocationBytes: 4096,
  flags: 1,
  references: 1,
  state: 'open',
  exporter: 'alive',
  openedAt: 7,
  ...change,
});
const lists = (change: Partial<ConsumerLists> = {}): ConsumerLists => ({
  peers: [peer('p1', 'Producer 1', 'producer'), peer('p2', 'Consumer 1', 'consumer'), peer('o1', 'python3', 'outside')],
  allocations: [allocation()],
  exports: [exported()],
  mappings: [],
  events: [],
  eventImports: [],
  ...change,
});

describe('offers', () => {
  it('lists live memory exports of other processes, with owner and size', () => {
    expect(offers('p2', lists())).toMatchObject([
      {
        key: 'p1.x1',
        label: 'greeting',
        bytes: 4096,
        owner: { name: 'Producer 1' },
        state: 'live',
        views: [],
      },
    ]);
    expect(offers('p1', lists())).toEqual([]);
    expect(offers('p2', lists({ exports: [exported({ kind: 'event' })] }))).toEqual([]);
  });

  it('drops what can no longer be opened, unless it is open here or chosen', () => {
    const freed = { exports: [exported({ state: 'freed' as const })] };
    expect(offers('p2', lists(freed))).toEqual([]);
    expect(offers('p2', lists(freed), 'p1.x1')).toMatchObject([{ state: 'freed' }]);
    expect(offers('p2', lists({ ...freed, mappings: [mapping()] }))).toMatchObject([
      { state: 'freed', views: [{ id: 'p2.m1' }] },
    ]);
  });

  it('shows only own open mappings', () => {
    expect(offers('p2', lists({ mappings: [mapping({ state: 'closed' })] }))[0]?.views).toEqual([]);
    expect(offers('p2', lists({ mappings: [mapping({ peerId: 'p9' })] }))[0]?.views).toEqual([]);
  });

  it('lists memory of programs outside under its mapping', () => {
    const outside = mapping({
      id: 'p2.m2',
      exportId: null,
      exporterPeerId: 'o1',
      label: '',
      exporter: 'unknown',
      allocationBytes: 99,
    });
    expect(offers('p2', lists({ exports: [], mappings: [outside] }))).toMatchObject([
      {
        key: 'p2.m2',
        exportId: undefined,
        label: 'pasted handle',
        bytes: 99,
        owner: { name: 'python3' },
        state: 'unknown',
      },
    ]);
  });
});

describe('views', () => {
  it('puts all views of one memory together, oldest first, and adds their references', () => {
    const part = mapping({ id: 'p2.m2', address: '0x7f1010', offset: 16, bytes: 8, references: 2, openedAt: 9 });
    const [offer] = offers('p2', lists({ mappings: [part, mapping()] }));
    expect(offer?.views.map((view) => view.id)).toEqual(['p2.m1', 'p2.m2']);
    expect(referencesOf(offer)).toBe(3);
    expect(offer?.views.map(viewWords)).toEqual(['all', '8 B from 0x10']);
    expect(referencesOf(undefined)).toBe(0);
  });

  it('does so for memory of programs outside too', () => {
    const from = { exportId: null, exporterPeerId: 'o1' };
    const part = mapping({ ...from, id: 'p2.m2', address: '0x7f1010', offset: 16, openedAt: 9 });
    const other = mapping({ ...from, id: 'p2.m3', address: '0x8f0000', openedAt: 10 });
    const all = offers('p2', lists({ exports: [], mappings: [mapping(from), part, other] }));
    expect(all.map((offer) => offer.views.length)).toEqual([2, 1]);
  });
});

describe('eventOffers', () => {
  it('lists the events of the exporter, with the own import', () => {
    const all = lists({
      exports: [
        exported({ id: 'p1.x2', kind: 'event', mechanism: 'legacy', objectId: 'p1.e1' }),
        exported({ id: 'p3.x1', peerId: 'p3', kind: 'event' }),
      ],
      events: [
        {
          id: 'p1.e1',
          peerId: 'p1',
          label: 'greeting ready',
          device: 0,
          flags: 6,
          state: 'live',
          status: null,
          createdAt: 1,
        },
      ],
      eventImports: [
        {
          id: 'p2.i1',
          peerId: 'p2',
          exportId: 'p1.x2',
          exporterPeerId: 'p1',
          label: '',
          device: 0,
          state: 'open',
          status: null,
          exporter: 'alive',
          openedAt: 2,
        },
      ],
    });
    expect(eventOffers('p2', 'p1', all)).toMatchObject([
      { exportId: 'p1.x2', label: 'greeting ready', imported: { id: 'p2.i1' } },
    ]);
    expect(eventOffers('p2', undefined, all)).toEqual([]);
  });

  it('keeps an event of a process that ended while it is open here', () => {
    const gone = exported({ id: 'p1.x2', kind: 'event', mechanism: 'legacy', objectId: 'p1.e1', state: 'gone' });
    expect(eventOffers('p2', 'p1', lists({ exports: [gone] }))).toEqual([]);
  });
});

describe('doneSteps', () => {
  it('counts reading, writing and waiting only while the memory is open', () => {
    expect(doneSteps({ chosen: true, open: true, wrote: true, ready: false, closed: false })).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(doneSteps({ chosen: true, open: false, wrote: true, ready: true, closed: true })).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(doneSteps({ chosen: true, open: true, wrote: false, ready: false, closed: true })[4]).toBe(false);
  });
});

describe('addressNote', () => {
  it('says whether the driver gave the same address', () => {
    expect(addressNote([])).toBe('');
    expect(addressNote(['0x10'])).toBe('at 0x10');
    expect(addressNote(['0x10', '0x10'])).toBe('the same address both times');
    expect(addressNote(['0x10', '0x10', '0x10'])).toBe('the same address all 3 times');
    expect(addressNote(['0x10', '0x20'])).toBe('at another address: 0x20');
  });
});
