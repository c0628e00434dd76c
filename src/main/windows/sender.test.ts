import type { WebFrameMain } from 'electron';
import { describe, expect, it } from 'vitest';
import { type WindowRecord, WindowRegistry } from './registry';
import { senderOf } from './sender';

const record: WindowRecord = {
  id: 7,
  role: 'producer',
  name: 'Producer 1',
  peerId: () => 'p2',
  hearsLedger: false,
  lastPatch: 0,
};
const registry = new WindowRegistry();
registry.add(record);

const frame = (origin: string, url = `${origin}/inspector.html`) => ({ origin, url }) as WebFrameMain;
const own = frame('app://gpu-ipc');

const ask = (id: number, senderFrame: WebFrameMain | null, mainFrame: unknown = senderFrame) =>
  senderOf({ sender: { id, mainFrame }, senderFrame }, registry);

describe('senderOf', () => {
  it('knows the window of its main frame', () => {
    expect(ask(7, own)).toBe(record);
  });

  it.each([
    ['another web contents', () => ask(8, own)],
    ['a frame that is gone', () => ask(7, null)],
    ['a sub-frame', () => ask(7, frame('app://gpu-ipc'), own)],
    ['a page from elsewhere', () => ask(7, frame('https://example.com'))],
    ['an empty page of the same origin', () => ask(7, frame('app://gpu-ipc', 'about:blank'))],
    ['an opaque origin', () => ask(7, frame('null'))],
    ['a host that begins the same', () => ask(7, frame('app://gpu-ipc.evil'))],
  ])('refuses %s', (_who, asking) => {
    expect(asking()).toMatchObject({ code: 'not-allowed' });
  });
});
