/**
 * Opening memory by what travels with it: a legacy handle, the descriptor of a pool and 64 bytes, a descriptor for each
 * piece of virtual memory, or a fabric handle. Descriptors of this app's own exports are given by their host; those of
 * other programs are copied out of their process.
 */
import type { CheckedArgs } from '#contract/calls';
import { parseDescriptor, type ShareDescriptor } from '#contract/descriptor';
import type { Device } from '#contract/devices';
import type { DescriptorSource, OpenedMapping } from '#contract/host-protocol';
import { readLoneHandle } from '#contract/paste/lone-handle';
import type { Export, Mapping, Pool } from '#contract/records';
import { GpuIpcError, type Result } from '#contract/result';
import { ownPidNamespace } from '#native/posix/process';
import { isRunning } from '../ledger/ledger';
import type { WindowRecord } from '../windows/registry';
import { type Asking, ask } from './asking';
import type { Services } from './services';

/** CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: the only flag of cuIpcOpenMemHandle_v2, and the driver demands it. */
const LAZY_PEER_ACCESS = 1;

type Args = CheckedArgs<'imports.open'>;
/** What of the arguments holds whatever it is opened by. */
type How = Pick<Args, 'device' | 'flags' | 'offset' | 'length' | 'label' | 'access' | 'data'>;

export class Opening {
  constructor(
    private readonly services: Pick<Services, 'ledger' | 'supervisor' | 'outside'>,
    private readonly asking: Asking,
  ) {}

  async open(args: Args, caller: WindowRecord): Promise<OpenedMapping> {
    const { handle, exportId, descriptor, poolId, ...how } = args;
    if (descriptor !== undefined) {
      if (poolId !== undefined) throw invalid('poolId: a descriptor says itself which pool its memory is of');
      return this.byDescriptor(descriptorIn(descriptor), how, caller);
    }
    if (exportId !== undefined) return this.byExport(this.asking.exportOf(exportId), how, caller, poolId);
    return this.byHandle(handleBytes(handle ?? ''), how, caller, poolId);
  }

  private async byHandle(handle: Uint8Array, how: How, caller: WindowRecord, poolId?: string): Promise<OpenedMapping> {
    const made = this.services.ledger.exportWith('memory', handle);
    if (poolId !== undefined) return this.intoPool(handle, made, poolId, how, caller);
    if (made !== undefined && made.mechanism !== 'legacy') return this.byExport(made, how, caller);
    return this.legacy(handle, made, how, caller);
  }

  private async byExport(made: Export, how: How, caller: WindowRecord, poolId?: string): Promise<OpenedMapping> {
    if (made.kind === 'event') throw invalid(`exportId: ${made.id} is the handle of an event`);
    if (made.kind === 'pool') {
      throw invalid(
        `exportId: ${made.id} is the descriptor of a pool, which has no memory of its own`,
        'Import the pool, then open memory that its process allocated in it.',
      );
    }
    if (poolId !== undefined) {
      if (made.mechanism !== 'pool') throw invalid(`poolId: ${this.labelOf(made)} is not memory of a pool`);
      return this.intoPool(this.asking.bytesOf(made), made, poolId, how, caller);
    }
    switch (made.mechanism) {
      case 'legacy':
        return this.legacy(this.asking.bytesOf(made), made, how, caller);
      case 'pool':
        return this.pool(made, how, caller);
      case 'virtual':
      case 'fabric':
        return this.virtual(made, how, caller);
    }
  }

  // ---- legacy handles -----------------------------------------------------------------------------------------------

  private async legacy(
    handle: Uint8Array,
    made: Export | undefined,
    how: How,
    caller: WindowRecord,
  ): Promise<OpenedMapping> {
    const { outside } = this.services;
    const host = this.asking.hostOf(caller);
    const other = this.opensOtherMemory(made, caller);
    const { flags = LAZY_PEER_ACCESS } = how;
    const opened = await ask(host, 'imports.open', { handle, flags, ...viewOf(how, this.labelOf(made)) });
    if (other !== undefined) {
      await host.request('imports.close', { id: opened.id });
      throw other;
    }
    await outside.identify('mappings', opened.id, handle, host);
    return opened;
  }

