/** How much is being read right now, for the status bar. Filled by whatever follows memory in this window. */
import { create } from 'zustand';

interface ByteRate {
  /** Reads per second that were chosen; undefined while nothing is followed or following is paused. */
  readonly hz: number | undefined;
  /** Bytes per second that really arrived during the last second. */
  readonly bytesPerSecond: number;
}

export const useByteRate = create<ByteRate>(() => ({ hz: undefined, bytesPerSecond: 0 }));

const WINDOW_MS = 1000;
const PUBLISH_MS = 500;

/** Counts arriving bytes and publishes the rate twice a second until stopped. */
export class ByteMeter {
  private arrivals: { at: number; bytes: number }[] = [];
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(bytes: number): void {
    this.arrivals.push({ at: this.now(), bytes });
    this.timer ??= setInterval(() => this.publish(), PUBLISH_MS);
  }

  setHz(hz: number | undefined): void {
    if (useByteRate.getState().hz !== hz) useByteRate.setState({ hz });
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.arrivals = [];
    useByteRate.setState({ hz: undefined, bytesPerSecond: 0 });
  }

  private publish(): void {
    const since = this.now() - WINDOW_MS;
    this.arrivals = this.arrivals.filter((arrival) => arrival.at > since);
    const bytesPerSecond = this.arrivals.reduce((sum, arrival) => sum + arrival.bytes, 0) * (1000 / WINDOW_MS);
    if (useByteRate.getState().bytesPerSecond !== bytesPerSecond) useByteRate.setState({ bytesPerSecond });
    if (this.arrivals.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}
