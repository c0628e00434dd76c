/**
 * Page-locked memory of this process that copies go through: twice to four times as fast as ordinary memory, and the
 * driver has finished when the call returns. One buffer, grown when needed, registered once for all contexts.
 */

import { formatSize } from '#contract/units';
import { MemHostRegisterFlag } from '#native/cuda/index';
import type { Session } from './session';

const FIRST_BYTES = 256 * 1024;
/** Larger reads go straight into the memory that is sent: a second copy would cost more than page-locking saves. */
export const STAGING_BYTES = 4 * 1024 * 1024;

export class Staging {
  private buffer: Uint8Array<ArrayBuffer> | undefined;
  private registered = false;

  constructor(private readonly session: Session) {}

  /** At least `bytes` (at most STAGING_BYTES) of page-locked memory, valid until the next call. Needs a context. */
  atLeast(bytes: number): Uint8Array<ArrayBuffer> {
    if (this.buffer && this.buffer.byteLength >= bytes) return this.buffer;
    this.release();
    let size = FIRST_BYTES;
    while (size < bytes) size *= 2;
    const buffer = new Uint8Array(Math.min(size, STAGING_BYTES));
    this.buffer = buffer;
    try {
      const args = `staging memory of this process, ${formatSize(buffer.byteLength)}`;
      this.session.call({ args }, (cuda) => cuda.memHostRegister(buffer, MemHostRegisterFlag.PORTABLE));
      this.registered = true;
    } catch {
      // Slower, and copies to the device then return early, see reader.ts; the bytes are the same. The log has the failure.
      this.registered = false;
    }
    return buffer;
  }

  /** Whether a copy from it to the device is done when the driver's call returns. */
  get pageLocked(): boolean {
    return this.registered;
  }

  /** Whether bytes lie in it: then the next call overwrites them. */
  contains(bytes: Uint8Array): boolean {
    return bytes.buffer === this.buffer?.buffer;
  }

  release(): void {
    const { buffer } = this;
    if (buffer && this.registered) {
      this.session.call({ args: 'staging memory of this process' }, (cuda) => cuda.memHostUnregister(buffer));
    }
    this.buffer = undefined;
    this.registered = false;
  }
}
