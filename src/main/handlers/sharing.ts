/** Calls about handles: main knows which export has which bytes, hosts do not. */
import type { Export } from '#contract/records';
import { GpuIpcError } from '#contract/result';
import type { MainHandlers } from '../router';
import { Asking, ask } from './asking';
import { handleBytes, Opening } from './opening';
import type { Services } from './services';

export function sharingHandlers(
  services: Services,
): Pick<MainHandlers, 'imports.open' | 'events.open' | 'handles.reveal' | 'handles.anatomy'> {
  const { ledger, outside } = services;
  const asking = new Asking(services);
  const opening = new Opening(services, asking);

  /** The 64 bytes of an event that a caller names, and what it is called when it is one of ours. */
  const eventOf = ({ handle, exportId }: { handle?: Uint8Array | string; exportId?: string }) => {
    if (handle !== undefined) {
      const bytes = handleBytes(handle);
      const made = ledger.exportWith('event', bytes);
      return { handle: bytes, label: made === undefined ? '' : ledger.labelOf(made) };
    }
    const made: Export = asking.exportOf(exportId ?? '');
    if (made.kind !== 'event') {
      throw new GpuIpcError({
        code: 'invalid-argument',
        message: `exportId: ${made.id} is not the handle of an event`,
      });
    }
    return { handle: asking.bytesOf(made), label: ledger.labelOf(made) };
  };

  return {
    'imports.open': async (args, caller) => {
      const opened = await opening.open(args, caller);
      return { ...opened, exporter: ledger.exporter('mappings', opened.id) };
    },

    'events.open': async (args, caller) => {
      const host = asking.hostOf(caller);
      const source = eventOf(args);
      const opened = await ask(host, 'events.open', {
        handle: source.handle,
        device: args.device,
        label: args.label || source.label,
      });
      await outside.identify('eventImports', opened.id, source.handle, host);
      return opened;
    },

    'handles.reveal': ({ exportId }, caller) => {
      const made = asking.exportOf(exportId);
      if (caller.role !== 'inspector' && made.peerId !== caller.peerId()) {
        throw new GpuIpcError({ code: 'not-allowed', message: `${exportId} is an export of another process.` });
      }
      return { handle: asking.bytesOf(made) };
    },

    'handles.anatomy': ({ exportId, handle }, caller) => {
      if ((exportId === undefined) === (handle === undefined)) {
        throw new GpuIpcError({ code: 'invalid-argument', message: 'give a handle or an exportId' });
      }
      const host = asking.hostOf(caller);
      if (handle !== undefined) return ask(host, 'handles.anatomy', { handle: handleBytes(handle) });
      const made = asking.exportOf(exportId ?? '');
      const kind = made.kind === 'event' ? 'event' : 'memory';
      return ask(host, 'handles.anatomy', { handle: asking.bytesOf(made), kind });
    },
  };
}
