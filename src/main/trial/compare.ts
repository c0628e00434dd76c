/** Compares what both sides of a trial read, also while others write. */
import type { Trial } from '#contract/calls/sharing';
import type { TrialChecksum } from '#contract/trial-protocol';
import { formatBytes } from '#contract/units';

/** Memory that is written all the time is read again so often. */
const ROUNDS = 5;

export interface Compared {
  readonly step: Trial['steps'][number];
  /** False: proven to be different. True also when it could not be compared because it changed all the time. */
  readonly fits: boolean;
  readonly exporter: string | null;
  readonly importer: string | null;
}

/**
 * The exporter is read before and after the importer: equal readings say that nobody wrote meanwhile.
 * @param bytes  how many are read each time, for the detail
 */
export async function compare(
  bytes: number,
  exporter: () => Promise<TrialChecksum>,
  importer: () => Promise<TrialChecksum>,
): Promise<Compared> {
  let before = await exporter();
  for (let round = 1; ; round++) {
    const there = await importer();
    const after = await exporter();
    const what = 'compare';
    const us = there.us + after.us;
    if (there.checksum === before.checksum || there.checksum === after.checksum) {
      const again = round === 1 ? '' : `, read ${round} times because it was being written`;
      const detail = `${formatBytes(bytes)}: the same on both sides${again}`;
      return { step: { what, ok: true, detail, us }, fits: true, exporter: there.checksum, importer: there.checksum };
    }
    if (before.checksum === after.checksum) {
      const detail = `${formatBytes(bytes)}: not the same, and the exporter's did not change`;
      return { step: { what, ok: false, detail, us }, fits: false, exporter: after.checksum, importer: there.checksum };
    }
    if (round === ROUNDS) {
      const detail = `It was being written all the time (read ${ROUNDS} times), so the bytes cannot be compared.`;
      return { step: { what, ok: true, detail, us }, fits: true, exporter: null, importer: null };
    }
    before = after;
  }
}
