/** Importing physical memory: main knows the exporter's host. */
import { GpuIpcError } from '#contract/result';
import type { MainHandlers } from '../router';
import { Asking, ask } from './asking';
import { Opening } from './opening';
import type { Services } from './services';

export function virtualHandlers(
  services: Pick<Services, 'ledger' | 'supervisor' | 'outside'>,
): Pick<MainHandlers, 'virtual.import'> {
  const asking = new Asking(services);
  const opening = new Opening(services, asking);
  return {
    'virtual.import': async ({ exportId, from, fabric, bytes, device, label }, caller) => {
      const host = asking.hostOf(caller);
      const name = { device, label: label ?? '' };
      if (exportId === undefined) {
        if (bytes === undefined) throw invalid('bytes: say how many the memory has; only its exporter knows');
        if (fabric !== undefined) {
          const known = services.ledger.exportWith('physical', fabric);
          const source = { kind: 'fabric', handle: fabric } as const;
          return ask(host, 'virtual.import', { ...name, source, bytes, exportId: known?.id ?? null });
        }
        const { pid, fd } = from ?? { pid: 0, fd: -1 };
        const source = { kind: 'process', pid, fds: [fd] } as const;
        const imported = await ask(host, 'virtual.import', { ...name, source, bytes, exportId: null });
        services.outside.identifyProcess('physicals', imported.id, pid);
        return imported;
      }
      const made = asking.exportOf(exportId);
      const [chunk, ...others] = made.kind === 'event' || made.kind === 'pool' ? [] : opening.chunksOf(made);
      if (chunk === undefined || (made.mechanism !== 'virtual' && made.mechanism !== 'fabric')) {
        if (made.state !== 'live' && made.mechanism === 'virtual') throw opening.ended(made);
        throw invalid(`exportId: ${made.id} is no export of physical memory`);
      }
      if (made.state !== 'live') throw opening.ended(made);
      if (others.length > 0) {
        throw invalid(
          `exportId: ${made.id} has ${others.length + 1} pieces of physical memory`,
          'Open it as a whole, or have its pieces exported by themselves.',
        );
      }
      const source =
        made.mechanism === 'fabric'
          ? ({ kind: 'fabric', handle: asking.bytesOf(made) } as const)
          : await asking.offer(made, caller);
      return ask(host, 'virtual.import', {
        device,
        ...(chunk.device === undefined ? {} : { owner: chunk.device }),
        label: label || services.ledger.labelOf(made),
        source,
        bytes: chunk.bytes,
        exportId: made.id,
      });
    },
  };
}

function invalid(message: string, hint?: string): GpuIpcError {
  return new GpuIpcError({ code: 'invalid-argument', message, ...(hint === undefined ? {} : { hint }) });
}
