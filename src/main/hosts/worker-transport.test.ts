/** The Inspector's driver host on a real thread, with the simulator. */
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FromHost, HostInit, HostRequest } from '#contract/host-protocol';
import { HAND_OVER_BYTES } from '#host/hand-over';
import { type Bundle, bundle } from '#host/testing/bundle';
import { simulatorPath, testDriver } from '#host/testing/driver';
import type { HostEnding, HostTransport } from './transport';
import { startThread } from './worker-transport';

process.env.GPU_IPC_SIM_MACHINE = `worker-transport-test-${process.pid}`;

const init: HostInit = { kind: 'init', peerId: 'p1', role: 'inspector', driver: testDriver(), simulatorPath };

let entry: Bundle;
let transport: HostTransport;
let ended: Promise<HostEnding>;
/** What the host said, in order. */
const heard: FromHost[] = [];
let nextId = 1;

const until = (found: () => unknown) =>
  vi.waitFor(() => expect(found()).toBeTruthy(), { interval: 5, timeout: 20_000 });
const answerOf = (id: number) => heard.find((message) => message.kind === 'answer' && message.id === id);

function ask(name: HostRequest['name'], args: object): number {
  const id = nextId++;
  transport.send({ kind: 'call', id, name, args } as HostRequest);
  return id;
}

async function value(id: number): Promise<unknown> {
  await until(() => answerOf(id));
  const answer = answerOf(id);
  if (answer?.kind !== 'answer' || !answer.result.ok) throw new Error(JSON.stringify(answer));
  return answer.result.value;
}

const pageOf = async (id: number) => (await value(id)) as { bytes: Uint8Array; takenAt: number };

async function buffer(bytes: number): Promise<string> {
  const made = await value(
    ask('buffers.create', { device: 0, bytes, label: `b${nextId}`, dtype: 'u8', fill: { pattern: 'ramp' } }),
  );
  return (made as { id: string }).id;
}

beforeAll(async () => {
  entry = await bundle('entries/worker.ts');
  transport = startThread(pathToFileURL(entry.file));
  ended = new Promise((resolve) => transport.onEnd(resolve));
  transport.onMessage((message) => heard.push(message));
  transport.send(init);
  await until(() => heard.some(({ kind }) => kind === 'ready'));
});
afterAll(async () => {
  transport.send({ kind: 'shutdown' });
  expect(await ended).toEqual({ state: 'exited', words: 'exit code 0' });
  entry.remove();
});

describe('reads of a host on a thread', () => {
  it('answers small ones while they are asked for, and all of them right', async () => {
    const id = await buffer(4096);
    let atOnce = 0;
    for (let n = 0; n < 200; n += 1) {
      const offset = n % 256;
      const read = ask('memory.read', { id, offset, length: 3 });
      if (answerOf(read) !== undefined) atOnce += 1;
      const { bytes, takenAt } = await pageOf(read);
      expect([...bytes]).toEqual([offset, (offset + 1) % 256, (offset + 2) % 256]);
      expect(bytes.buffer.byteLength).toBe(3);
      expect(Math.abs(takenAt - Date.now())).toBeLessThan(10_000);
    }
    // How many depends on how busy the machine is.
    expect(atOnce).toBeGreaterThan(0);
  });

  it('answers each of many at once, with its own bytes', async () => {
    const id = await buffer(4096);
    const asked = Array.from({ length: 100 }, (_, offset) => ask('memory.read', { id, offset, length: 1 }));
    const answers = await Promise.all(asked.map(pageOf));
    expect(answers.map(({ bytes }) => bytes[0])).toEqual(Array.from({ length: 100 }, (_, offset) => offset));
  });

  it('answers in the order of the questions', async () => {
    const id = await buffer(4096);
    for (let n = 0; n < 50; n += 1) {
      const filled = ask('buffers.fill', { id, fill: { pattern: 'constant', value: n } });
      const read = ask('memory.read', { id, offset: 4095, length: 1 });
      expect([...(await pageOf(read)).bytes]).toEqual([n]);
      const order = heard.flatMap((message) => (message.kind === 'answer' ? [message.id] : []));
      expect(order.indexOf(filled)).toBeLessThan(order.indexOf(read));
    }
  });

  it('answers large ones and wrong ones too', async () => {
    const id = await buffer(HAND_OVER_BYTES + 1);
    for (const length of [HAND_OVER_BYTES, HAND_OVER_BYTES + 1]) {
      const { bytes } = await pageOf(ask('memory.read', { id, offset: 0, length }));
      expect(bytes.byteLength).toBe(length);
      expect(bytes.every((byte, index) => byte === index % 256)).toBe(true);
    }
    const wrong = ask('memory.read', { id, offset: HAND_OVER_BYTES, length: 2 });
    await until(() => answerOf(wrong));
    expect(answerOf(wrong)).toMatchObject({ result: { ok: false, error: { code: 'out-of-range' } } });
  });
});
