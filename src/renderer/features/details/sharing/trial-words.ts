/** A trial and a verdict in words. Pure. */
import type { Trial, Verdict } from '#contract/calls/sharing';
import { formatCount, formatSize } from '#contract/units';
import { memoryKinds } from '../../../lib/kinds';

/** What the verdict is about: `Pool memory, 4.00 MiB at 0x7f…`. */
export function subjectText({ subject }: Verdict): string {
  const { memory, range, address } = subject;
  if (memory === 'nothing') return `No memory that this process knows is at ${address}.`;
  const kind = memory === 'imported' ? 'Imported memory' : `${memoryKinds[memory].name} memory`;
  if (range === null) return `${kind} at ${address}.`;
  return `${kind}, ${formatSize(range.bytes)} at ${range.address}.`;
}

/** What a legacy handle would expose beside the memory itself; undefined when the driver does not say. */
export function exposureText({ block }: Verdict): string | undefined {
  if (block === null) return undefined;
  if (block.exposedBytes === 0) return `It fills its block of ${formatSize(block.bytes)}: nothing else is exposed.`;
  return `A legacy handle opens the whole block of ${formatSize(block.bytes)} around it: ${formatSize(block.exposedBytes)} more than it has itself.`;
}

/** `It works: 4.00 MiB compared, the same bytes on both sides.` */
export function trialText({ worked, comparedBytes, ofBytes, exporterChecksum, error }: Trial): string {
  // A process was killed or hung, or the app was closing: nobody refused anything.
  const isOpen = error?.code === 'host-lost' || error?.code === 'cancelled';
  if (!worked) return isOpen ? 'Not tried to the end: whether it works is not known.' : 'It does not work.';
  if (comparedBytes === 0 || exporterChecksum === null)
    return 'It works. The bytes changed all the time, so they could not be compared.';
  const all = comparedBytes >= ofBytes;
  return `It works: ${all ? `all ${formatSize(ofBytes)}` : `${formatSize(comparedBytes)} of ${formatSize(ofBytes)}`} compared, the same on both sides.`;
}

/** `12.4 ms`, `830 µs`: driver calls are short, processes are not. */
export function stepTime(us: number | undefined): string {
  if (us === undefined) return '';
  return us < 1000 ? `${formatCount(Math.round(us))} µs` : `${(us / 1000).toPrecision(3)} ms`;
}

/** What the steps without a driver function are. */
export const stepNames: Readonly<Record<string, string>> = {
  process: 'start a process',
  recvmsg: 'send the descriptor',
  compare: 'compare the bytes',
  end: 'end the process',
  close: 'close the descriptor',
};
