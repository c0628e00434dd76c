/** Letting go of everything: imported memory is closed, own memory freed, whatever fails on the way. */
import { freeMemory } from './allocations';
import { stopAnimation } from './animations';
import type { Events } from './events';
import type { HostState } from './host-state';
import { closeReference } from './mappings';
import { ending } from './problems';

export async function shutDown(host: HostState, events: Events): Promise<void> {
  host.ending = true;
  // A failure is in the call log; the rest must be let go of all the same.
  const attempt = (release: () => void): void => {
    try {
      release();
    } catch {}
  };
  events.stop(ending());
  const { objects } = host;
  for (const own of objects.allocations.values()) stopAnimation(host, own);
  // Waits answer now, and fills that work in turns see that they are over.
  await new Promise((resolve) => setImmediate(resolve));
  if (!host.session.lost) {
    attempt(() => host.delays.end());
    for (const mapping of objects.mappings.values()) {
      for (let left = mapping.record.references; left > 0; left--) attempt(() => void closeReference(host, mapping));
    }
    for (const { record } of objects.eventImports.values()) {
      if (record.state === 'open') attempt(() => events.destroy(record));
    }
    for (const { record } of objects.events.values()) {
      if (record.state === 'live') attempt(() => events.destroy(record));
    }
    for (const own of objects.allocations.values()) {
      if (own.record.state === 'live') attempt(() => freeMemory(host, own));
    }
    attempt(() => host.staging.release());
    attempt(() => host.session.release());
  }
  host.report.flush();
}
