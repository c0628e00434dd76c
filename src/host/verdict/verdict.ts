/**
 * How memory can be shared: a pure function of what the driver says about it. The driver's word on the memory itself
 * counts more than what its device can do in general; where it has none, only a trial can tell.
 */
import type { Verdict } from '#contract/calls/sharing';
import type { Support } from '#contract/devices';
import { poolPointerProblem } from '#contract/pool-pointer-layout';
import type { Mechanism, MemoryKind } from '#contract/values';
import { HandleType } from '#native/cuda/index';
import type { MemoryFacts, PieceFacts } from './facts';

type Answer = Verdict['mechanisms'][number];
export type Subject = Pick<Verdict['subject'], 'memory' | 'mechanism'>;

const HOST_MEMORY = 1;

/** What the memory is, and for each mechanism whether it can be shared that way, why, and else how memory can. */
export function verdictOf(facts: MemoryFacts): { readonly subject: Subject; readonly mechanisms: Answer[] } {
  const subject = subjectOf(facts);
  return {
    subject,
    mechanisms: [legacy(subject, facts), pool(subject, facts), virtual(subject, facts), fabric(subject, facts)],
  };
}

/** The same when there is no memory: nothing can be shared. */
export function verdictOfNothing(why: string): { readonly subject: Subject; readonly mechanisms: Answer[] } {
  const mechanisms: readonly Mechanism[] = ['legacy', 'pool', 'virtual', 'fabric'];
  return {
    subject: { memory: 'nothing', mechanism: null },
    mechanisms: mechanisms.map((mechanism) => ({ mechanism, possible: false, why })),
  };
}

/** By the records where they know it; else by elimination from what the driver says. */
export function subjectOf({ record, pieces, inDefaultPool }: MemoryFacts): Subject {
  if (record !== undefined) {
    return 'kind' in record
      ? { memory: record.kind, mechanism: null }
      : { memory: 'imported', mechanism: record.imported };
  }
  const [piece] = pieces;
  if (piece === undefined) return { memory: 'nothing', mechanism: null };
  const { attributes, retained } = piece;
  const of = (memory: MemoryKind): Subject => ({ memory, mechanism: null });
  if (attributes.IS_MANAGED === 1) return of('managed');
  if (attributes.MEMORY_TYPE === HOST_MEMORY) return of('pinned');
  if (isSet(attributes.MEMPOOL_HANDLE)) return of(inDefaultPool === true ? 'default-pool' : 'pool');
  if (retained === true) return of('virtual');
  // Memory of a device and of no other kind, that this process may not export: it belongs to another one.
  if (attributes.IS_LEGACY_CUDA_IPC_CAPABLE === 0) return { memory: 'imported', mechanism: 'legacy' };
  return of('device');
}

const isSet = (value: number | bigint | undefined): boolean => value !== undefined && BigInt(value) !== 0n;

/** What each kind is called in a sentence that begins with it. */
const names: Readonly<Record<MemoryKind | 'imported' | 'nothing', string>> = {
  device: 'Memory of cuMemAlloc',
  managed: 'Managed memory (cuMemAllocManaged)',
  pinned: 'Page-locked host memory (cuMemAllocHost)',
  mapped: 'Page-locked host memory that is mapped for the device (cuMemHostAlloc)',
  'default-pool': "Memory of the device's default pool (cuMemAllocAsync)",
  pool: 'Memory of a pool (cuMemAllocFromPoolAsync)',
  virtual: 'Virtual memory (cuMemCreate)',
  imported: 'Imported memory',
  nothing: 'Nothing',
};

const IMPORTED_WHY = 'It is imported: only the process that made it can export it.';
const IMPORTED_NEXT = 'Pass on the handle or the descriptor that it was opened from, or ask its exporter.';
const NOTHING_MAPPED = 'Nothing is mapped in this range: a range of addresses alone cannot be shared.';

