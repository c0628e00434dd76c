/** Pieces of C++ that both libraries' snippets share. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import { BLOCK_BYTES, type Plan } from '#contract/snippets/plan';
import { comment, lines } from '#contract/snippets/text';

/** What the file is, and how it is built. */
export function opening(plan: Plan, side: 'importer' | 'exporter', how: string, build: string): string {
  const isEvent = plan.mechanism === 'event';
  const what =
    side === 'importer'
      ? `Opens ${plan.subject}${isEvent ? ' and waits until it is ready' : ''}, ${how}.`
      : `Makes ${isEvent ? 'an event' : 'memory like that of the descriptor'} and shares it, ${how}. Keep it running while others use it.`;
  return lines(comment('//', what), `// Build: ${build}`);
}

/** `{0x01, 0x23, …}` and the UUID beside it. */
const deviceConstant = (device: string): string => {
  const bytes = device.slice(4).replaceAll('-', '').match(/../g) ?? [];
  return `constexpr unsigned char DEVICE[16] = {${bytes.map((byte) => `0x${byte}`).join(', ')}};
// ${device}`;
};

export function importConstants(plan: Plan): string {
  const { mechanism } = plan;
  return lines(
    deviceConstant(plan.device),
    plan.handle !== '' &&
      `constexpr char HANDLE[] =  // whoever has these 64 bytes can use what they stand for
    "${plan.handle}";`,
    plan.event !== undefined &&
      `constexpr char EVENT[] =  // ready when the data have been written
    "${plan.event}";`,
    mechanism === 'pool' &&
      `constexpr int EXPORTER = ${plan.exporterPid}, POOL = ${plan.pieces[0]?.fd ?? 0};  // process id, and its file descriptor of the pool`,
    mechanism === 'virtual' &&
      `constexpr int EXPORTER = ${plan.exporterPid};  // process id
struct Piece { int descriptor; size_t size; } constexpr PIECES[] = {${plan.pieces.map(({ fd, bytes }) => `{${fd}, ${bytes}}`).join(', ')}};  // in the order of addresses`,
    mechanism !== 'event' &&
      `constexpr size_t OFFSET = ${plan.offset}, SIZE = ${plan.size};  // where the data begin in the memory, and how many bytes`,
    (mechanism === 'virtual' || mechanism === 'fabric') &&
      `constexpr size_t TOTAL = ${plan.total};  // mapped as a whole`,
  );
}

export const exportConstants = (plan: Plan): string =>
  lines(
    deviceConstant(plan.device),
    plan.mechanism !== 'event' && `constexpr size_t SIZE = ${plan.size};  // bytes`,
    plan.mechanism === 'legacy' &&
      `// Whole blocks of 2 MiB: smaller allocations share one with others, and a handle opens all of it.
constexpr size_t ROOM = (SIZE + ${BLOCK_BYTES - 1}) / ${BLOCK_BYTES} * ${BLOCK_BYTES};`,
  );

/** Template: text to a struct of 64 bytes. */
export const fromHex = `
template <class Handle> Handle from_hex(const char *text) {
  Handle handle{};
  static_assert(sizeof handle == 64, "a handle has 64 bytes");
  for (size_t i = 0; i < sizeof handle; i++) {
    std::sscanf(text + 2 * i, "%2hhx", reinterpret_cast<unsigned char *>(&handle) + i);
  }
  return handle;
}`;

export const toHex = `
template <class Handle> std::string to_hex(const Handle &handle) {
  static_assert(sizeof handle == 64, "a handle has 64 bytes");
  std::string text;
  for (size_t i = 0; i < sizeof handle; i++) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", reinterpret_cast<const unsigned char *>(&handle)[i]);
    text += digits;
  }
  return text;
}`;

export const copyDescriptor = `
// Another process's file descriptor as one of this process; the number alone means nothing here. Linux 5.6; the same
// user and the right to ptrace (Yama, containers). Else let the exporter send it (SCM_RIGHTS).
int copy_descriptor(pid_t pid, int number) {
  const int process = static_cast<int>(syscall(434, pid, 0));  // pidfd_open
  const int copied = process < 0 ? -1 : static_cast<int>(syscall(438, process, number, 0));  // pidfd_getfd
  if (copied < 0) {
    std::perror("taking the descriptor");
    std::exit(1);
  }
  close(process);
  return copied;
}`;

