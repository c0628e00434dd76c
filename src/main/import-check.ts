/** What is known of something before it is opened: asked of the ledger, the hosts and the operating system. */
import type { CheckedArgs } from '#contract/calls';
import type { Finding } from '#contract/calls/handles';
import { parseDescriptor, type ShareDescriptor } from '#contract/descriptor';
import type { Device } from '#contract/devices';
import { type ImportFacts, type ImportSubject, importFindings, type KnownDevice } from '#contract/import-findings';
import { decode } from '#contract/paste/item';
import { readLoneHandle } from '#contract/paste/lone-handle';
import type { Export } from '#contract/records';
import { GpuIpcError, type Result } from '#contract/result';
import { ownPidNamespace, presence, processFacts } from '#native/posix/process';
import { describeExport, objectOf } from './describe';
import { type Asking, ask } from './handlers/asking';
import type { Opening } from './handlers/opening';
import type { Services } from './handlers/services';
import { isRunning } from './ledger/ledger';
import { gpusOfMachine } from './machine-gpus';
import type { WindowRecord } from './windows/registry';

type Args = CheckedArgs<'handles.check'>;

/** What is to be opened, as far as it could be read. */
interface Source {
  readonly subject: ImportSubject;
  readonly made: Export | undefined;
}

export class ImportCheck {
  constructor(
    private readonly services: Pick<Services, 'ledger' | 'supervisor'>,
    private readonly asking: Asking,
    private readonly opening: Pick<Opening, 'ownExport'>,
  ) {}

  async findings(args: Args, caller: WindowRecord): Promise<Finding[]> {
    const given = [args.handle, args.exportId, args.descriptor].filter((one) => one !== undefined).length;
    if (given !== 1) {
      throw new GpuIpcError({ code: 'invalid-argument', message: 'give a handle, an exportId or a descriptor' });
    }
    const host = this.asking.hostOf(caller);
    const listed = (await host.request('devices.list', {})) as Result<readonly Device[]>;
    if (!listed.ok) throw new GpuIpcError(listed.error);
    const { holds } = await ask(host, 'handles.layout', {});
    const source = this.sourceOf(args, listed.value, holds);
    if ('level' in source) return [source];
    const facts = this.facts(args, source, listed.value, holds, caller);
    return [...closedExport(source.made, facts), ...importFindings(source.subject, facts)];
  }

  // ---- what is meant --------------------------------------------------------------------------------------------

  private sourceOf(args: Args, devices: readonly Device[], layoutHolds: boolean): Source | Finding {
    const { ledger } = this.services;
    const view = {
      ...(args.offset === undefined ? {} : { offset: args.offset }),
      ...(args.length === undefined ? {} : { size: args.length }),
    };
    if (args.exportId !== undefined) {
      const made = this.asking.exportOf(args.exportId);
      return { made, subject: { ...viewed(this.subjectOf(made, devices), args), ...as(args, made.kind), ...view } };
    }
    if (args.descriptor !== undefined) {
      const reading = parseDescriptor(args.descriptor);
      if (!reading.ok) return unreadable('no-descriptor', reading.problems.map(({ message }) => message).join(' '));
      const { descriptor } = reading;
      const kind = descriptor.mechanism === 'event' ? 'event' : 'memory';
      const made = kind === 'event' ? this.eventOf(descriptor) : this.opening.ownExport(descriptor);
      return { made, subject: { ...viewed({ descriptor }, args), ...as(args, kind), ...view } };
    }
    const handle = bytesOf(args.handle ?? '');
    if (!(handle instanceof Uint8Array)) return handle;
    if (args.as === 'event') {
      return { made: ledger.exportWith('event', handle), subject: { handle, mechanism: 'event', ...view } };
    }
    const made = ledger.exportWith('memory', handle) ?? ledger.exportWith('physical', handle);
    // 64 bytes of a pool are opened in their pool: see imports.open.
    const ofPool = made === undefined && layoutHolds && decode(handle).kind === 'cuda-pool-pointer';
    const mechanism = made?.mechanism ?? (ofPool ? 'pool' : 'legacy');
    return { made, subject: { handle, mechanism, ...view } };
  }

  /** An export with all that is known of it; of one that has ended its bytes, if it had any. */
  private subjectOf(made: Export, devices: readonly Device[]): ImportSubject {
    const { ledger } = this.services;
    const mechanism = made.kind === 'event' ? 'event' : made.mechanism;
    const ordinal = objectOf(ledger, made)?.device;
    const uuid = devices.find((device) => device.ordinal === ordinal)?.uuid;
    if (made.state === 'live' && made.kind !== 'pool' && uuid !== undefined) {
      try {
        return { descriptor: describeExport(ledger, made, uuid), mechanism };
      } catch (thrown) {
        // The descriptor of its pool is closed: the memory may still be opened where the pool is imported.
        if (!(thrown instanceof GpuIpcError)) throw thrown;
      }
    }
    const handle = ledger.handleOf(made.id);
    const pid = ledger.peer(made.peerId)?.pid;
    return { mechanism, ...(handle === undefined ? {} : { handle }), ...(pid == null ? {} : { pid }) };
  }

