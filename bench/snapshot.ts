/**
 * How long a host takes for a snapshot, in milliseconds; prints the same JSON as `baseline LIBRARY BYTES`.
 * usage: snapshot.mjs LIBRARY BYTES, in Node or in Electron as Node.
 */
import type { FromHost, ToHost } from '#contract/host-protocol';
import type { Result } from '#contract/result';
import { startHost } from '#host/host';

const SNAPSHOTS = 5;
const [, , library = '', size = ''] = process.argv;
const bytes = Number(size);

let send: (message: ToHost) => void = () => {};
const waiting = new Map<number, (result: Result<unknown>) => void>();
let ready: (message: FromHost) => void = () => {};
startHost({
  post: (message) => {
    if (message.kind === 'answer') waiting.get(message.id)?.(message.result);
    else if (message.kind === 'ready' || message.kind === 'failed') ready(message);
  },
  listen: (listener) => {
    send = listener;
  },
  exit: () => {},
});

let asked = 0;
async function ask<T>(name: string, args: object): Promise<T> {
  asked += 1;
  const answer = new Promise<Result<unknown>>((resolve) => waiting.set(asked, resolve));
  send({ kind: 'call', id: asked, name, args } as unknown as ToHost);
  const result = await answer;
  if (!result.ok) throw new Error(`${name}: ${JSON.stringify(result.error)}`);
  return result.value as T;
}

const begun = new Promise<FromHost>((resolve) => {
  ready = resolve;
});
const driver = library.includes('libcuda-sim') ? 'simulator' : 'real';
send({ kind: 'init', peerId: 'p1', role: 'inspector', driver, simulatorPath: library, snapshotMemory: bytes });
const first = await begun;
if (first.kind !== 'ready') throw new Error(JSON.stringify(first));

const { id } = await ask<{ id: string }>('buffers.create', { device: 0, bytes });
const times: number[] = [];
for (let snapshot = 0; snapshot <= SNAPSHOTS; snapshot++) {
  const began = performance.now();
  const made = await ask<{ id: string; where: string }>('contents.snapshot', { id, name: 'measured' });
  times.push(performance.now() - began);
  if (made.where !== 'memory') throw new Error(`the snapshot went to a ${made.where}`);
  await ask('contents.drop', { id: made.id });
}
process.stdout.write(`${JSON.stringify({ first: times.slice(0, 1), again: times.slice(1) })}\n`);
process.exit();