/** Declares `name` and prints the first bytes in it. */
export const printFirst = `
std::printf("first bytes:");
for (const unsigned char byte : first) std::printf(" %02x", byte);
std::printf("\\n");`;

const cppTypes: Readonly<Record<DtypeId, string>> = {
  u8: 'uint8_t',
  i8: 'int8_t',
  u16: 'uint16_t',
  i16: 'int16_t',
  u32: 'uint32_t',
  i32: 'int32_t',
  u64: 'uint64_t',
  i64: 'int64_t',
  f16: '__half',
  bf16: '__nv_bfloat16',
  f32: 'float',
  f64: 'double',
  f8e4m3: '__nv_fp8_e4m3',
  f8e5m2: '__nv_fp8_e5m2',
  bool: 'bool',
  c64: 'cuFloatComplex',
  c128: 'cuDoubleComplex',
  i4: 'uint8_t',
  u4: 'uint8_t',
};

/** `float [2][3], (float *)data in a kernel`: what the bytes are, as a comment. */
export function arrayComment({ array }: Plan): string {
  if (array === undefined) return '';
  const type = cppTypes[array.dtype];
  const steps = array.strides === undefined ? '' : `, strides ${array.strides.join(', ')} elements`;
  const packed = dtypes[array.dtype].perUnit > 1 ? ', two elements in a byte' : '';
  return `  // ${dtypes[array.dtype].name}${array.shape.map((count) => `[${count}]`).join('')}${steps}${packed}; in a kernel: reinterpret_cast<${type} *>(data)`;
}

export interface Printed {
  /** C++ expressions of what stands in the JSON: a text, or a number. */
  readonly handle?: string;
  readonly descriptor?: string;
  readonly descriptorBytes?: string;
  readonly allocationSize?: string;
  readonly event?: string;
}

/** Prints the descriptor and waits. */
export function printing(plan: Plan, printed: Printed): string {
  const { mechanism, array } = plan;
  const { handle, descriptor, descriptorBytes, allocationSize, event } = printed;
  const values: string[] = [];
  const put = (expression: string, form: string): string => {
    values.push(expression);
    return form;
  };
  const fields = [
    `"format": "gpu-ipc-descriptor", "version": 1, "mechanism": "${mechanism}"`,
    handle && `"handle": "${put(`to_hex(${handle}).c_str()`, '%s')}"`,
    descriptor &&
      `"descriptors": [{"fd": ${put(descriptor, '%d')}, "bytes": ${descriptorBytes === undefined ? 'null' : put(descriptorBytes, '%zu')}}]`,
    `"exporter": {"pid": ${put('getpid()', '%d')}, "pidNamespace": "${put('names', '%s')}"}`,
    `"device": {"uuid": "${plan.device}"}`,
    mechanism === 'event' ? '"offset": 0, "size": 0' : `"offset": 0, "size": ${put('SIZE', '%zu')}`,
    allocationSize && `"allocationSize": ${put(allocationSize, '%zu')}`,
    array && `"dtype": "${array.dtype}", "shape": [${array.shape.join(', ')}]`,
    array?.strides && `"strides": [${array.strides.join(', ')}]`,
    event && `"event": "${put(`to_hex(${event}).c_str()`, '%s')}"`,
  ].filter((field): field is string => typeof field === 'string' && field !== '');
  return `
char names[64] = "";  // of the pid namespace: pids count from 1 in each container
if (readlink("/proc/self/ns/pid", names, sizeof names - 1) < 0) std::perror("/proc/self/ns/pid");
// Paste this into GPU IPC Inspector, or give it to an importer. It is a key to the memory: no logs, no tickets.
std::printf(R"({
  ${fields.join(',\n  ')}
}
)", ${values.join(', ')});
std::fflush(stdout);
std::fprintf(stderr, "Press Enter to release it.\\n");
std::getchar();`;
}