const EXPORTABLE: Readonly<Record<Mechanism, string>> = {
  legacy: 'Copy it into a buffer of the kind device (cuMemAlloc) and export that.',
  pool: 'Create a pool that is shareable and take the buffer from it.',
  virtual: 'Create virtual memory that is shareable by file descriptor (cuMemCreate with POSIX_FILE_DESCRIPTOR).',
  fabric: 'Create virtual memory that is shareable over the fabric (cuMemCreate with FABRIC).',
};

function no(mechanism: Mechanism, why: string, next?: string): Answer {
  return { mechanism, possible: false, why, ...(next === undefined ? {} : { next }) };
}
const yes = (mechanism: Mechanism, why: string): Answer => ({ mechanism, possible: true, why });
const unknown = (mechanism: Mechanism, why: string): Answer => ({ mechanism, possible: null, why });

/** The memory is of the wrong kind; another kind helps only where the device can share it at all. */
const wrongKind = (mechanism: Mechanism, subject: Subject, why: string, device: Support): Answer => {
  if (subject.memory === 'imported') return no(mechanism, IMPORTED_WHY, IMPORTED_NEXT);
  return no(mechanism, why, device.supported === false ? device.why : EXPORTABLE[mechanism]);
};

function legacy(subject: Subject, { pieces, sharing }: MemoryFacts): Answer {
  const [piece] = pieces;
  if (piece === undefined) return no('legacy', NOTHING_MAPPED, EXPORTABLE.legacy);
  const capable = piece.attributes.IS_LEGACY_CUDA_IPC_CAPABLE;
  if (capable === 0) {
    const why = `${names[subject.memory]} has no legacy handle: cuIpcGetMemHandle takes memory of cuMemAlloc only.`;
    return wrongKind('legacy', subject, why, sharing.legacyMemory);
  }
  if (sharing.legacyMemory.supported === false) return no('legacy', sharing.legacyMemory.why);
  if (capable === undefined) {
    return unknown('legacy', 'This driver does not say (IS_LEGACY_CUDA_IPC_CAPABLE came with CUDA 11): try it.');
  }
  return yes('legacy', 'The driver says that cuIpcGetMemHandle takes it (IS_LEGACY_CUDA_IPC_CAPABLE).');
}

const allows = ({ attributes }: PieceFacts, type: number): boolean | undefined =>
  attributes.ALLOWED_HANDLE_TYPES === undefined
    ? undefined
    : (BigInt(attributes.ALLOWED_HANDLE_TYPES) & BigInt(type)) !== 0n;

function pool(subject: Subject, { pieces, sharing, bytes = 0 }: MemoryFacts): Answer {
  const [piece] = pieces;
  if (piece === undefined) return no('pool', NOTHING_MAPPED, EXPORTABLE.pool);
  if (piece.attributes.MEMPOOL_HANDLE === undefined && piece.attributes.ALLOWED_HANDLE_TYPES === undefined) {
    if (sharing.poolFd.supported === false) return no('pool', sharing.poolFd.why);
    const problem = poolPointerProblem(bytes);
    if (subject.memory === 'pool' && problem !== undefined) return no('pool', problem.message, problem.hint);
    if (subject.memory === 'pool') return unknown('pool', 'This driver does not say as what it may be shared: try it.');
  }
  if (!isSet(piece.attributes.MEMPOOL_HANDLE)) {
    return wrongKind(
      'pool',
      subject,
      `${names[subject.memory]} is not of a pool (MEMPOOL_HANDLE is 0).`,
      sharing.poolFd,
    );
  }
  if (subject.memory === 'imported') return no('pool', IMPORTED_WHY, IMPORTED_NEXT);
  const allowed = allows(piece, HandleType.POSIX_FILE_DESCRIPTOR);
  if (allowed === false) {
    const why =
      subject.memory === 'default-pool'
        ? 'The default pool of a device cannot be exported (ALLOWED_HANDLE_TYPES is 0).'
        : 'Its pool was created without a handle type that can be exported (ALLOWED_HANDLE_TYPES has no file descriptor).';
    return wrongKind('pool', subject, why, sharing.poolFd);
  }
  if (sharing.poolFd.supported === false) return no('pool', sharing.poolFd.why);
  const problem = poolPointerProblem(bytes);
  if (problem !== undefined) return no('pool', problem.message, problem.hint);
  if (allowed === undefined) return unknown('pool', 'This driver does not say as what it may be shared: try it.');
  return yes('pool', 'Its pool may be exported as a file descriptor (ALLOWED_HANDLE_TYPES), and with it this memory.');
}

