import { expect, it, vi } from 'vitest';
import { type IpcError, ok } from '#contract/result';
import { serveBytes } from './bytes-port';
import { DriverHost, nobody } from './hosts/driver-host';
import { type MainHandlers, Router } from './router';
import { FakeTransport } from './testing/fake-transport';
import { windowRecord } from './testing/window-record';
import type { WindowRecord } from './windows/registry';

const inspector = windowRecord('inspector', 'p1');
const args = { id: 'p1.a1', offset: 0, length: 4 };

/** A port to a router whose host answers nothing by itself. */
function served(sender: () => WindowRecord | IpcError) {
  const transport = new FakeTransport();
  const host = new DriverHost(
    transport,
    { kind: 'init', peerId: 'p1', role: 'inspector', driver: 'simulator', simulatorPath: '/sim.so' },
    { ...nobody, ready() {} },
  );
  transport.isReady();
  let say: (event: { data: unknown }) => void = () => {};
  const port = {
    on: (_: 'message', listener: typeof say) => {
      say = listener;
    },
    start() {},
    postMessage: vi.fn(),
  };
  serveBytes(port, sender, new Router({ handlers: {} as MainHandlers, host: () => host }));
  const asked = () => transport.requests;
  return { transport, asked, say: (data: unknown) => say({ data }), replies: port.postMessage };
}

it('passes a read to the host, and its bytes back with the number of the page', async () => {
  const { transport, asked, say, replies } = served(() => inspector);
  say([7, args]);
  await vi.waitFor(() => expect(asked()).toMatchObject([{ name: 'memory.read', args }]));
  const page = { bytes: Uint8Array.of(1, 2, 3, 4), takenAt: 5 };
  transport.answers(ok(page));
  await vi.waitFor(() => expect(replies.mock.calls).toEqual([[[7, page]]]));
});

it('lets nothing to the host that is no read of the window that it belongs to', async () => {
  let sender: WindowRecord | IpcError = inspector;
  const { asked, say, replies } = served(() => sender);
  say('read');
  say([1, { ...args, length: -1 }]);
  say([2, { ...args, bytes: new Uint8Array(1) }]);
  say([3, new Uint8Array(64)]);
  // The window has gone to another page meanwhile.
  sender = { code: 'not-allowed', message: 'Refused.' };
  say([4, args]);
  await vi.waitFor(() => expect(replies).toHaveBeenCalledTimes(4));
  expect(replies.mock.calls.map(([reply]) => reply).sort()).toEqual([[1], [2], [3], [4]]);
  expect(asked()).toEqual([]);
});
