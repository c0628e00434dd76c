/** Calls of the C library that Node does not have, through koffi, and their failures. Linux only. */
import koffi from 'koffi';

/** A failed system call: `pidfd_getfd failed: EPERM`. */
export class PosixError extends Error {
  override readonly name = 'PosixError';
  /**
   * @param call name of the system call
   * @param code name of the errno: `EPERM`
   */
  constructor(
    readonly call: string,
    readonly code: string,
    detail = '',
  ) {
    super(`${call} failed: ${code}${detail === '' ? '' : ` (${detail})`}`);
  }
}

const names = new Map(Object.entries(koffi.os.errno).map(([name, number]) => [number, name]));
const errnoName = (number: number): string => {
  // Two names of one number: EAGAIN is what the manual pages say.
  if (number === koffi.os.errno.EAGAIN) return 'EAGAIN';
  return names.get(number) ?? `errno ${number}`;
};

const prototypes = {
  socket: 'int socket(int domain, int type, int protocol)',
  bind: 'int bind(int fd, const void *address, uint32_t length)',
  listen: 'int listen(int fd, int backlog)',
  accept4: 'int accept4(int fd, void *address, void *length, int flags)',
  connect: 'int connect(int fd, const void *address, uint32_t length)',
  getsockopt: 'int getsockopt(int fd, int level, int option, _Out_ void *value, _Inout_ uint32_t *length)',
  sendmsg: 'int64_t sendmsg(int fd, const void *message, int flags)',
  recvmsg: 'int64_t recvmsg(int fd, void *message, int flags)',
  close: 'int close(int fd)',
  fcntl: 'int fcntl(int fd, int command, int argument)',
  geteuid: 'uint32_t geteuid()',
  syscall: 'int64_t syscall(int64_t number, int64_t a, int64_t b, int64_t c)',
} as const;
type Name = keyof typeof prototypes;
type Argument = number | bigint | ArrayBufferView | null;

type Raw = (...args: readonly Argument[]) => number | bigint;

let functions: Readonly<Record<Name, Raw>> | undefined;

function load(): Readonly<Record<Name, Raw>> {
  if (process.platform !== 'linux')
    throw new PosixError('dlopen', 'ENOSYS', 'file descriptors are passed on Linux only');
  // The process itself: every C library has these, whatever its file is called.
  const library = koffi.load(null);
  const bound = Object.entries(prototypes).map(([name, prototype]) => [name, library.func(prototype) as Raw]);
  return Object.fromEntries(bound) as Record<Name, Raw>;
}

/** Calls a function and answers what it returned, errors included. Interrupted calls are made again. */
function returned(name: Name, args: readonly Argument[]): number {
  functions ??= load();
  for (;;) {
    const value = Number(functions[name](...args));
    if (value >= 0 || koffi.errno() !== koffi.os.errno.EINTR) return value;
  }
}

/**
 * Calls a function of the C library.
 * @returns its value
 * @throws PosixError when that is negative
 */
export function posix(name: Name, ...args: Argument[]): number {
  const value = returned(name, args);
  if (value < 0) throw new PosixError(name, errnoName(koffi.errno()));
  return value;
}

/** The same for calls that do not wait: undefined when there is nothing to do yet (EAGAIN). */
export function posixNow(name: Name, ...args: Argument[]): number | undefined {
  const value = returned(name, args);
  if (value >= 0) return value;
  const code = errnoName(koffi.errno());
  if (code === 'EAGAIN') return undefined;
  throw new PosixError(name, code);
}

/** A system call that has no function in older C libraries. `name` is for the error. */
export function systemCall(name: string, number: number, a: number, b: number, c: number): number {
  const value = returned('syscall', [number, a, b, c]);
  if (value < 0) throw new PosixError(name, errnoName(koffi.errno()));
  return value;
}

/** Address of the first byte; the buffer must stay referenced while C uses it. */
export const addressOf = (buffer: Uint8Array): bigint => koffi.address(buffer);

/** Closes a descriptor that C gave. After this the number may be another file's: never twice. */
export function closeDescriptor(descriptor: number): void {
  posix('close', descriptor);
}

const F_GETFD = 1;
const F_DUPFD_CLOEXEC = 1030;

/** Whether this number is an open descriptor of this process. */
export function isOpen(descriptor: number): boolean {
  try {
    posix('fcntl', descriptor, F_GETFD, 0);
    return true;
  } catch {
    return false;
  }
}

/** Another descriptor of the same file, closed on exec. */
export const duplicate = (descriptor: number): number => posix('fcntl', descriptor, F_DUPFD_CLOEXEC, 0);