  /**
   * The driver gives the place of freed memory to the next: it may open a handle of memory that its owner has freed, and
   * what it opens is something else then. Not so for who has the memory open; there it is one more reference.
   */
  private opensOtherMemory(made: Export | undefined, caller: WindowRecord): GpuIpcError | undefined {
    const { ledger } = this.services;
    if (made?.state !== 'freed' || ledger.hasOpen(made, caller.peerId())) return undefined;
    const owner = ledger.peer(made.peerId)?.name ?? 'another process';
    return new GpuIpcError({
      code: 'closed',
      message: `${ledger.labelOf(made) || 'This buffer'} was freed. The driver opened what has its place in the memory of ${owner} now; that is closed again.`,
      hint: 'Export the buffer that you mean and open that handle.',
    });
  }

  // ---- pools --------------------------------------------------------------------------------------------------------

  /** By the pool that the process has imported; else by one that is imported for this memory alone. */
  private async pool(made: Export, how: How, caller: WindowRecord): Promise<OpenedMapping> {
    const { ledger } = this.services;
    const host = this.asking.hostOf(caller);
    const handle = this.asking.bytesOf(made);
    const poolExport = this.asking.exportOf(made.poolExportId ?? '');
    if (made.state !== 'live' && !ledger.hasOpen(made, caller.peerId())) throw this.ended(made);
    const view = { ...viewOf(how, this.labelOf(made)), handle, exportId: made.id };
    const imported = this.importedPool(poolExport, caller.peerId());
    if (imported !== undefined) {
      try {
        return await ask(host, 'imports.openPointer', { ...view, poolId: imported.id, access: true });
      } catch (thrown) {
        // Destroyed meanwhile: import it anew.
        if (!(thrown instanceof GpuIpcError) || thrown.error.code !== 'closed') throw thrown;
      }
    }
    if (poolExport.state !== 'live') throw this.ended(poolExport);
    const source = await this.asking.offer(poolExport, caller);
    const pool = this.poolFacts(poolExport, how.device);
    return ask(host, 'imports.openPool', { ...view, source, pool });
  }

  /** The pool of an export, as its importer records it. */
  poolFacts(poolExport: Export, usedOn: number) {
    const { ledger } = this.services;
    const device = ledger.record('pools', poolExport.objectId)?.device ?? usedOn;
    return { exportId: poolExport.id, device, usedOn, label: ledger.labelOf(poolExport) };
  }

  /** A pool may have been exported more than once. */
  private importedPool(poolExport: Export, peerId: string): Pool | undefined {
    const { ledger } = this.services;
    return ledger
      .records('pools')
      .find(
        (row) =>
          row.imported &&
          row.state === 'live' &&
          row.peerId === peerId &&
          row.exportId !== null &&
          ledger.export(row.exportId)?.objectId === poolExport.objectId,
      );
  }

  /** A single step: the driver says whether this is memory of that pool, and nobody is given access. */
  private async intoPool(
    handle: Uint8Array,
    made: Export | undefined,
    poolId: string,
    how: How,
    caller: WindowRecord,
  ): Promise<OpenedMapping> {
    const { ledger } = this.services;
    const host = this.asking.hostOf(caller);
    const view = { ...viewOf(how, this.labelOf(made)), handle, exportId: made?.id ?? null };
    const opened = await ask(host, 'imports.openPointer', { ...view, poolId, access: false });
    const exporter = ledger.record('pools', poolId)?.exporterPeerId;
    if (exporter != null) ledger.setOutsideExporter('mappings', opened.id, exporter);
    return opened;
  }

