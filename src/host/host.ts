/**
 * The driver host: one process's or thread's use of the CUDA driver, served over a port. It does not know whether it
 * runs in a worker thread or in a process of its own; see entries/.
 */
import type { FromHost, HostInit, HostPort, HostRequest, ToHost } from '#contract/host-protocol';
import { GpuIpcError, type IpcError, type Result, toIpcError } from '#contract/result';
import { CallLog } from './call-log';
import { Delays } from './delays';
import { type Handlers, handlers } from './dispatch';
import { Events } from './events';
import type { HostState } from './host-state';
import { Objects } from './objects';
import { Report } from './report';
import { Session } from './session';
import { shutDown } from './shutdown';
import { Staging } from './staging';

interface Running {
  readonly state: HostState;
  readonly events: Events;
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
        if (running) void answer(port, running, message);
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
  const state: HostState = {
    peerId: init.peerId,
    port,
    session,
    report,
    objects: new Objects(init.peerId),
    staging: new Staging(session),
    delays: new Delays(session),
    ending: false,
  };
  const events = new Events(state);
  return { state, events, handlers: handlers(state, events) };
}

async function end(port: HostPort, running: Running | undefined): Promise<void> {
  if (running?.state.ending) return;
  if (running) await shutDown(running.state, running.events);
  port.post({ kind: 'done' });
  port.exit(0);
}

async function answer(port: HostPort, running: Running, { id, name, args }: HostRequest): Promise<void> {
  const result = await outcome(running, name, args);
  running.state.report.beforeAnswer();
  const message: FromHost = { kind: 'answer', id, result };
  const moved = result.ok ? transferable(result.value) : undefined;
  if (moved) port.post(message, [moved]);
  else port.post(message);
}

async function outcome(running: Running, name: HostRequest['name'], args: unknown): Promise<Result<unknown>> {
  const { session } = running.state;
  try {
    if (session.lost) throw new GpuIpcError(session.lost);
    if (running.state.ending) throw new GpuIpcError({ code: 'host-lost', message: 'This process is being ended.' });
    const handler = Object.hasOwn(running.handlers, name)
      ? (running.handlers[name] as (args: unknown) => unknown)
      : undefined;
    if (!handler) throw new GpuIpcError({ code: 'not-found', message: `A driver host has no call ${name}.` });
    const value = handler(args);
    return { ok: true, value: value instanceof Promise ? await value : value };
  } catch (thrown) {
    return { ok: false, error: toIpcError(thrown) };
  }
}

/** The buffer of a read: it was made for the answer and nobody here looks at it again. */
function transferable(value: unknown): ArrayBuffer | undefined {
  const bytes = (value as { bytes?: unknown } | undefined)?.bytes;
  return bytes instanceof Uint8Array &&
    bytes.buffer instanceof ArrayBuffer &&
    bytes.byteLength === bytes.buffer.byteLength
    ? bytes.buffer
    : undefined;
}
