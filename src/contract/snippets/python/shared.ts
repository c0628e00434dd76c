/** Pieces of Python that several libraries' snippets share. */
import { dtypes } from '#contract/dtypes';
import type { Plan } from '#contract/snippets/plan';
import { comment, lines } from '#contract/snippets/text';

export const LINUX = 'Linux';
export const PYTHON = 'Python 3.9 or newer';

/** What the file is, as comment lines. */
export function opening(plan: Plan, side: 'importer' | 'exporter', how: string): string {
  return comment(
    '#',
    side === 'importer'
      ? `Opens ${plan.subject}, ${how}.`
      : `Makes memory like that of the descriptor and shares it, ${how}. Keep it running while others use it.`,
  );
}

/** The event's snippet says the other thing. */
export function eventOpening(plan: Plan, side: 'importer' | 'exporter', how: string): string {
  return comment(
    '#',
    side === 'importer'
      ? `Opens ${plan.subject} and waits until it is ready, ${how}.`
      : `Makes an event and shares it, ${how}. Keep it running while others use it.`,
  );
}

/** HANDLE, DEVICE, OFFSET…: everything that differs between two snippets of one library. */
export function importConstants(plan: Plan): string {
  const { mechanism } = plan;
  return lines(
    `DEVICE = "${plan.device}"`,
    plan.handle !== '' &&
      `HANDLE = bytes.fromhex(  # whoever has these 64 bytes can use what they stand for
    "${plan.handle}"
)`,
    plan.event !== undefined &&
      `EVENT = bytes.fromhex(  # ready when the data have been written
    "${plan.event}"
)`,
    mechanism === 'pool' &&
      `EXPORTER, POOL = ${plan.exporterPid}, ${plan.pieces[0]?.fd ?? 0}  # process id, and its file descriptor of the pool`,
    mechanism === 'virtual' &&
      `EXPORTER = ${plan.exporterPid}  # process id
PIECES = [${plan.pieces.map(({ fd, bytes }) => `(${fd}, ${bytes})`).join(', ')}]  # its file descriptor, bytes; in the order of addresses`,
    mechanism !== 'event' &&
      `OFFSET, SIZE = ${plan.offset}, ${plan.size}  # where the data begin in the memory, and how many bytes`,
    (mechanism === 'virtual' || mechanism === 'fabric') && `TOTAL = ${plan.total}  # mapped as a whole`,
  );
}

/** How many bytes the exporter's snippets allocate, and what they write. */
export function exportConstants(plan: Plan): string {
  return lines(
    `DEVICE = "${plan.device}"`,
    plan.mechanism !== 'event' && `SIZE = ${plan.size}  # bytes`,
    plan.mechanism !== 'event' && 'PATTERN = bytes(range(256))[:SIZE]  # 00 01 02 …, then zeros',
  );
}

export const copyDescriptor = `
def copy_descriptor(pid, number):
    """Another process's file descriptor as one of this process; the number alone means nothing here."""
    # Linux 5.6; the same user and the right to ptrace (Yama, containers). Else let the exporter send it (SCM_RIGHTS).
    libc, process = c.CDLL(None, use_errno=True), os.pidfd_open(pid)
    copied = libc.syscall(438, process, number, 0)  # pidfd_getfd
    error = c.get_errno()
    os.close(process)
    if copied < 0:
        raise OSError(error, f"pidfd_getfd: {os.strerror(error)}")
    return copied`;

/**
 * How to wait for an event without waiting for ever.
 * @param unready Python expression: true as long as the event is not ready
 * @param remark  what is worth saying about it
 */
export const waiting = (unready: string, remark = ''): string => `
# Asked again and again, not waited for: the event of an exporter that was killed is never ready.
deadline = time.monotonic() + 10
while ${unready}:${remark === '' ? '' : `  # ${remark}`}
    if time.monotonic() > deadline:
        raise TimeoutError("the exporter has not recorded its event")
    time.sleep(0.001)`;

/** `(2, 3)`, `(5,)` */
export const tuple = (values: readonly number[]): string =>
  values.length === 1 ? `(${values[0]},)` : `(${values.join(', ')})`;

/** The array that a library without its own types makes: NumPy's name of the element type, and bytes per step. */
export interface NumpyArray {
  readonly dtype: string;
  readonly itemBytes: number;
  readonly shape: readonly number[];
  /** In bytes; undefined: row after row without gaps. */
  readonly strides: readonly number[] | undefined;
  readonly notes: readonly string[];
}

const SAME_SIZE: Readonly<Record<number, string>> = { 1: 'uint8', 2: 'uint16', 4: 'uint32', 8: 'uint64' };

/** @param stand whether a type that NumPy lacks is explained in a note */
export function numpyArray(plan: Plan, stand = true): NumpyArray {
  const { array, size } = plan;
  const bytes = { dtype: 'uint8', itemBytes: 1, shape: [size], strides: undefined };
  if (array === undefined) return { ...bytes, notes: [] };
  const { bytes: itemBytes, perUnit, numpy, name } = dtypes[array.dtype];
  if (perUnit > 1) return { ...bytes, notes: [`The elements (${name}) have no type here: the array is the bytes.`] };
  const dtype = numpy ?? SAME_SIZE[itemBytes] ?? 'uint8';
  return {
    dtype,
    itemBytes,
    shape: array.shape,
    strides: array.strides?.map((stride) => stride * itemBytes),
    notes: numpy === null && stand ? [`NumPy has no ${name}: the array holds the same bytes as ${dtype}.`] : [],
  };
}

/** Steps of an array without gaps, in bytes. */
export function contiguous({ shape, itemBytes }: NumpyArray): number[] {
  const steps: number[] = [];
  let step = itemBytes;
  for (const count of [...shape].reverse()) {
    steps.unshift(step);
    step *= count;
  }
  return steps;
}

export interface Printed {
  /** Python expressions of what a field holds; undefined fields are left out. */
  readonly handle?: string;
  readonly descriptors?: string;
  readonly offset?: string;
  readonly allocationSize?: string;
  readonly event?: string;
}

/** Prints the descriptor and waits. */
export function printing(plan: Plan, { handle, descriptors, offset = '0', allocationSize, event }: Printed): string {
  const { mechanism, array } = plan;
  const field = (name: string, value: string | undefined) => value !== undefined && `    "${name}": ${value},`;
  return lines(
    '# Paste this into GPU IPC Inspector, or give it to an importer. It is a key to the memory: no logs, no tickets.',
    'print(json.dumps({',
    `    "format": "gpu-ipc-descriptor", "version": 1, "mechanism": "${mechanism}",`,
    field('handle', handle),
    field('descriptors', descriptors),
    '    "exporter": {"pid": os.getpid(), "pidNamespace": os.readlink("/proc/self/ns/pid")},',
    '    "device": {"uuid": DEVICE},',
    mechanism === 'event' ? '    "offset": 0, "size": 0,' : `    "offset": ${offset}, "size": SIZE,`,
    field('allocationSize', allocationSize),
    array && `    "dtype": "${array.dtype}", "shape": [${array.shape.join(', ')}],`,
    array?.strides && `    "strides": [${array.strides.join(', ')}],`,
    field('event', event),
    '}, indent=2), flush=True)',
    'print("Press Enter to release it.", file=sys.stderr)',
    'input()',
  );
}
