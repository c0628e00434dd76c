/** Calls about handles: main knows which export has which bytes, hosts do not. */
import { parseHandle } from '#contract/handle-text';
import type { InternalCalls } from '#contract/host-protocol';
import type { Export } from '#contract/records';
import { GpuIpcError, type Result } from '#contract/result';
import type { DriverHost, RequestArgs } from '../hosts/driver-host';
import { HOST_LOST_HINT } from '../hosts/ending';
import type { MainHandlers } from '../router';
import type { WindowRecord } from '../windows/registry';
import type { Services } from './services';

/** CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: the only flag of cuIpcOpenMemHandle_v2, and the driver demands it. */
const LAZY_PEER_ACCESS = 1;

interface HandleSource {
  readonly handle?: Uint8Array | string;
  readonly exportId?: string;
}

interface Source {
  readonly handle: Uint8Array;
  readonly made: Export | undefined;
  readonly label: string;
}

export function sharingHandlers(
  services: Services,
): Pick<MainHandlers, 'imports.open' | 'events.open' | 'handles.reveal' | 'handles.anatomy'> {
  const { ledger, supervisor, outside } = services;

  const hostOf = (caller: WindowRecord): DriverHost => {
    const host = supervisor.host(caller.peerId());
    if (host !== undefined) return host;
    throw new GpuIpcError({
      code: 'host-lost',
      message: `The process of ${caller.name} is gone.`,
      hint: HOST_LOST_HINT,
    });
  };

  const exportOf = (exportId: string): Export => {
    const made = ledger.export(exportId);
    if (made === undefined) throw new GpuIpcError({ code: 'not-found', message: `No export has the id ${exportId}.` });
    return made;
  };

  /** The 64 bytes that a caller names, with the export when it is one of ours, and what that is called. */
  const resolve = ({ handle, exportId }: HandleSource, kind: 'memory' | 'event'): Source => {
    if (handle !== undefined) {
      const bytes = bytesOf(handle);
      const made = ledger.exportWith(kind, bytes);
      return { handle: bytes, made, label: made === undefined ? '' : ledger.labelOf(made) };
    }
    const made = exportOf(exportId ?? '');
    if (made.kind !== kind) {
      throw new GpuIpcError({
        code: 'invalid-argument',
        message: `exportId: ${made.id} is the handle of ${made.kind === 'memory' ? 'a buffer' : 'an event'}.`,
      });
    }
    return { handle: bytesOfExport(made.id), made, label: ledger.labelOf(made) };
  };

  const bytesOfExport = (exportId: string): Uint8Array<ArrayBuffer> => {
    const bytes = ledger.handleOf(exportId);
    if (bytes === undefined) throw new GpuIpcError({ code: 'not-found', message: `No export has the id ${exportId}.` });
    return bytes;
  };

  /**
   * The driver gives the place of freed memory to the next: it may open a handle of memory that its owner has freed, and
   * what it opens is something else then. Not so for who has the memory open; there it is one more reference.
   */
  const opensOtherMemory = ({ made }: Source, caller: WindowRecord): GpuIpcError | undefined => {
    if (made?.state !== 'freed' || ledger.hasOpen(made, caller.peerId())) return undefined;
    const owner = ledger.peer(made.peerId)?.name ?? 'another process';
    return new GpuIpcError({
      code: 'closed',
      message: `${ledger.labelOf(made) || 'This buffer'} was freed. The driver opened what has its place in the memory of ${owner} now; that is closed again.`,
      hint: 'Export the buffer that you mean and open that handle.',
    });
  };

  return {
    'imports.open': async (args, caller) => {
      const host = hostOf(caller);
      const source = resolve(args, 'memory');
      const other = opensOtherMemory(source, caller);
      const opened = await ask(host, 'imports.open', {
        handle: source.handle,
        device: args.device,
        flags: args.flags ?? LAZY_PEER_ACCESS,
        ...(args.offset === undefined ? {} : { offset: args.offset }),
        ...(args.length === undefined ? {} : { length: args.length }),
        label: args.label || source.label,
      });
      if (other !== undefined) {
        await host.request('imports.close', { id: opened.id });
        throw other;
      }
      await outside.identify('mappings', opened.id, source.handle, host);
      return { ...opened, exporter: ledger.exporter('mappings', opened.id) };
    },

    'events.open': async (args, caller) => {
      const host = hostOf(caller);
      const source = resolve(args, 'event');
      const opened = await ask(host, 'events.open', {
        handle: source.handle,
        device: args.device,
        label: args.label || source.label,
      });
      await outside.identify('eventImports', opened.id, source.handle, host);
      return opened;
    },

    'handles.reveal': ({ exportId }, caller) => {
      const made = exportOf(exportId);
      if (caller.role !== 'inspector' && made.peerId !== caller.peerId()) {
        throw new GpuIpcError({ code: 'not-allowed', message: `${exportId} is an export of another process.` });
      }
      return { handle: bytesOfExport(exportId) };
    },

    'handles.anatomy': ({ exportId, handle }, caller) => {
      if ((exportId === undefined) === (handle === undefined)) {
        throw new GpuIpcError({ code: 'invalid-argument', message: 'give a handle or an exportId' });
      }
      const host = hostOf(caller);
      if (handle !== undefined) return ask(host, 'handles.anatomy', { handle: bytesOf(handle) });
      const made = exportOf(exportId ?? '');
      return ask(host, 'handles.anatomy', {
        handle: bytesOfExport(made.id),
        kind: made.kind === 'event' ? 'event' : 'memory',
      });
    },
  };
}

/** Asks a host and answers the value; throws the error. */
async function ask<N extends keyof InternalCalls>(
  host: DriverHost,
  name: N,
  args: InternalCalls[N]['args'],
): Promise<InternalCalls[N]['value']> {
  const result = (await host.request(name, args as RequestArgs<N>)) as Result<InternalCalls[N]['value']>;
  if (!result.ok) throw new GpuIpcError(result.error);
  return result.value;
}

/** A handle as bytes; text in any of the forms of handle-text.ts. */
function bytesOf(handle: Uint8Array | string): Uint8Array {
  if (typeof handle !== 'string') return handle;
  const reading = parseHandle(handle);
  if (reading.ok) return reading.handle;
  throw new GpuIpcError({ code: 'invalid-argument', message: `handle: ${reading.problem}` });
}