/** What is the same for both ways to share memory of cuMemCreate. */
function ofCreate(
  mechanism: 'virtual' | 'fabric',
  subject: Subject,
  { pieces, sharing }: MemoryFacts,
): Answer | undefined {
  const device = mechanism === 'virtual' ? sharing.vmmFd : sharing.fabric;
  if (pieces.length === 0) return no(mechanism, NOTHING_MAPPED, 'Map physical memory into it that is shareable.');
  const foreign = pieces.filter(({ retained }) => retained === false).length;
  if (foreign === pieces.length) {
    const why = `${names[subject.memory]} was not made by cuMemCreate (cuMemRetainAllocationHandle refuses it).`;
    return wrongKind(mechanism, subject, why, device);
  }
  if (subject.memory === 'imported') return no(mechanism, IMPORTED_WHY, IMPORTED_NEXT);
  if (foreign > 0) return no(mechanism, `${foreign} of its ${pieces.length} pieces were not made by cuMemCreate.`);
  return undefined;
}

function virtual(subject: Subject, facts: MemoryFacts): Answer {
  const { pieces, sharing } = facts;
  const answer = ofCreate('virtual', subject, facts);
  if (answer !== undefined) return answer;
  const refused = pieces.filter((piece) => allows(piece, HandleType.POSIX_FILE_DESCRIPTOR) === false).length;
  if (refused > 0) {
    const what = pieces.length === 1 ? 'It was' : `${refused} of its ${pieces.length} pieces were`;
    const why = `${what} created without file descriptors, or imported (ALLOWED_HANDLE_TYPES has no file descriptor).`;
    return wrongKind('virtual', subject, why, sharing.vmmFd);
  }
  if (sharing.vmmFd.supported === false) return no('virtual', sharing.vmmFd.why);
  if (pieces.some((piece) => piece.retained === null || allows(piece, 1) === undefined)) {
    return unknown('virtual', 'This driver does not say as what it may be shared: try it.');
  }
  return yes(
    'virtual',
    pieces.length === 1
      ? 'It was created to be exported as a file descriptor (ALLOWED_HANDLE_TYPES).'
      : `Each of its ${pieces.length} pieces was created to be exported as a file descriptor (ALLOWED_HANDLE_TYPES).`,
  );
}

function fabric(subject: Subject, facts: MemoryFacts): Answer {
  const { pieces, sharing } = facts;
  const answer = ofCreate('fabric', subject, facts);
  if (answer !== undefined) return answer;
  const refused = pieces.some((piece) => allows(piece, HandleType.FABRIC) === false);
  if (refused) {
    const why = 'It was not created for the fabric (ALLOWED_HANDLE_TYPES has no FABRIC).';
    return wrongKind('fabric', subject, why, sharing.fabric);
  }
  if (sharing.fabric.supported === false) return no('fabric', sharing.fabric.why);
  if (pieces.length > 1) return no('fabric', 'It has several pieces, and a fabric handle stands for one.');
  if (pieces.some((piece) => piece.retained === null || allows(piece, HandleType.FABRIC) === undefined)) {
    return unknown('fabric', 'This driver does not say as what it may be shared: try it.');
  }
  return yes('fabric', 'It was created to be exported as a fabric handle (ALLOWED_HANDLE_TYPES).');
}
