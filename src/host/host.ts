/**
 * The driver host: one process's or thread's use of the CUDA driver, served over a port. It does not know whether it
 * runs in a worker thread or in a process of its own; see entries/.
 */
import type { CallValue } from '#contract/calls';
import type { HostInit, HostPort, HostRequest, ToHost } from '#contract/host-protocol';
import { fail, GpuIpcError, type IpcError, ok, type Result, toIpcError } from '#contract/result';
import { CallLog } from './call-log';
import { Contents } from './contents/contents';
import { Jobs } from './contents/jobs';
import { Delays } from './delays';
import { Offers } from './descriptors';
import { type Handlers, handlers } from './dispatch';
import { Events } from './events';
import type { HostState } from './host-state';
import { WholeBuffer } from './kernels/index';
import { MemoryStreams } from './memory-streams';
import { Objects } from './objects';
import { ending } from './problems';
import { Report } from './report';
import { Session } from './session';
import { shutDown } from './shutdown';
import { Staging } from './staging';

interface Running {
  readonly state: HostState;
  readonly events: Events;
  readonly contents: Contents;
  readonly handlers: Handlers;
}

/** Serves a port until it is told to shut down. */
export function startHost(port: HostPort): void {
  let running: Running | undefined;
  let failure: IpcError = { code: 'no-driver', message: 'This process has not loaded a driver yet.' };

  port.listen((message: ToHost) => {
    switch (message.kind) {
      case 'init':
        try {
          running = begin(port, message);
          port.post({ kind: 'ready', pid: process.pid, driver: running.state.session.info });
        } catch (thrown) {
          failure = toIpcError(thrown);
          port.post({ kind: 'failed', error: failure });
        }
        break;
      case 'call':
        if (running) answer(port, running, message);
        else port.post({ kind: 'answer', id: message.id, result: { ok: false, error: failure } });
        break;
      case 'shutdown':
        void end(port, running);
        break;
    }
  });
}

function begin(port: HostPort, init: HostInit): Running {
  const log = new CallLog(init.peerId);
  const report = new Report(port, log);
  const session = new Session(init, port, log, report);
  const objects = new Objects(init.peerId);
  const state: HostState = {
    peerId: init.peerId,
    port,
    session,
    report,
    objects,
    staging: new Staging(session),
    delays: new Delays(session),
    memoryStreams: new MemoryStreams(session),
    offers: new Offers(objects),
    jobs: new Jobs((progress) => port.post({ kind: 'progress', ...progress })),
    kernels: new WholeBuffer(session),
    snapshotPlace: init,
    ending: false,
  };
  const events = new Events(state);
  const contents = new Contents(state);
  return { state, events, contents, handlers: handlers(state, events, contents) };
}

async function end(port: HostPort, running: Running | undefined): Promise<void> {
  if (running?.state.ending) return;
  if (running) await shutDown(running.state, running.events, running.contents);
  port.post({ kind: 'done' });
  port.exit(0);
}

function answer(port: HostPort, running: Running, request: HostRequest): void {
  const result = outcome(running, request);
  // What is there already is sent in the same turn: the bytes of a read lie in memory that the next call uses again.
  if (result instanceof Promise) void result.then((settled) => send(port, running, request, settled));
  else send(port, running, request, result);
}

function send(port: HostPort, running: Running, { id, name }: HostRequest, result: Result<unknown>): void {
  if (name === 'memory.read' && result.ok) {
    sendPage(port, running, id, result.value as CallValue<'memory.read'>);
    return;
  }
  running.state.report.beforeAnswer();
  port.post({ kind: 'answer', id, result });
}

/** Reads change no record, so their place in the log of calls need not be known before their answer. */
function sendPage(port: HostPort, running: Running, id: number, { bytes, takenAt }: CallValue<'memory.read'>): void {
  running.state.report.beforeRead();
  if (port.handOver?.(id, { bytes, takenAt }) === true) return;
  const own = running.state.staging.contains(bytes) ? bytes.slice() : bytes;
  port.post({ kind: 'answer', id, result: ok({ bytes: own, takenAt }) }, [own.buffer]);
}

function outcome(running: Running, { name, args }: HostRequest): Result<unknown> | Promise<Result<unknown>> {
  const { session } = running.state;
  try {
    if (session.lost) throw new GpuIpcError(session.lost);
    if (running.state.ending) throw ending();
    const handler = Object.hasOwn(running.handlers, name)
      ? ((running.handlers as Readonly<Record<string, unknown>>)[name] as (args: unknown) => unknown)
      : undefined;
    if (!handler) throw new GpuIpcError({ code: 'not-found', message: `A driver host has no call ${name}.` });
    const value = handler(args);
    return value instanceof Promise ? value.then(ok, (thrown: unknown) => failed(name, thrown)) : ok(value);
  } catch (thrown) {
    return failed(name, thrown);
  }
}

function failed(name: string, thrown: unknown): Result<never> {
  // A defect: whoever asked learns that there is one, its place is of use here only.
  if (!(thrown instanceof GpuIpcError)) console.error(`${name} failed:`, thrown);
  return fail(toIpcError(thrown));
}
