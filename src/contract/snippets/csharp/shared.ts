/** Pieces of C# that both libraries' snippets share. Top-level statements, .NET 8. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import { BLOCK_BYTES, type Plan } from '#contract/snippets/plan';
import { comment, lines } from '#contract/snippets/text';

export const DOTNET = '.NET 8 or newer';

export function opening(plan: Plan, side: 'importer' | 'exporter', how: string): string {
  const isEvent = plan.mechanism === 'event';
  return comment(
    '//',
    side === 'importer'
      ? `Opens ${plan.subject}${isEvent ? ' and waits until it is ready' : ''}, ${how}.`
      : `Makes ${isEvent ? 'an event' : 'memory like that of the descriptor'} and shares it, ${how}. Keep it running while others use it.`,
  );
}

export const importConstants = (plan: Plan): string =>
  lines(
    `const string DeviceUuid = "${plan.device}";`,
    `const string Handle =  // whoever has these 64 bytes can use what they stand for
    "${plan.handle}";`,
    plan.event !== undefined &&
      `const string Event =  // ready when the data have been written
    "${plan.event}";`,
    plan.mechanism === 'pool' &&
      `const int Exporter = ${plan.exporterPid}, Pool = ${plan.pieces[0]?.fd ?? 0};  // process id, and its file descriptor of the pool`,
    plan.mechanism !== 'event' &&
      `const long Offset = ${plan.offset}, Size = ${plan.size};  // where the data begin in the memory, and how many bytes`,
  );

export const exportConstants = (plan: Plan): string =>
  lines(
    `const string DeviceUuid = "${plan.device}";`,
    plan.mechanism !== 'event' &&
      `const long Size = ${plan.size};  // bytes
// Whole blocks of 2 MiB: smaller allocations share one with others, and a handle opens all of it.
const long Room = (Size + ${BLOCK_BYTES - 1}) / ${BLOCK_BYTES} * ${BLOCK_BYTES};`,
  );

/** Members of the class that the file ends with: what the library does not have. */
export const uuidMembers = `
[DllImport("libcuda.so.1")]
static extern int cuDeviceGetUuid_v2([Out] byte[] uuid, int device);

/// <summary>By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES).</summary>
public static bool IsDevice(int ordinal, string wanted)
{
    var raw = new byte[16];
    return cuDeviceGetUuid_v2(raw, ordinal) == 0
        && Convert.ToHexString(raw).Equals(wanted[4..].Replace("-", ""), StringComparison.OrdinalIgnoreCase);
}`;

export const notHere = `throw new InvalidOperationException($"{DeviceUuid} is not here, or CUDA_VISIBLE_DEVICES hides it")`;

export const printFirst =
  'Console.WriteLine("first bytes: " + string.Join(\' \', first.Select(each => each.ToString("x2"))));';

const names: Readonly<Partial<Record<DtypeId, string>>> = {
  u8: 'byte',
  i8: 'sbyte',
  u16: 'ushort',
  i16: 'short',
  u32: 'uint',
  i32: 'int',
  u64: 'ulong',
  i64: 'long',
  f32: 'float',
  f64: 'double',
};

/** The C# type of the elements; undefined where the bytes have to do. */
export const elementType = ({ array }: Plan): string | undefined => array && names[array.dtype];

export function elementNotes({ array }: Plan): string[] {
  if (array === undefined) return [];
  const unknown = `The elements (${dtypes[array.dtype].name}) have no type here that is the same in every version: the view is of bytes.`;
  return [
    ...(names[array.dtype] === undefined ? [unknown] : []),
    ...(array.strides === undefined
      ? []
      : [`The view is one-dimensional: strides of ${array.strides.join(', ')} elements are left to its user.`]),
  ];
}

/** Prints the descriptor and waits. Values are C# expressions. */
export function printing(
  plan: Plan,
  { handle, allocationSize, event }: { handle: string; allocationSize?: string; event?: string },
): string {
  const { mechanism, array } = plan;
  const list = (values: readonly number[]) => `new long[] { ${values.join(', ')} }`;
  return lines(
    '// Paste this into GPU IPC Inspector, or give it to an importer. It is a key to the memory: no logs, no tickets.',
    'var descriptor = new',
    '{',
    `    format = "gpu-ipc-descriptor", version = 1, mechanism = "${mechanism}",`,
    `    handle = ${handle},`,
    '    exporter = new { pid = Environment.ProcessId, pidNamespace = new FileInfo("/proc/self/ns/pid").LinkTarget },',
    '    device = new { uuid = DeviceUuid },',
    `    offset = 0, size = ${mechanism === 'event' ? '0' : 'Size'},`,
    allocationSize && `    allocationSize = ${allocationSize},`,
    array && `    dtype = "${array.dtype}", shape = ${list(array.shape)},`,
    array?.strides && `    strides = ${list(array.strides)},`,
    event && `    @event = ${event},`,
    '};',
    'Console.WriteLine(JsonSerializer.Serialize(descriptor, new JsonSerializerOptions { WriteIndented = true }));',
    'Console.Error.WriteLine("Press Enter to release it.");',
    'Console.ReadLine();',
  );
}

export const NOT_RUN =
  'No machine of this project has a C# compiler: this code was checked against the sources of the library, and never run.';
