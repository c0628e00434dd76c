/**
 * Trials in this host, as exporter or as importer. Main leads; what a trial holds here is kept under a token until
 * `end`, and is in no record: windows see the driver calls of it, and nothing else.
 */
import { GpuIpcError } from '#contract/result';
import type { TrialCalls, TrialPart } from '#contract/trial-protocol';
import type { Situation } from '#native/cuda/index';
import { closeDescriptor } from '#native/posix/libc';
import { withDescriptors } from '../descriptors';
import { situationMemory, situationOfPool } from '../exports';
import type { HostState } from '../host-state';
import { notFound, unsupported } from '../problems';
import { type ChecksumOf, checksum } from './checksum';
import { exportSteps, offerOf, type Tried } from './export-steps';
import { openSteps, type Undo } from './open-steps';
import { bytesIn } from './parts';
import { Steps } from './steps';

type Calls = TrialCalls;

interface Held {
  readonly memory: ChecksumOf;
  /** Open in this process, for the importer. */
  readonly descriptors: number[];
  readonly undo: Undo;
}

export class Trials {
  private readonly held = new Map<string, Held>();
  private nextToken = 1;

  constructor(private readonly host: HostState) {}

  export({ id, mechanism }: Calls['trial.export']['args']): Calls['trial.export']['value'] {
    const tried = this.tried(id);
    const steps = new Steps();
    const descriptors: number[] = [];
    let handle: Uint8Array | null = null;
    const worked = steps.attempt(() => {
      ({ handle } = exportSteps(this.host, mechanism, tried, steps, (descriptor) => descriptors.push(descriptor)));
    });
    const { device, label } = tried;
    const memory = { device, label, pointer: () => this.tried(id).pointer };
    const token = this.keep({ memory, descriptors, undo: [] });
    const offer = worked ? offerOf(mechanism, tried, { handle, descriptors }) : null;
    return { ...steps.progress, token, offer, label, ofBytes: bytesIn(tried.pieces) };
  }

  offer({ token, toPid }: Calls['trial.offer']['args']): Calls['trial.offer']['value'] {
    this.get(token);
    // Of a trial that has ended nothing is given: the numbers may be other files.
    return { name: this.host.offers.give(() => this.held.get(token)?.descriptors ?? [], toPid) };
  }

  async open({ offer, socket }: Calls['trial.open']['args']): Promise<Calls['trial.open']['value']> {
    const steps = new Steps();
    const undo: Undo = [];
    const open = (descriptors: readonly number[]) => openSteps(this.host, offer, descriptors, steps, undo);
    try {
      // The driver has descriptors of its own once it has imported: those that arrived are closed then.
      const { pointer } = socket === null ? open([]) : await received(socket, offer.descriptors, steps, open);
      const memory = { device: offer.device, label: 'trial', pointer: () => pointer };
      return { ...steps.progress, token: this.keep({ memory, descriptors: [], undo }) };
    } catch (thrown) {
      if (!(thrown instanceof GpuIpcError)) throw thrown;
      if (steps.progress.error === undefined) steps.failed('recvmsg', thrown.error);
      release(undo, steps);
      return { ...steps.progress, token: null };
    }
  }

  checksum({ token, parts }: Calls['trial.checksum']['args']): Promise<Calls['trial.checksum']['value']> {
    return checksum(this.host, this.get(token).memory, parts);
  }

  end({ token }: Calls['trial.end']['args']): Calls['trial.end']['value'] {
    const steps = new Steps();
    const { undo, descriptors, memory } = this.get(token);
    this.held.delete(token);
    if (undo.length > 0) this.host.session.use(memory.device);
    release(undo, steps);
    if (descriptors.length > 0) {
      const what = descriptors.length === 1 ? 'the descriptor' : `${descriptors.length} descriptors`;
      steps.do('close', `${what} of the exporter`, () => descriptors.forEach(closeDescriptor));
    }
    return steps.progress;
  }

  private keep(held: Held): string {
    const token = `t${this.nextToken}`;
    this.nextToken += 1;
    this.held.set(token, held);
    return token;
  }

  private get(token: string): Held {
    const held = this.held.get(token);
    if (held === undefined) throw notFound('trial', token);
    return held;
  }

  /** @throws GpuIpcError `closed` or `not-found` when the memory is not there (any more) */
  private tried(id: string): Tried {
    const { objects } = this.host;
    const { pointer, label, device, bytes } = objects.memory(id);
    const own = objects.allocations.get(id);
    const chunks = own?.record.chunks ?? objects.mappings.get(id)?.record.chunks;
    const situation: Situation = {
      memory: own === undefined ? 'imported' : situationMemory[own.record.memory],
      ...(own?.pool && { pool: situationOfPool(own.pool) }),
    };
    const tried = { id, label, device, pointer, situation };
    if (chunks === undefined) return { ...tried, bytes, pieces: [{ offset: 0, length: bytes }] };
    if (chunks.length === 0) {
      throw unsupported(`Nothing is mapped in ${label}, so there is nothing to try.`, 'Map physical memory into it.');
    }
    const pieces: TrialPart[] = [...chunks]
      .sort((a, b) => a.offset - b.offset)
      .map((chunk) => ({ offset: chunk.offset, length: chunk.bytes }));
    const last = pieces.at(-1) ?? { offset: 0, length: 0 };
    return { ...tried, bytes: last.offset + last.length, pieces };
  }
}

/** Takes the descriptors from the exporter, which is a step of its own, and has them used. */
function received<T>(
  name: string,
  count: number,
  steps: Steps,
  use: (descriptors: readonly number[]) => T,
): Promise<T> {
  const began = performance.now();
  return withDescriptors({ kind: 'offer', name }, count, (descriptors) => {
    const what = count === 1 ? 'a descriptor' : `${count} descriptors`;
    steps.done('recvmsg', `${what}, sent by the exporter`, (performance.now() - began) * 1000);
    return use(descriptors);
  });
}

/** Undoes what was done, last first; a failure is noted and the rest is undone all the same. */
function release(undo: Undo, steps: Steps): void {
  for (const { what, detail, do: act } of undo.splice(0).reverse()) {
    steps.attempt(() => steps.do(what, detail, act));
  }
}
