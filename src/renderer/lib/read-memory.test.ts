import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BYTES_PORT } from '#contract/channels';

const page = { bytes: Uint8Array.of(1, 2), takenAt: 3 };
const failed = { ok: false, error: { code: 'closed', message: 'It was closed.' } };
const args = { id: 'p1.a1', offset: 0, length: 2 };

let port: MessagePort | undefined;
const call = vi.fn(async () => failed);
const handed = vi.fn((_name: string, _origin: string, [given]: [MessagePort]) => {
  port = given;
});

beforeEach(() => {
  vi.resetModules();
  vi.clearAllMocks();
  vi.stubGlobal('window', {
    location: { origin: 'app://gpu-ipc' },
    postMessage: handed,
    gpuIpc: { memory: { read: call } },
  });
});
afterEach(() => {
  port?.close();
  vi.unstubAllGlobals();
});

it('reads through one port, each answer to the one who asked', async () => {
  const { readMemory } = await import('./read-memory');
  const first = readMemory(args);
  const second = readMemory({ ...args, offset: 2 });
  expect(handed.mock.calls.map(([name, origin]) => [name, origin])).toEqual([[BYTES_PORT, 'app://gpu-ipc']]);
  const asked: [number, { offset: number }][] = [];
  await new Promise<void>((resolve) => {
    if (port) port.onmessage = ({ data }) => asked.push(data) === 2 && resolve();
  });
  for (const [id, { offset }] of asked.reverse()) port?.postMessage([id, { ...page, takenAt: offset }]);
  expect(await first).toEqual({ ok: true, value: { ...page, takenAt: 0 } });
  expect(await second).toEqual({ ok: true, value: { ...page, takenAt: 2 } });
  expect(call).not.toHaveBeenCalled();
});

it('asks by the call why a read failed', async () => {
  const { readMemory } = await import('./read-memory');
  const read = readMemory(args);
  if (port) port.onmessage = ({ data: [id] }) => port?.postMessage([id]);
  expect(await read).toEqual(failed);
  expect(call).toHaveBeenCalledExactlyOnceWith(args);
});
