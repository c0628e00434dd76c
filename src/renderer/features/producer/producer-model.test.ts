import { describe, expect, it } from 'vitest';
import type { Allocation, EventRecord, Peer } from '#contract/records';
import { doneSteps, eventLabel, freeLabel, labelProblem, ownBuffers, type ProducerLists } from './producer-model';

const peer = (id: string, name: string, pid: number): Peer => ({
  id,
  name,
  pid,
  role: name.startsWith('P') ? 'producer' : 'consumer',
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
const event = (change: Partial<EventRecord> = {}): EventRecord => ({
  id: 'p1.e1',
  peerId: 'p1',
  label: 'greeting ready',
  device: 0,
  flags: 6,
  state: 'live',
  status: null,
  createdAt: 6,
  ...change,
});
const lists = (change: Partial<ProducerLists> = {}): ProducerLists => ({
  peers: [peer('p1', 'Producer 1', 41210), peer('p2', 'Consumer 1', 41233)],
  allocations: [allocation()],
  exports: [],
  mappings: [],
  events: [],
  eventImports: [],
  ...change,
});

describe('ownBuffers', () => {
  it('shows own buffers only, oldest first', () => {
    const all = lists({
      allocations: [
        allocation({ id: 'p1.a2', label: 'frames', createdAt: 9 }),
        allocation(),
        allocation({ id: 'p3.a1', peerId: 'p3' }),
      ],
    });
    expect(ownBuffers('p1', all).map((row) => row.allocation.id)).toEqual(['p1.a1', 'p1.a2']);
  });

  it('joins export, event and the event’s export', () => {
    const all = lists({
      events: [event()],
      exports: [
        {
          id: 'p1.x1',
          peerId: 'p1',
          kind: 'memory',
          mechanism: 'legacy',
          objectId: 'p1.a1',
          state: 'live',
          createdAt: 7,
        },
        {
          id: 'p1.x2',
          peerId: 'p1',
          kind: 'event',
          mechanism: 'legacy',
          objectId: 'p1.e1',
          state: 'live',
          createdAt: 8,
        },
      ],
    });
    const [row] = ownBuffers('p1', all);
    expect(row?.exported?.id).toBe('p1.x1');
    expect(row?.event?.id).toBe('p1.e1');
    expect(row?.eventExport?.id).toBe('p1.x2');
  });

  it('does not offer the event of a freed buffer', () => {
    const [row] = ownBuffers('p1', lists({ allocations: [allocation({ state: 'freed' })], events: [event()] }));
    expect(row?.event).toBeUndefined();
  });
});

describe('labels', () => {
  it('finds a free one', () => {
    const rows = ownBuffers(
      'p1',
      lists({ allocations: [allocation(), allocation({ id: 'p1.a2', label: 'greeting 2' })] }),
    );
    expect(freeLabel([])).toBe('greeting');
    expect(freeLabel(rows)).toBe('greeting 3');
    expect(freeLabel(ownBuffers('p1', lists({ allocations: [allocation({ state: 'freed' })] })))).toBe('greeting');
  });

  it('refuses an empty, a long and a taken one', () => {
    const rows = ownBuffers('p1', lists());
    expect(labelProblem(' ', rows)).toMatch(/name/);
    expect(labelProblem('x'.repeat(81), rows)).toMatch(/80/);
    expect(labelProblem(' greeting ', rows)).toMatch(/already/);
    expect(labelProblem('frames', rows)).toBeUndefined();
  });

  it('names the event within the 80 characters of a label', () => {
    expect(eventLabel('greeting')).toBe('greeting ready');
    expect(eventLabel('x'.repeat(80)).length).toBeLessThanOrEqual(80);
  });
});

describe('doneSteps', () => {
  it('follows the ledger', () => {
    const row = (all: ProducerLists) => ownBuffers('p1', all)[0];
    expect(doneSteps(undefined, true)).toEqual([false, false, false, false, false]);
    expect(doneSteps(row(lists()), false)).toEqual([true, false, false, false, false]);
    expect(doneSteps(row(lists({ allocations: [allocation({ animated: 4 })] })), false)[1]).toBe(true);
    expect(doneSteps(row(lists({ events: [event({ recordedAt: 9 })] })), true)).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(doneSteps(row(lists({ allocations: [allocation({ state: 'freed' })] })), true)[4]).toBe(true);
  });
});
