/**
 * The demonstration: one process shares a buffer and an event, another opens them; each sees what the other does. It
 * makes the calls that a person makes in the two windows, and checks what comes of them.
 */
import type { CallArgs, CallName, CallValue } from '#contract/calls';
import type { DemoRole, Started } from './demo-windows';

/** Where it is played. */
export interface Stage {
  open(role: DemoRole): Promise<Started>;
  /** The Inspector's peer, which opens the buffer too: its window shows the bytes. */
  readonly inspectorPeerId: string;
  /** A call as the window of that peer makes it; throws what it answers instead of a value. */
  ask<C extends CallName>(peerId: string, name: C, args: CallArgs<C>): Promise<CallValue<C>>;
  /** Says what was seen. */
  tell(line: string): void;
  /** Time for people to see a step, in milliseconds. */
  readonly beat: number;
}

export interface Cast {
  readonly producer: Started;
  readonly consumer: Started;
  readonly bufferId: string;
  readonly eventId: string;
  readonly mappingId: string;
  readonly inspectorMappingId: string;
  readonly eventImportId: string;
}

const BUFFER_BYTES = 64 * 1024;
/** As the form of a producer window proposes it. */
const TEXT = 'Hello from {pid} tick {n}';
/** Where the consumer answers: away from the text that the producer keeps writing. */
const ANSWER_OFFSET = 96;
const TEXT_BYTES = 64;
const FRAMES_HZ = 4;
/** What the event stands for lasts this long. */
const WORK_MS = 1_200;
const DEADLINE_MS = 10_000;

/** Plays it; throws when anything is not as it should be. What it opened stays open. */
export async function play(stage: Stage): Promise<Cast> {
  const { ask, tell, beat } = stage;
  const producer = await stage.open('producer');
  const consumer = await stage.open('consumer');
  await pause(beat);

  const { id: bufferId } = await ask(producer.peerId, 'buffers.create', {
    device: 0,
    bytes: BUFFER_BYTES,
    label: 'shared text',
  });
  await ask(producer.peerId, 'buffers.animate', {
    id: bufferId,
    fill: { pattern: 'text', text: TEXT },
    hz: FRAMES_HZ,
  });
  const memory = await ask(producer.peerId, 'buffers.export', { id: bufferId });
  await pause(beat);

  const mapping = await ask(consumer.peerId, 'imports.open', { exportId: memory.id, device: 0 });
  const textAt = async (peerId: string, id: string, offset = 0) => {
    const { bytes } = await ask(peerId, 'memory.read', { id, offset, length: TEXT_BYTES });
    return textOf(bytes);
  };
  const first = await until('the text of the producer', async () => {
    const text = await textAt(consumer.peerId, mapping.id);
    return text.includes(`from ${producer.pid}`) ? text : undefined;
  });
  const next = await until('another text of the producer', async () => {
    const text = await textAt(consumer.peerId, mapping.id);
    return text !== first && text.includes(`from ${producer.pid}`) ? text : undefined;
  });
  const inspected = await ask(stage.inspectorPeerId, 'imports.open', { exportId: memory.id, device: 0 });
  tell(`consumer ${consumer.pid} reads what producer ${producer.pid} writes: "${first}", then "${next}"`);
  await pause(beat);

  // The producer pauses for it: its next frame would cover the answer with zeros.
  await ask(producer.peerId, 'buffers.animate', { id: bufferId, hz: 0 });
  const answer = `Process ${consumer.pid} was here`;
  const bytes = new Uint8Array(Buffer.from(answer));
  await ask(consumer.peerId, 'buffers.write', { id: mapping.id, offset: ANSWER_OFFSET, bytes });
  const read = await textAt(producer.peerId, bufferId, ANSWER_OFFSET);
  if (read !== answer) throw new Error(`The producer reads "${read}" where the consumer wrote "${answer}".`);
  tell(`producer ${producer.pid} reads what consumer ${consumer.pid} wrote: "${read}"`);
  await pause(beat * 2);

  const { id: eventId } = await ask(producer.peerId, 'events.create', { device: 0, label: 'frame done' });
  const signal = await ask(producer.peerId, 'events.export', { id: eventId });
  const { id: eventImportId } = await ask(consumer.peerId, 'events.open', { exportId: signal.id, device: 0 });
  await ask(producer.peerId, 'events.record', { id: eventId, afterMs: WORK_MS });
  const before = await ask(consumer.peerId, 'events.query', { id: eventImportId });
  if (before !== 'not-ready') throw new Error('The event was ready before the work in front of it was done.');
  const began = performance.now();
  const after = await ask(consumer.peerId, 'events.wait', { id: eventImportId, timeoutMs: DEADLINE_MS });
  if (after !== 'ready') throw new Error(`The event did not become ready within ${DEADLINE_MS} ms.`);
  tell(`consumer ${consumer.pid} waited ${Math.round(performance.now() - began)} ms for the producer's event`);

  await ask(producer.peerId, 'buffers.animate', { id: bufferId, hz: FRAMES_HZ });
  return {
    producer,
    consumer,
    bufferId,
    eventId,
    mappingId: mapping.id,
    inspectorMappingId: inspected.id,
    eventImportId,
  };
}

/** Lets go of everything that the demonstration opened, importer first. */
export async function release({ ask, inspectorPeerId }: Stage, cast: Cast): Promise<void> {
  await ask(inspectorPeerId, 'imports.close', { id: cast.inspectorMappingId });
  await ask(cast.consumer.peerId, 'imports.close', { id: cast.mappingId });
  await ask(cast.consumer.peerId, 'events.destroy', { id: cast.eventImportId });
  await ask(cast.producer.peerId, 'buffers.free', { id: cast.bufferId });
  await ask(cast.producer.peerId, 'events.destroy', { id: cast.eventId });
}

/** UTF-8 up to the first zero byte. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

/** Asks again and again until there is an answer. */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${DEADLINE_MS} ms in vain for ${what}.`);
    await pause(50);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
