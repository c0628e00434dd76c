/** Events, own and imported: create, open, record, query, wait, destroy. No call here ever waits in the driver. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { decodeEventHandle, leadsOutOfTable } from '#contract/handle-layout';
import type { InternalCalls } from '#contract/host-protocol';
import { GpuIpcError } from '#contract/result';
import type { EventStatus } from '#contract/values';
import { asEventHandle } from '#native/cuda/index';
import { endExport } from './exports';
import type { HostState } from './host-state';
import { type ImportedEvent, isOwnEvent, type OwnEvent } from './objects';
import { invalid } from './problems';
import { situationOfHandle } from './situations';
import { STAGING_BYTES } from './staging';

/** INTERPROCESS and DISABLE_TIMING: the flags of an event that can be exported. */
const SHAREABLE = 6;

/** Events that are not ready, or never asked, are asked again this often, so that the ledger is right by itself. */
const WATCH_MS = 500;
/** Just recorded work is usually done by then. */
const SOON_MS = 20;

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 5;

export class Events {
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by performance.now(). */
  private askAt = 0;
  /** Running waits by event: each entry ends one with a reason. */
  private readonly waits = new Map<string, Set<(reason: GpuIpcError) => void>>();

  constructor(private readonly host: HostState) {}

  create({ device, flags = SHAREABLE, label }: CheckedArgs<'events.create'>): CallValue<'events.create'> {
    const { session, objects, report, peerId } = this.host;
    session.use(device);
    const name = label || objects.defaultLabel('event');
    const id = objects.nextId('e');
    const event = session.call({ args: `${name}, flags ${flags}`, objectId: id, situation: { flags } }, (cuda) =>
      cuda.eventCreate(flags),
    );
    const own: OwnEvent = {
      record: { id, peerId, label: name, device, flags, state: 'live', status: null, createdAt: Date.now() },
      event,
    };
    objects.add(objects.events, own);
    report.put('events', own.record);
    this.watch();
    return { id };
  }

  /** cuIpcOpenEventHandle. Every open is an event of its own, also of the same handle. */
  open({ handle, device, ...args }: InternalCalls['events.open']['args']): InternalCalls['events.open']['value'] {
    const { session, objects, report, peerId } = this.host;
    if (leadsOutOfTable(handle)) {
      throw invalid(
        `The handle names event ${decodeEventHandle(handle).slot} of a table of 4,096.`,
        'A byte of it was changed. The driver would open it all the same, and crash this process when the event is used.',
      );
    }
    session.use(device);
    const label = args.label || objects.defaultLabel('imported event');
    const id = objects.nextId('i');
    const event = session.call(
      { args: label, objectId: id, situation: () => situationOfHandle(this.host, handle) },
      (cuda) => cuda.ipcOpenEventHandle(asEventHandle(handle)),
    );
    const imported: ImportedEvent = {
      record: {
        id,
        peerId,
        exportId: null,
        exporterPeerId: null,
        label,
        device,
        state: 'open',
        status: null,
        exporter: 'unknown',
        openedAt: Date.now(),
        handle,
      },
      event,
    };
    objects.add(objects.eventImports, imported);
    report.put('eventImports', imported.record);
    this.watch();
    return { id };
  }

  /** cuEventRecord on the host's own stream, behind work of `afterMs` when that is given. */
  record({ id, afterMs = 0 }: CheckedArgs<'events.record'>): undefined {
    const { session, objects, delays, staging } = this.host;
    const event = objects.liveEvent(id);
    const { device, label } = event.record;
    this.refuseBehindTheDead(event);
    const stream = delays.stream(device);
    if (afterMs > 0) {
      // Registering memory later might wait for the work that is queued now.
      staging.atLeast(STAGING_BYTES);
      delays.queue(device, afterMs);
    }
    session.call({ args: `${label}, stream of this host`, objectId: id }, (cuda) =>
      cuda.eventRecord(event.event, stream),
    );
    if (isOwnEvent(event)) {
      event.record = { ...event.record, recordedAt: Date.now() };
      this.host.report.put('events', event.record);
    }
    this.ask(event);
    this.watch(SOON_MS);
  }

  query({ id }: CheckedArgs<'events.query'>): EventStatus {
    const status = this.ask(this.host.objects.liveEvent(id));
    this.watch();
    return status;
  }

