/** Letting go of everything: imported memory is closed, own memory freed, whatever fails on the way. */
import { freeMemory } from './allocations';
import { stopAnimation } from './animations';
import type { Contents } from './contents/contents';
import type { Events } from './events';
import { closeExport } from './exports';
import type { HostState } from './host-state';
import { closeReference } from './mappings';
import { destroyPool } from './pools';
import { ending } from './problems';
import { release } from './virtual-memory';

export async function shutDown(host: HostState, events: Events, contents: Contents): Promise<void> {
  host.ending = true;
  // A failure is in the call log; the rest must be let go of all the same.
  const attempt = (release: () => void): void => {
    try {
      release();
    } catch {}
  };
  events.stop(ending());
  host.offers.end();
  const { objects } = host;
  for (const own of objects.allocations.values()) stopAnimation(host, own);
  // A job whose context is lost, or whose kernel never ends, is not waited for.
  const late = new Promise<void>((resolve) => setTimeout(resolve, JOBS_MS).unref());
  await Promise.race([host.jobs.endAll(ending()), late]);
  // Waits answer now, and fills that work in turns see that they are over.
  await new Promise((resolve) => setImmediate(resolve));
  if (!host.session.lost) {
    attempt(() => host.delays.end());
    attempt(() => contents.end());
    attempt(() => host.kernels.release());
    for (const mapping of objects.mappings.values()) {
      for (let left = mapping.record.references; left > 0; left--) attempt(() => closeReference(host, mapping));
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
    for (const physical of objects.physicals.values()) {
      if (physical.record.state === 'live') attempt(() => release(host, physical));
    }
    await freed(host);
    // Imported ones first: they may be of a pool of this process.
    for (const imported of [true, false]) {
      for (const pool of objects.pools.values()) {
        if (pool.record.imported === imported && pool.record.state === 'live') attempt(() => destroyPool(host, pool));
      }
    }
    attempt(() => host.memoryStreams.end());
    attempt(() => host.staging.release());
    attempt(() => host.session.release());
  }
  // What is open still, as when the context is lost, would keep memory alive for as long as this process lives.
  for (const made of objects.exports.values()) {
    if (made.record.state === 'live') attempt(() => closeExport(host, made));
  }
  host.report.flush();
}

/** How long jobs may take for the step that they are in. */
const JOBS_MS = 500;
/** How long freeing memory of pools may take: after that the context goes with it. */
const FREED_MS = 500;

/** Pointers that are freed in a stream, gone: the driver refuses to destroy a pool before. */
async function freed(host: HostState): Promise<void> {
  const devices = new Set(
    [...host.objects.mappings.values(), ...host.objects.allocations.values()].map(({ record }) => record.device),
  );
  const late = new Promise<void>((resolve) => setTimeout(resolve, FREED_MS).unref());
  const all = Promise.all([...devices].map((device) => host.memoryStreams.idle(device)));
  await Promise.race([all.then(() => {}).catch(() => {}), late]);
}