  // ---- virtual memory -----------------------------------------------------------------------------------------------

  private async virtual(made: Export, how: How, caller: WindowRecord): Promise<OpenedMapping> {
    const host = this.asking.hostOf(caller);
    const { access = 'read-write' } = how;
    const open = this.openAlready(made, { ...how, access }, caller.peerId());
    if (open !== undefined) {
      try {
        return await ask(host, 'imports.again', { id: open.id, data: how.data });
      } catch (thrown) {
        // Closed meanwhile: open it anew.
        if (!(thrown instanceof GpuIpcError) || thrown.error.code !== 'closed') throw thrown;
      }
    }
    if (made.state !== 'live') throw this.ended(made);
    const chunks = this.chunksOf(made);
    const source =
      made.mechanism === 'fabric'
        ? ({ kind: 'fabric', handle: this.asking.bytesOf(made) } as const)
        : await this.asking.offer(made, caller);
    const view = { ...viewOf(how, this.labelOf(made)), exportId: made.id };
    return ask(host, 'imports.openVirtual', { ...view, source, chunks, access });
  }

  /** The same view with the same access: one more reference of it. */
  private openAlready(made: Export, how: How, peerId: string): Mapping | undefined {
    return this.services.ledger
      .records('mappings')
      .find(
        (row) =>
          row.exportId === made.id &&
          row.peerId === peerId &&
          row.state === 'open' &&
          row.device === how.device &&
          row.offset === (how.offset ?? 0) &&
          row.bytes === (how.length ?? row.allocationBytes - row.offset) &&
          row.access?.find(({ device }) => device === how.device)?.access === how.access,
      );
  }

  /** Physical memory of an export, piece by piece. */
  chunksOf(made: Export): readonly { readonly bytes: number; readonly device?: number }[] {
    const { ledger } = this.services;
    const object = ledger.record(made.kind === 'physical' ? 'physicals' : 'allocations', made.objectId);
    const device = object === undefined ? {} : { device: object.device };
    if (made.mechanism !== 'fabric') {
      return (made.descriptors ?? []).map(({ bytes }) => ({ bytes: bytes ?? 0, ...device }));
    }
    const chunk = made.kind === 'physical' ? object : ledger.record('allocations', made.objectId)?.chunks?.[0];
    return [{ bytes: chunk?.bytes ?? 0, ...device }];
  }

  // ---- descriptors --------------------------------------------------------------------------------------------------

  private async byDescriptor(given: ShareDescriptor, args: How, caller: WindowRecord): Promise<OpenedMapping> {
    if (given.mechanism === 'event') {
      throw invalid('descriptor: it describes an event, not memory', 'Open its handle as an event.');
    }
    const { offset, size } = given;
    const how: How = {
      ...args,
      // An offset of the caller's own stands for another view of the same memory.
      ...(args.offset === undefined
        ? { offset, ...(size > 0 && args.length === undefined ? { length: size } : {}) }
        : {}),
      label: args.label || given.label || '',
      data: args.data ?? dataOf(given, args),
    };
    const own = this.ownExport(given);
    if (own !== undefined) {
      this.refuseOther(own, given);
      return this.byExport(own, how, caller);
    }
    switch (given.mechanism) {
      case 'legacy':
        return this.byHandle(hexBytes(given), how, caller);
      case 'pool':
        return this.foreignPool(given, how, caller);
      case 'virtual':
        return this.foreignVirtual(given, how, caller);
      case 'fabric':
        return this.foreignFabric(given, how, caller);
    }
  }