  /** Asks again and again, with pauses in which the host serves other calls. */
  async wait({ id, timeoutMs }: CheckedArgs<'events.wait'>): Promise<EventStatus> {
    const event = this.host.objects.liveEvent(id);
    const deadline = performance.now() + timeoutMs;
    if (this.ask(event) === 'ready' || timeoutMs === 0) return event.record.status ?? 'not-ready';
    this.watch();
    let ended: GpuIpcError | undefined;
    let wake: (() => void) | undefined;
    const end = (reason: GpuIpcError): void => {
      ended ??= reason;
      wake?.();
    };
    const running = this.waits.get(id) ?? new Set();
    this.waits.set(id, running.add(end));
    this.markWaiting(event, { since: Date.now(), timeoutMs });
    try {
      for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 1.5, LONGEST_WAIT_MS)) {
        const left = deadline - performance.now();
        if (left <= 0) return 'not-ready';
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(pause, left));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        if (ended) throw ended;
        if (this.host.session.lost) throw new GpuIpcError(this.host.session.lost);
        if (this.ask(event) === 'ready') return 'ready';
      }
    } finally {
      running.delete(end);
      if (running.size === 0) {
        this.waits.delete(id);
        this.markWaiting(event, undefined);
      }
    }
  }

  /** Ends the running waits for an event; nothing when there are none. */
  cancelWait({ id }: CheckedArgs<'events.cancelWait'>): undefined {
    const { label } = this.host.objects.liveEvent(id).record;
    this.endWaits(id, new GpuIpcError({ code: 'cancelled', message: `The wait for ${label} was cancelled.` }));
  }

  destroy({ id }: CheckedArgs<'events.destroy'>): undefined {
    const event = this.host.objects.liveEvent(id);
    const { label, device } = event.record;
    this.host.session.use(device);
    this.host.session.call({ args: label, objectId: id }, (cuda) => cuda.eventDestroy(event.event));
    this.endWaits(id, new GpuIpcError({ code: 'closed', message: `${label} was destroyed during the wait.` }));
    if (isOwnEvent(event)) {
      event.record = { ...event.record, state: 'destroyed', endedAt: Date.now() };
      this.host.report.put('events', event.record);
      if (event.export) endExport(this.host, event.export);
    } else {
      event.record = { ...event.record, state: 'closed', closedAt: Date.now() };
      this.host.report.put('eventImports', event.record);
    }
  }

  /**
   * A record waits in its stream for the record before it, whoever made that one. When its process was killed it waits
   * for ever, and every call that frees memory waits with it.
   */
  private refuseBehindTheDead(event: OwnEvent | ImportedEvent): void {
    if (isOwnEvent(event) || situationOfHandle(this.host, event.record.handle).exporter?.state !== 'gone') return;
    if (this.ask(event) === 'ready') return;
    throw invalid(
      `${event.record.label} is not ready, and no process here has the pid of its exporter.`,
      'If its exporter was killed it never gets ready: a record now would wait behind it for ever, and freeing memory in this process would wait with it.',
    );
  }

  /** Stops asking and ends every wait; events stay as they are. */
  stop(reason: GpuIpcError): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const id of [...this.waits.keys()]) this.endWaits(id, reason);
  }

  private endWaits(id: string, reason: GpuIpcError): void {
    for (const end of this.waits.get(id) ?? []) end(reason);
  }

  /** cuEventQuery; a changed answer goes into the ledger. */
  private ask(event: OwnEvent | ImportedEvent): EventStatus {
    const { id, label, device } = event.record;
    this.host.session.use(device);
    const status = this.host.session.call({ args: label, objectId: id }, (cuda) => cuda.eventQuery(event.event));
    if (status !== event.record.status) {
      if (isOwnEvent(event)) {
        event.record = { ...event.record, status };
        this.host.report.put('events', event.record);
      } else {
        event.record = { ...event.record, status };
        this.host.report.put('eventImports', event.record);
      }
    }
    return status;
  }

  private markWaiting(
    event: OwnEvent | ImportedEvent,
    waiting: { since: number; timeoutMs: number } | undefined,
  ): void {
    if (isOwnEvent(event)) return;
    event.record = { ...event.record, waiting };
    this.host.report.put('eventImports', event.record);
  }

  /** Asks again later, for as long as there is an event whose status may still change by itself. */
  private watch(inMs = WATCH_MS): void {
    if (this.undecided().length === 0) return;
    const at = performance.now() + inMs;
    if (this.timer !== undefined && this.askAt <= at) return;
    clearTimeout(this.timer);
    this.askAt = at;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.host.ending || this.host.session.lost) return;
      for (const event of this.undecided()) {
        try {
          this.ask(event);
        } catch {
          // In the log with its reason; ask the others all the same.
        }
      }
      this.watch();
    }, inMs);
  }

  private undecided(): (OwnEvent | ImportedEvent)[] {
    const { events, eventImports } = this.host.objects;
    return [
      ...[...events.values()].filter(({ record }) => record.state === 'live' && record.status !== 'ready'),
      ...[...eventImports.values()].filter(({ record }) => record.state === 'open' && record.status !== 'ready'),
    ];
  }
}
