import { describe, expect, it } from 'vitest';
import type { EventImport, Mapping, Peer } from '#contract/records';
import { stillHeld } from './still-held';

const peer = (id: string, name: string): Peer => ({
  id,
  role: 'consumer',
  name,
  pid: 1,
  device: 0,
  state: 'alive',
  startedAt: 0,
});
const peers = [peer('p1', 'Producer 1'), peer('p2', 'Consumer 1'), peer('p3', 'Consumer 2')];

const mapping = (peerId: string, references: number, more: Partial<Mapping> = {}): Mapping => ({
  id: `${peerId}.m1`,
  peerId,
  mechanism: 'legacy',
  exportId: 'p1.x1',
  exporterPeerId: 'p1',
  label: 'weights',
  device: 0,
  address: '0x7f0000000000',
  bytes: 16,
  offset: 0,
  allocationBytes: 16,
  flags: 1,
  references,
  state: 'open',
  exporter: 'alive',
  openedAt: 0,
  ...more,
});
const event = (peerId: string, more: Partial<EventImport> = {}): EventImport => ({
  id: `${peerId}.i1`,
  peerId,
  exportId: 'p1.x2',
  exporterPeerId: 'p1',
  label: 'ready',
  device: 0,
  state: 'open',
  status: null,
  exporter: 'alive',
  openedAt: 0,
  ...more,
});
const held = (mappings: Mapping[], eventImports: EventImport[] = []) =>
  stillHeld('p1', { peers, mappings, eventImports });

describe('what others still have open of a process', () => {
  it('is named with its holders and references', () => {
    expect(held([mapping('p2', 2)])).toBe('Consumer 1 holds 2 references. It keeps the bytes until it closes.');
    expect(held([mapping('p2', 1), mapping('p3', 2)])).toBe(
      'Consumer 1 and Consumer 2 hold 3 references. They keep the bytes until they close.',
    );
    expect(held([], [event('p2')])).toBe('Consumer 1 has 1 of its events open.');
    expect(held([mapping('p2', 1)], [event('p2'), event('p3')])).toBe(
      'Consumer 1 holds 1 reference. It keeps the bytes until it closes. Consumer 1 and Consumer 2 have 2 imports of its events open.',
    );
  });

  it('is nothing when it is closed, or another process exported it', () => {
    expect(held([])).toBeUndefined();
    expect(
      held([mapping('p2', 0, { state: 'closed', closedAt: 1 })], [event('p2', { state: 'closed' })]),
    ).toBeUndefined();
    expect(held([mapping('p2', 1, { exporterPeerId: 'p3' })])).toBeUndefined();
  });
});