  /** An export of one of our own processes, found by its bytes or by its open descriptors. */
  ownExport(given: ShareDescriptor): Export | undefined {
    const { ledger } = this.services;
    if (given.mechanism !== 'virtual') {
      return ledger.exportWith('memory', hexBytes(given)) ?? ledger.exportWith('physical', hexBytes(given));
    }
    const fds = (given.descriptors ?? []).map(({ fd }) => fd).join();
    return ledger.records('exports').find((made) => {
      if (made.state !== 'live' || made.mechanism !== 'virtual') return false;
      const peer = ledger.peer(made.peerId);
      if (peer === undefined || !isRunning(peer) || peer.pid !== given.exporter.pid) return false;
      return (made.descriptors ?? []).map(({ fd }) => fd).join() === fds;
    });
  }

  /** The kernel gives the number of a closed descriptor to the next one: it may stand for other memory by now. */
  private refuseOther(own: Export, { base, label }: ShareDescriptor): void {
    const memory = own.kind === 'memory' ? this.services.ledger.record('allocations', own.objectId) : undefined;
    if (own.mechanism !== 'virtual' || memory === undefined || base === undefined || base === memory.address) return;
    throw closedError(
      `The file descriptors of ${label || 'this memory'} were closed; those with their numbers are of ${memory.label || own.id} now.`,
      'Export the memory that you mean and describe it anew.',
    );
  }

  private async foreignPool(given: ShareDescriptor, how: How, caller: WindowRecord): Promise<OpenedMapping> {
    const { ledger, outside } = this.services;
    const host = this.asking.hostOf(caller);
    const source = foreignSource(given);
    const device = await this.ordinalOf(given, caller);
    const pool = { exportId: null, device: device ?? how.device, usedOn: how.device, label: '' };
    const view = { ...viewOf(how, ''), handle: hexBytes(given), exportId: null };
    const opened = await ask(host, 'imports.openPool', { ...view, source, pool });
    const { pid } = given.exporter;
    outside.identifyProcess('mappings', opened.id, pid);
    const poolId = ledger.record('mappings', opened.id)?.poolId;
    if (poolId !== undefined) outside.identifyProcess('pools', poolId, pid);
    return opened;
  }

  private async foreignVirtual(given: ShareDescriptor, how: How, caller: WindowRecord): Promise<OpenedMapping> {
    const { ledger, outside } = this.services;
    const device = await this.ordinalOf(given, caller);
    const chunks = (given.descriptors ?? []).map(({ bytes }, index) => {
      if (bytes === null) throw invalid(`descriptor: “descriptors.${index}.bytes” must be known, to map the memory`);
      return { bytes, ...(device === undefined ? {} : { device }) };
    });
    const { access = 'read-write' } = how;
    const view = { ...viewOf(how, ''), exportId: null };
    const source = foreignSource(given);
    const opened = await ask(this.asking.hostOf(caller), 'imports.openVirtual', { ...view, source, chunks, access });
    const { pid } = given.exporter;
    outside.identifyProcess('mappings', opened.id, pid);
    for (const { physicalId } of ledger.record('mappings', opened.id)?.chunks ?? []) {
      outside.identifyProcess('physicals', physicalId, pid);
    }
    return opened;
  }

  private async foreignFabric(given: ShareDescriptor, how: How, caller: WindowRecord): Promise<OpenedMapping> {
    const { allocationSize } = given;
    if (allocationSize === undefined) throw invalid('descriptor: “allocationSize” must be known, to map the memory');
    const { access = 'read-write' } = how;
    const view = { ...viewOf(how, ''), exportId: null };
    const source = { kind: 'fabric', handle: hexBytes(given) } as const;
    const chunks = [{ bytes: allocationSize }];
    return ask(this.asking.hostOf(caller), 'imports.openVirtual', { ...view, source, chunks, access });
  }

  /** The device of a descriptor as the process of a window counts; undefined when it does not see it. */
  private async ordinalOf({ device }: ShareDescriptor, caller: WindowRecord): Promise<number | undefined> {
    const result = (await this.asking.hostOf(caller).request('devices.list', {})) as Result<readonly Device[]>;
    if (!result.ok) throw new GpuIpcError(result.error);
    return result.value.find(({ uuid }) => uuid === device.uuid)?.ordinal;
  }

