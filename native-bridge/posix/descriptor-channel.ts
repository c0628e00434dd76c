/**
 * Passing file descriptors between processes of one user: Unix sockets that keep messages apart (SOCK_SEQPACKET), with
 * abstract names, so that no file is left behind. Nothing here waits in C: the thread stays free.
 */
import { closeDescriptor, PosixError, posix, posixNow } from './libc';
import { type Message, receiveMessage, sendMessage } from './messages';

const AF_UNIX = 1;
const SOCK_SEQPACKET = 5;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const BACKLOG = 64;
const MOST_NAME_BYTES = 107;
const ROOT = 0;

/** Who is on the other side of a socket, as the kernel noted it when it was connected. */
export interface Credentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

/** sockaddr_un of an abstract name. */
function address(name: string): Uint8Array {
  const text = new TextEncoder().encode(name);
  if (text.byteLength === 0 || text.byteLength > MOST_NAME_BYTES || text.includes(0)) {
    throw new RangeError(`a socket name has 1 to ${MOST_NAME_BYTES} bytes`);
  }
  const bytes = new Uint8Array(new ArrayBuffer(3 + text.byteLength));
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(text, 3);
  return bytes;
}

/** A new socket, closed again when `use` throws. */
function withSocket(use: (socket: number) => void): number {
  const socket = posix('socket', AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  try {
    use(socket);
    return socket;
  } catch (error) {
    closeDescriptor(socket);
    throw error;
  }
}

/** One side of a connection. Close it; descriptors that were received belong to whoever received them. */
export class DescriptorChannel {
  #socket: number | undefined;

  constructor(socket: number) {
    this.#socket = socket;
  }

  /** Connects to a listener. PosixError ECONNREFUSED when nobody listens under that name. */
  static connect(name: string): DescriptorChannel {
    const bytes = address(name);
    return new DescriptorChannel(withSocket((socket) => posix('connect', socket, bytes, bytes.byteLength)));
  }

  /** The process on the other side. */
  peer(): Credentials {
    const found = new Uint8Array(new ArrayBuffer(12));
    posix('getsockopt', this.#open(), SOL_SOCKET, SO_PEERCRED, found, Uint32Array.of(12));
    const fields = new DataView(found.buffer);
    return { pid: fields.getInt32(0, true), uid: fields.getUint32(4, true), gid: fields.getUint32(8, true) };
  }

  /** Sends one message; the descriptors stay open here too. False when the socket has no room now. */
  send(message: Message): boolean {
    return sendMessage(this.#open(), message);
  }

  /** The next message that is there; undefined for none yet. */
  receive(): Message | 'end' | undefined {
    return receiveMessage(this.#open());
  }

  /** The next message, waited for. PosixError ETIMEDOUT when none came. */
  next(timeoutMs: number): Promise<Message | 'end'> {
    return waitFor('recvmsg', timeoutMs, () => this.receive());
  }

  /** Messages that were sent and not yet received, with their descriptors, are still delivered. */
  close(): void {
    if (this.#socket === undefined) return;
    closeDescriptor(this.#socket);
    this.#socket = undefined;
  }

  #open(): number {
    if (this.#socket === undefined) throw new PosixError('socket', 'EBADF', 'the channel is closed');
    return this.#socket;
  }
}

/** Where other processes of this user connect to. */
export class DescriptorListener {
  #socket: number | undefined;

  private constructor(socket: number) {
    this.#socket = socket;
  }

  /** PosixError EADDRINUSE when somebody else listens under that name. */
  static at(name: string): DescriptorListener {
    const bytes = address(name);
    return new DescriptorListener(
      withSocket((socket) => {
        posix('bind', socket, bytes, bytes.byteLength);
        posix('listen', socket, BACKLOG);
      }),
    );
  }

  /**
   * The next connection that is there; undefined for none yet. Abstract names have no permissions, so connections of
   * other users are closed at once (but for root's).
   */
  accept(): DescriptorChannel | undefined {
    for (;;) {
      if (this.#socket === undefined) throw new PosixError('accept4', 'EBADF', 'the listener is closed');
      const socket = posixNow('accept4', this.#socket, null, null, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket === undefined) return undefined;
      const channel = new DescriptorChannel(socket);
      if (isTrusted(channel)) return channel;
      channel.close();
    }
  }

  /** The next connection, waited for. PosixError ETIMEDOUT when none came. */
  next(timeoutMs: number): Promise<DescriptorChannel> {
    return waitFor('accept4', timeoutMs, () => this.accept());
  }

  close(): void {
    if (this.#socket === undefined) return;
    closeDescriptor(this.#socket);
    this.#socket = undefined;
  }
}

function isTrusted(channel: DescriptorChannel): boolean {
  try {
    const { uid } = channel.peer();
    return uid === ROOT || uid === posix('geteuid');
  } catch {
    return false;
  }
}

const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;

async function waitFor<T>(call: string, timeoutMs: number, look: () => T | undefined): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() >= until) throw new PosixError(call, 'ETIMEDOUT');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
