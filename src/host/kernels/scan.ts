/**
 * Questions with the answer yes or no about every position of a range, see native-bridge/kernels/scan.cuh: a pass that
 * counts by groups, and a second look at the groups where the places matter.
 */
import { type DevicePtr, offsetBy } from '#native/cuda/index';
import type { KernelArgument, KernelDevice, Lane } from './device';
import type { Job } from './types';

/** Positions of one count: WB_GROUP of elements.h. */
const GROUP = 65_536;
const MASK_BYTES = GROUP / 8;
const THREADS = 256;

/** Where counts, masks and what a kernel needs are in a lane's memory. */
const COUNTS_AT = 0;
const MOST_GROUPS = 262_144;
const MASKS_AT = 4 * MOST_GROUPS;
const MASKS_AT_ONCE = 256;
export const EXTRA_AT = MASKS_AT + MASKS_AT_ONCE * MASK_BYTES;

export interface Scan {
  readonly kernel: string;
  /** Bits of a position: 4 to 64. */
  readonly bits: number;
  readonly positions: number;
  readonly label: string;
  /** Arguments for the positions from one on; the addresses of counts and masks come last. */
  readonly argumentsFrom: (byteOffset: number, positions: number) => readonly KernelArgument[];
}

/** Positions of a group that said yes; `from` its first position. All of them when `mask` is undefined. */
export interface GroupAnswer {
  readonly from: number;
  readonly positions: number;
  readonly count: number;
  readonly mask: Uint32Array | undefined;
}

/**
 * @param wanted called with each group that has any, in order (from the last one backwards); returns false when no more
 *   places are wanted, and then only counts go on if `countAll`
 * @returns how many positions said yes in all that was looked at
 */
export async function scan(
  device: KernelDevice,
  lane: Lane,
  job: Job,
  what: Scan,
  { backwards, countAll }: { backwards: boolean; countAll: boolean },
  wanted: (group: GroupAnswer) => boolean,
): Promise<number> {
  const chunks = device.chunks();
  const totalBytes = Math.ceil((what.positions * what.bits) / 8);
  let open = true;
  let yes = 0;
  for (let done = 0; done < what.positions; ) {
    if (!open && !countAll) break;
    const groupsLeft = Math.ceil((what.positions - done) / GROUP);
    const groups = Math.max(1, Math.min(Math.floor((chunks.next() * 8) / what.bits / GROUP), groupsLeft, MOST_GROUPS));
    // Backwards the last group, which may be a short one, comes first.
    const firstGroup = backwards ? groupsLeft - groups : done / GROUP;
    const first = firstGroup * GROUP;
    const positions = Math.min(groups * GROUP, what.positions - first);
    const here = backwards ? Math.min(positions, what.positions - done - first) : positions;
    const began = performance.now();
    const counts = await countsOf(device, lane, job, what, first, here);
    chunks.took((here * what.bits) / 8, performance.now() - began);
    for (const count of counts) yes += count;
    if (open) open = await places(device, lane, job, what, first, here, counts, backwards, wanted);
    done += here;
    job.progress(Math.min(totalBytes, Math.ceil((done * what.bits) / 8)), totalBytes);
  }
  return yes;
}

async function countsOf(
  device: KernelDevice,
  lane: Lane,
  job: Job,
  what: Scan,
  first: number,
  positions: number,
): Promise<Uint32Array> {
  const groups = Math.ceil(positions / GROUP);
  await device.step(lane, job, `${what.label}, ${what.kernel}`, () => {
    launch(device, lane, what, first, positions, offsetBy(lane.memory, COUNTS_AT), 0n);
    device.readBack(lane, COUNTS_AT, groups * 4);
  });
  return new Uint32Array(lane.host.buffer, COUNTS_AT, groups).slice();
}

function launch(
  device: KernelDevice,
  lane: Lane,
  { kernel, bits, argumentsFrom }: Scan,
  first: number,
  positions: number,
  counts: DevicePtr,
  masks: bigint,
): void {
  const blocks = Math.ceil(positions / GROUP);
  const values = [...argumentsFrom((first * bits) / 8, positions), counts, masks];
  device.launch(lane, 'scan', kernel, { blocks, threads: THREADS }, values);
}

/** Looks closer at the groups of a chunk that have any. */
async function places(
  device: KernelDevice,
  lane: Lane,
  job: Job,
  what: Scan,
  first: number,
  positions: number,
  counts: Uint32Array,
  backwards: boolean,
  wanted: (group: GroupAnswer) => boolean,
): Promise<boolean> {
  const step = backwards ? -1 : 1;
  const sizeOf = (group: number): number => Math.min(GROUP, positions - group * GROUP);
  for (let group = backwards ? counts.length - 1 : 0; group >= 0 && group < counts.length; ) {
    const count = counts[group] ?? 0;
    if (count === 0) {
      group += step;
      continue;
    }
    if (count === sizeOf(group)) {
      if (!wanted({ from: first + group * GROUP, positions: sizeOf(group), count, mask: undefined })) return false;
      group += step;
      continue;
    }
    // As many neighbours as have any, and few at first: mostly the first places are wanted.
    let length = 1;
    while (length < MASKS_AT_ONCE && (counts[group + length * step] ?? 0) > 0) length++;
    const lowest = backwards ? group - length + 1 : group;
    const masks = await masksOf(device, lane, job, what, first + lowest * GROUP, lowest, length, sizeOf);
    for (let i = 0; i < length; i++, group += step) {
      const at = (group - lowest) * (MASK_BYTES / 4);
      const mask = masks.subarray(at, at + MASK_BYTES / 4);
      const answer = { from: first + group * GROUP, positions: sizeOf(group), count: counts[group] ?? 0, mask };
      if (!wanted(answer)) return false;
    }
  }
  return true;
}

async function masksOf(
  device: KernelDevice,
  lane: Lane,
  job: Job,
  what: Scan,
  from: number,
  lowest: number,
  length: number,
  sizeOf: (group: number) => number,
): Promise<Uint32Array> {
  let positions = 0;
  for (let i = 0; i < length; i++) positions += sizeOf(lowest + i);
  await device.step(lane, job, `${what.label}, places of ${what.kernel}`, () => {
    launch(device, lane, what, from, positions, offsetBy(lane.memory, COUNTS_AT), offsetBy(lane.memory, MASKS_AT));
    device.readBack(lane, MASKS_AT, length * MASK_BYTES);
  });
  return new Uint32Array(lane.host.buffer, MASKS_AT, (length * MASK_BYTES) / 4).slice();
}

/** Positions of a group that said yes, ascending; memory that changed since it was counted may have others. */
export function* positionsOf({ from, positions, mask }: GroupAnswer): Generator<number> {
  if (!mask) {
    for (let i = 0; i < positions; i++) yield from + i;
    return;
  }
  for (const [index, word] of mask.entries()) {
    for (let bits = word; bits !== 0; bits &= bits - 1) yield from + 32 * index + (31 - Math.clz32(bits & -bits));
  }
}

/** Runs of neighbours that said yes, ascending: [first, end). */
export function* runsOf(group: GroupAnswer): Generator<readonly [number, number]> {
  if (!group.mask) {
    yield [group.from, group.from + group.positions];
    return;
  }
  let start = -1;
  let end = -1;
  for (const position of positionsOf(group)) {
    if (position !== end) {
      if (start >= 0) yield [start, end];
      start = position;
    }
    end = position + 1;
  }
  if (start >= 0) yield [start, end];
}