  // ---- words --------------------------------------------------------------------------------------------------------

  private labelOf(made: Export | undefined): string {
    return made === undefined ? '' : this.services.ledger.labelOf(made);
  }

  /** Why an export that travels by descriptor can be opened no more. The driver is not asked: there is nothing to give it. */
  ended(made: Export): GpuIpcError {
    const label = this.labelOf(made) || 'This memory';
    const owner = this.services.ledger.peer(made.peerId)?.name ?? 'its process';
    const keeps = 'Whoever has it open keeps the bytes.';
    switch (made.state) {
      case 'gone':
        return closedError(`${label} was of ${owner}, which is gone.`, keeps);
      case 'closed':
        return closedError(`The file descriptors of ${label} were closed.`, `Export it again. ${keeps}`);
      default:
        return closedError(`${label} was freed by ${owner}.`, made.mechanism === 'pool' ? GIVEN_ON : keeps);
    }
  }
}

const GIVEN_ON =
  'Whoever has it open can read there still, but the pool gives the place to what is allocated in it next.';

const closedError = (message: string, hint: string) => new GpuIpcError({ code: 'closed', message, hint });

const viewOf = ({ device, offset, length, label, data }: How, otherwise: string) => ({
  device,
  ...(offset === undefined ? {} : { offset }),
  ...(length === undefined ? {} : { length }),
  label: label || otherwise,
  ...(data === undefined ? {} : { data }),
});

function invalid(message: string, hint?: string): GpuIpcError {
  return new GpuIpcError({ code: 'invalid-argument', message, ...(hint === undefined ? {} : { hint }) });
}

/** What a descriptor says of the data; of another view than its own only what holds for each element. */
function dataOf(
  { dtype, shape, strides, byteOrder, offset, size }: ShareDescriptor,
  view: Pick<Args, 'offset' | 'length'>,
): How['data'] {
  if (dtype === undefined) return undefined;
  const same = (view.offset ?? offset) === offset && (view.length ?? size) === size;
  return {
    dtype,
    ...(same && shape !== undefined ? { shape, ...(strides === undefined ? {} : { strides }) } : {}),
    ...(byteOrder === undefined ? {} : { byteOrder }),
  };
}

function descriptorIn(text: string): ShareDescriptor {
  const reading = parseDescriptor(text);
  if (reading.ok) return reading.descriptor;
  throw invalid(`descriptor: ${reading.problems.map(({ message }) => message).join(' ')}`.slice(0, 1000));
}

const hexBytes = ({ handle = '' }: ShareDescriptor): Uint8Array => Uint8Array.from(Buffer.from(handle, 'hex'));

/**
 * Descriptors to be copied out of their process.
 * @throws GpuIpcError when its pid is counted in another namespace: here it names another process, or none
 */
function foreignSource({ exporter, descriptors = [] }: ShareDescriptor): DescriptorSource {
  const { pid, pidNamespace } = exporter;
  const own = ownPidNamespace();
  if (pidNamespace !== undefined && own !== undefined && pidNamespace !== `pid:[${own}]`) {
    throw new GpuIpcError({
      code: 'unsupported',
      message: `The exporter counts its pid (${pid}) in another pid namespace (${pidNamespace}), so its descriptors cannot be taken from here.`,
      hint: 'Let both containers share one: docker run --pid=host, or --pid=container:NAME. Or have the exporter send the descriptors over a Unix socket.',
    });
  }
  return { kind: 'process', pid, fds: descriptors.map(({ fd }) => fd) };
}

/** A handle as bytes; text with exactly one handle in it. */
export function handleBytes(handle: Uint8Array | string): Uint8Array {
  if (typeof handle !== 'string') return handle;
  const reading = readLoneHandle(handle);
  if (reading.ok) return reading.handle;
  throw invalid(`handle: ${reading.problem}`);
}
