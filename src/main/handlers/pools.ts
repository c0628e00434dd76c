/** Importing pools: main knows the exporter's host. */
import { GpuIpcError } from '#contract/result';
import type { MainHandlers } from '../router';
import { Asking, ask } from './asking';
import { Opening } from './opening';
import type { Services } from './services';

export function poolHandlers(
  services: Pick<Services, 'ledger' | 'supervisor' | 'outside'>,
): Pick<MainHandlers, 'pools.import'> {
  const asking = new Asking(services);
  const opening = new Opening(services, asking);
  return {
    'pools.import': async ({ exportId, from, device, label }, caller) => {
      const host = asking.hostOf(caller);
      if (from !== undefined) {
        const source = { kind: 'process', pid: from.pid, fds: [from.fd] } as const;
        const made = { source, exportId: null, device, usedOn: device, label: label ?? '' };
        const { id } = await ask(host, 'pools.import', made);
        services.outside.identifyProcess('pools', id, from.pid);
        return { id };
      }
      const given = asking.exportOf(exportId ?? '');
      // The export of memory in a pool names that of the pool.
      const made = given.kind === 'memory' && given.poolExportId ? asking.exportOf(given.poolExportId) : given;
      if (made.kind !== 'pool') {
        throw new GpuIpcError({ code: 'invalid-argument', message: `exportId: ${made.id} is no export of a pool` });
      }
      if (made.state !== 'live') throw opening.ended(made);
      const facts = opening.poolFacts(made, device);
      const source = await asking.offer(made, caller);
      return ask(host, 'pools.import', { ...facts, source, label: label || facts.label });
    },
  };
}
