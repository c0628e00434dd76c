/** Filling own allocations: by a memset of the driver, by one period that the device repeats, or chunk by chunk. */
import { type FillContext, type FillPlan, fillAtTick, planFill } from '#contract/fill-bytes';
import { formatBytes } from '#contract/units';
import type { Fill } from '#contract/values';
import { offsetBy } from '#native/cuda/index';
import { assertUsable } from './address-range';
import type { HostState } from './host-state';
import { type MemoryTarget, type OwnAllocation, targetOf } from './objects';
import { closed } from './problems';
import { copyToDevice, synchronise, writeBytes } from './reader';
import { SLOW_COPY_BYTES } from './session';
import { STAGING_BYTES } from './staging';

/** After this much generated on the CPU, other calls get their turn. */
const TURN_BYTES = 32 * 1024 * 1024;

/** What a fill was overtaken by: the buffer was freed, or another fill began. The bytes are then those of the later. */
const overtaken = (label: string) => closed(`${label} was freed or filled anew while this fill was running.`);

/**
 * Fills a whole allocation and remembers the fill. The device has all bytes when it resolves.
 * @param tick of an animation; 0 for a single fill
 */
export async function fillAllocation(host: HostState, own: OwnAllocation, fill: Fill, tick = 0): Promise<void> {
  const number = ++own.fillNumber;
  const context: FillContext = { pid: process.pid, tick, time: Date.now() };
  const plan = planFill(tick === 0 ? fill : fillAtTick(fill, tick), own.record.dtype, context);
  const target = targetOf(own);
  const { label, device, bytes } = target;
  assertUsable(target, { offset: 0, length: bytes }, 'write');
  host.session.use(device);
  switch (plan.by) {
    case 'memset':
      memset(host, target, plan);
      synchronise(host, target);
      break;
    case 'head':
      // Later ticks of an animation find the zeros of the first.
      head(host, target, plan.head, tick <= 1);
      break;
    case 'chunks': {
      const generated = Math.min(bytes, plan.period ?? bytes);
      for (let done = 0; done < generated; done += TURN_BYTES) {
        if (done > 0) {
          await new Promise((resolve) => setImmediate(resolve));
          if (host.ending || own.record.state !== 'live' || own.fillNumber !== number) throw overtaken(label);
          host.session.use(device);
        }
        generate(host, target, plan.write, done, Math.min(generated, done + TURN_BYTES));
      }
      if (generated < bytes) {
        repeatOnDevice(host, target, generated);
        synchronise(host, target);
      }
    }
  }
}

type Memset = Extract<FillPlan, { by: 'memset' }>;

function memset(host: HostState, target: MemoryTarget, { width, value }: Memset): void {
  const { pointer, bytes, label, id } = target;
  const count = Math.floor(bytes / width);
  const text = `${label}, ${width === 1 ? value : `0x${value.toString(16)}`} × ${count}`;
  host.session.call({ args: text, objectId: id }, (cuda) => {
    if (count === 0) return;
    if (width === 1) cuda.memsetD8(pointer, value, count);
    else if (width === 2) cuda.memsetD16(pointer, value, count);
    else cuda.memsetD32(pointer, value, count);
  });
  const rest = bytes - count * width;
  if (rest > 0) zero(host, target, count * width, rest);
}

function zero(host: HostState, target: MemoryTarget, offset: number, length: number): void {
  host.session.call({ args: `${target.label} + ${offset}, 0 × ${length}`, objectId: target.id }, (cuda) =>
    cuda.memsetD8(offsetBy(target.pointer, offset), 0, length),
  );
}

/** What a text is written in: one copy, so that nobody sees half of a short text. */
const HEAD_BYTES = 4096;

/** A text and zeros after it, to the end of the buffer only when `toEnd`. */
function head(host: HostState, target: MemoryTarget, text: Uint8Array, toEnd: boolean): void {
  const whole = new Uint8Array(Math.min(target.bytes, HEAD_BYTES));
  whole.set(text.subarray(0, whole.byteLength));
  writeBytes(host, target, 0, whole);
  if (text.byteLength > whole.byteLength) {
    const rest = text.subarray(whole.byteLength, target.bytes);
    if (rest.byteLength > 0) writeBytes(host, target, whole.byteLength, rest);
  }
  const end = Math.min(Math.max(whole.byteLength, text.byteLength), target.bytes);
  if (toEnd && end < target.bytes) {
    zero(host, target, end, target.bytes - end);
    synchronise(host, target);
  }
}

function generate(
  host: HostState,
  target: MemoryTarget,
  write: (into: Uint8Array, offset: number) => void,
  from: number,
  to: number,
): void {
  for (let at = from; at < to; at += STAGING_BYTES) {
    const length = Math.min(STAGING_BYTES, to - at);
    const staging = host.staging.atLeast(length);
    write(staging.subarray(0, length), at);
    copyToDevice(host, target, at, staging, length);
  }
}

/** Copies the first `done` bytes over the rest, twice as many each time. */
function repeatOnDevice(host: HostState, { pointer, bytes, label, id }: MemoryTarget, done: number): void {
  for (let have = done; have < bytes; have *= 2) {
    const length = Math.min(have, bytes - have);
    const about = { args: `${label}, ${formatBytes(length)} within`, objectId: id, slow: length >= SLOW_COPY_BYTES };
    host.session.call(about, (cuda) => cuda.memcpyDtoD(offsetBy(pointer, have), pointer, length));
  }
}
