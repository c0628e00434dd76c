/**
 * One message of a Unix socket with file descriptors in it (SCM_RIGHTS), as C lays it out on 64-bit Linux: msghdr of 56
 * bytes, one iovec of 16, control messages of 16 bytes and their data.
 */
import { addressOf, closeDescriptor, PosixError, posixNow } from './libc';

/** The most descriptors in one message here; the kernel allows 253. */
export const MOST_DESCRIPTORS = 32;
/** The longest payload here. */
export const MOST_BYTES = 16 * 1024;

const MSGHDR_BYTES = 56;
const IOVEC_BYTES = 16;
const CMSGHDR_BYTES = 16;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_CTRUNC = 0x8;
const MSG_TRUNC = 0x20;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const MSG_CMSG_CLOEXEC = 0x4000_0000;

export interface Message {
  /** At least one byte: without any a message could not be told from the end. */
  readonly payload: Uint8Array;
  /** Sent: they stay the sender's. Received: new ones, which the receiver has to close. */
  readonly descriptors: readonly number[];
}

const align8 = (bytes: number) => (bytes + 7) & ~7;

/**
 * A message and all it points to, in one buffer: C has addresses of its parts, and the engine keeps or frees it as a
 * whole. The header comes first, then the iovec, the control messages and the payload.
 */
class Layout {
  readonly header: Uint8Array;
  readonly control: DataView;
  readonly payload: Uint8Array;
  readonly #fields: DataView;

  constructor(payloadBytes: number, descriptors: number) {
    const controlBytes = descriptors === 0 ? 0 : CMSGHDR_BYTES + align8(4 * descriptors);
    const controlAt = MSGHDR_BYTES + IOVEC_BYTES;
    const payloadAt = controlAt + controlBytes;
    const memory = new ArrayBuffer(payloadAt + payloadBytes);
    this.header = new Uint8Array(memory);
    this.control = new DataView(memory, controlAt, controlBytes);
    this.payload = new Uint8Array(memory, payloadAt, payloadBytes);
    this.#fields = new DataView(memory);
    const base = addressOf(this.header);
    const put = (at: number, value: bigint) => this.#fields.setBigUint64(at, value, true);
    put(16, base + BigInt(MSGHDR_BYTES));
    put(24, 1n);
    put(32, controlBytes === 0 ? 0n : base + BigInt(controlAt));
    put(40, BigInt(controlBytes));
    put(MSGHDR_BYTES, base + BigInt(payloadAt));
    put(MSGHDR_BYTES + 8, BigInt(payloadBytes));
  }

  /** Bytes of control messages that the kernel wrote. */
  get controlLength(): number {
    return Number(this.#fields.getBigUint64(40, true));
  }

  get flags(): number {
    return this.#fields.getInt32(48, true);
  }
}

/** The descriptors in the control messages that the kernel wrote. */
function received(fields: DataView, length: number): number[] {
  const descriptors: number[] = [];
  for (let at = 0; at + CMSGHDR_BYTES <= length; ) {
    const bytes = Number(fields.getBigUint64(at, true));
    if (bytes < CMSGHDR_BYTES || at + bytes > length) break;
    if (fields.getInt32(at + 8, true) === SOL_SOCKET && fields.getInt32(at + 12, true) === SCM_RIGHTS) {
      for (let place = at + CMSGHDR_BYTES; place + 4 <= at + bytes; place += 4) {
        descriptors.push(fields.getInt32(place, true));
      }
    }
    at += align8(bytes);
  }
  return descriptors;
}

/**
 * Sends one message without waiting.
 * @returns false when the socket has no room now
 * @throws PosixError, RangeError for a message that is too long or empty
 */
export function sendMessage(socket: number, { payload, descriptors }: Message): boolean {
  if (payload.byteLength === 0 || payload.byteLength > MOST_BYTES) {
    throw new RangeError(`a message has 1 to ${MOST_BYTES} bytes, not ${payload.byteLength}`);
  }
  if (descriptors.length > MOST_DESCRIPTORS) {
    throw new RangeError(`a message carries at most ${MOST_DESCRIPTORS} descriptors, not ${descriptors.length}`);
  }
  const layout = new Layout(payload.byteLength, descriptors.length);
  layout.payload.set(payload);
  if (descriptors.length > 0) {
    layout.control.setBigUint64(0, BigInt(CMSGHDR_BYTES + 4 * descriptors.length), true);
    layout.control.setInt32(8, SOL_SOCKET, true);
    layout.control.setInt32(12, SCM_RIGHTS, true);
  }
  for (const [index, descriptor] of descriptors.entries()) {
    layout.control.setInt32(CMSGHDR_BYTES + 4 * index, descriptor, true);
  }
  return posixNow('sendmsg', socket, layout.header, MSG_DONTWAIT | MSG_NOSIGNAL) !== undefined;
}

/**
 * Receives one message without waiting. The descriptors in it are closed on exec and belong to the caller; where this
 * throws it has closed them.
 * @returns undefined when there is none now, 'end' when the other side is gone
 */
export function receiveMessage(socket: number): Message | 'end' | undefined {
  const layout = new Layout(MOST_BYTES, MOST_DESCRIPTORS);
  const bytes = posixNow('recvmsg', socket, layout.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (bytes === undefined) return undefined;
  const descriptors = received(layout.control, layout.controlLength);
  if ((layout.flags & (MSG_CTRUNC | MSG_TRUNC)) !== 0) {
    for (const descriptor of descriptors) closeDescriptor(descriptor);
    throw new PosixError('recvmsg', 'EMSGSIZE', 'the message was cut off');
  }
  if (bytes === 0 && descriptors.length === 0) return 'end';
  return { payload: layout.payload.slice(0, bytes), descriptors };
}