  private eventOf({ handle = '' }: ShareDescriptor): Export | undefined {
    return this.services.ledger.exportWith('event', Uint8Array.from(Buffer.from(handle, 'hex')));
  }

  // ---- what is known --------------------------------------------------------------------------------------------

  private facts(
    { device, exportId }: Args,
    { made, subject }: Source,
    visible: readonly Device[],
    layoutChecked: boolean,
    caller: WindowRecord,
  ): ImportFacts {
    const { ledger } = this.services;
    const peerId = caller.peerId();
    const namespace = ownPidNamespace();
    const uuid = device === undefined ? undefined : visible.find(({ ordinal }) => ordinal === device)?.uuid;
    const mechanism = subject.mechanism ?? subject.descriptor?.mechanism ?? 'legacy';
    const hex = subject.descriptor?.handle;
    const handle = subject.handle ?? (hex === undefined ? undefined : Uint8Array.from(Buffer.from(hex, 'hex')));
    const kind = mechanism === 'event' ? 'event' : 'memory';
    return {
      ownPid: ledger.peer(peerId)?.pid ?? process.pid,
      ...(namespace === undefined ? {} : { ownPidNamespace: `pid:[${namespace}]` }),
      presence,
      nameOf: (pid) => this.nameOf(pid),
      devices: [...visible.map((one) => ({ ...one, visible: true })), ...hiddenDevices(visible)],
      ...(uuid === undefined ? {} : { device: uuid }),
      openCount: ledger.openCount(peerId, kind, { exportId: made?.id, handle }),
      ...(made === undefined ? {} : { madeHere: this.madeHere(made) }),
      // A pool is imported together with an export of ours that is opened by its id.
      poolImported: exportId !== undefined || this.hasPoolOf(made, peerId),
      layoutChecked,
    };
  }

  private nameOf(pid: number): string | undefined {
    const peer = this.services.ledger.peers().find((one) => one.pid === pid && isRunning(one));
    return peer?.name ?? (processFacts(pid)?.name || undefined);
  }

  private madeHere(made: Export): NonNullable<ImportFacts['madeHere']> {
    const { ledger } = this.services;
    const label = ledger.labelOf(made);
    const owner = ledger.peer(made.peerId)?.name;
    return {
      // Closed descriptors are said apart: the memory itself is still there.
      state: made.state === 'closed' ? 'live' : made.state,
      ...(label === '' ? {} : { label }),
      ...(owner === undefined ? {} : { owner }),
    };
  }

  private hasPoolOf(made: Export | undefined, peerId: string): boolean {
    const { ledger } = this.services;
    const pool = made?.poolExportId === undefined ? undefined : ledger.export(made.poolExportId)?.objectId;
    return ledger.records('pools').some((row) => {
      if (!row.imported || row.state !== 'live' || row.peerId !== peerId) return false;
      // Of a pool of another program nobody knows which memory is in it.
      return row.exportId === null ? made === undefined : ledger.export(row.exportId)?.objectId === pool;
    });
  }
}

/** A part of the caller's own choice does not have the shape of the whole. */
function viewed(subject: ImportSubject, { length }: Args): ImportSubject {
  if (subject.descriptor === undefined || length === undefined) return subject;
  const { shape: _, strides: __, ...descriptor } = subject.descriptor;
  return { ...subject, descriptor };
}

/** How it is to be opened, when the caller says so. */
function as({ as }: Args, kind: Export['kind']): Pick<ImportSubject, 'mechanism'> {
  if (as === 'event') return { mechanism: 'event' };
  return as === 'memory' && kind === 'event' ? { mechanism: 'legacy' } : {};
}

/** Descriptors that were closed, of memory that lives. */
function closedExport(made: Export | undefined, { openCount }: ImportFacts): Finding[] {
  if (made?.state !== 'closed') return [];
  return [
    {
      level: openCount > 0 ? 'warn' : 'refuse',
      code: 'export-closed',
      message: 'The file descriptors of this export were closed, so nobody can import it any more.',
      hint: 'Export it again. Whoever has it open keeps the memory.',
    },
  ];
}

function bytesOf(handle: Uint8Array | string): Uint8Array | Finding {
  if (typeof handle !== 'string') return handle;
  const reading = readLoneHandle(handle);
  return reading.ok ? reading.handle : unreadable('no-handle', reading.problem);
}

const unreadable = (code: string, message: string): Finding => ({
  level: 'refuse',
  code,
  message: message.slice(0, 1000),
});

/** GPUs that this app's processes do not see. */
function hiddenDevices(visible: readonly Device[]): KnownDevice[] {
  const seen = new Set(visible.map(({ uuid }) => uuid));
  return gpusOfMachine()
    .filter(({ uuid }) => !seen.has(uuid))
    .map((gpu) => ({ ...gpu, visible: false }));
}
