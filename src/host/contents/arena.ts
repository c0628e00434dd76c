/**
 * Page-locked memory in large blocks, for copies at full speed and for snapshots that stay in it. Making a block takes
 * longer than copying into it: the kernel makes its pages on other threads while the blocks before it are filled, and
 * blocks that are given back are kept for a while.
 */
import { formatSize } from '#contract/units';
import { MemHostRegisterFlag } from '#native/cuda/index';
import { giveBackPages, populate } from '#native/posix/pages';
import type { Delays } from '../delays';
import type { Session } from '../session';

/** Small enough that page-locking one keeps nobody waiting, and more than a copy needs to be at full speed. */
export const BLOCK_BYTES = 32 * 1024 * 1024;
/** How long blocks stay page-locked that nobody uses. */
const KEPT_MS = 30_000;

export type Block = Uint8Array<ArrayBuffer>;

export class Arena {
  private readonly idle: Block[] = [];
  private readonly locked = new Set<Block>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly session: Session,
    private readonly delays: Delays,
  ) {}

  /** Bytes that are kept and not used. */
  get idleBytes(): number {
    return this.idle.length * BLOCK_BYTES;
  }

  /**
   * A block, its bytes of no meaning. May be asked for ahead, several at once.
   * @param device whose context page-locks it, for all contexts
   * @throws RangeError where this process can have no more memory of the kind
   */
  async take(device: number): Promise<Block> {
    const idle = this.idle.pop();
    if (idle !== undefined) return idle;
    const block = new Uint8Array(BLOCK_BYTES);
    await populate(block);
    try {
      this.session.use(device);
      const args = `memory for copies, ${formatSize(BLOCK_BYTES)}`;
      this.session.call({ args }, (cuda) => cuda.memHostRegister(block, MemHostRegisterFlag.PORTABLE));
      this.locked.add(block);
    } catch {
      // Slower, but the same bytes: the log has the failure.
    }
    return block;
  }

  /** Gives blocks back that no copy goes into any more. */
  giveBack(blocks: readonly Block[]): void {
    this.idle.push(...blocks);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.shrink(), KEPT_MS);
    this.timer.unref();
  }

  /** Unlocks every block, also those that are in use, and lets go of the idle ones. */
  end(): void {
    clearTimeout(this.timer);
    for (const block of [...this.locked]) {
      try {
        this.unlock(block);
      } catch {
        // In the log. The context goes next, and the lock with it.
      }
    }
    this.idle.length = 0;
  }

  /** One after the other: each takes a moment. */
  private async shrink(): Promise<void> {
    this.timer = undefined;
    while (this.idle.length > 0 && this.timer === undefined) {
      try {
        // Unlocking waits for everything that runs in the context.
        for (const device of this.session.devicesInUse) await this.delays.settled(device);
        const block = this.idle.pop();
        if (block === undefined) return;
        this.unlock(block);
        giveBackPages(block);
      } catch {
        // The host is ending, or its context is lost.
        return;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private unlock(block: Block): void {
    if (!this.locked.delete(block)) return;
    const args = `memory for copies, ${formatSize(BLOCK_BYTES)}`;
    this.session.call({ args }, (cuda) => cuda.memHostUnregister(block));
  }
}
