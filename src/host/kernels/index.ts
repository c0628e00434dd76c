/** The whole-buffer calls of a host: kernels on the device that holds the memory. */
import type { Session } from '../session';
import { compare } from './compare';
import { KernelDevice } from './device';
import { search } from './search';
import { statistics } from './statistics';
import { summary } from './summary';
import type {
  BufferComparison,
  BufferStatistics,
  CompareOptions,
  Job,
  MemoryRange,
  SearchOptions,
  SearchResult,
  SliceSummary,
  StatisticsOptions,
  SummaryOptions,
  WholeBufferCalls,
} from './types';

export class WholeBuffer implements WholeBufferCalls {
  private readonly devices = new Map<number, KernelDevice>();

  constructor(private readonly session: Session) {}

  async statistics(range: MemoryRange, options: StatisticsOptions, job: Job): Promise<BufferStatistics> {
    return statistics(this.device(range.device), range, options, job);
  }

  async compare(a: MemoryRange, b: MemoryRange, options: CompareOptions, job: Job): Promise<BufferComparison> {
    return compare(this.device(a.device), a, b, options, job);
  }

  async search(range: MemoryRange, options: SearchOptions, job: Job): Promise<SearchResult> {
    return search(this.device(range.device), range, options, job);
  }

  async summary(range: MemoryRange, options: SummaryOptions, job: Job): Promise<readonly SliceSummary[]> {
    return summary(this.device(range.device), range, options, job);
  }

  release(): void {
    for (const device of this.devices.values()) device.release();
    this.devices.clear();
  }

  private device(ordinal: number): KernelDevice {
    let device = this.devices.get(ordinal);
    if (!device) {
      this.session.use(ordinal);
      device = new KernelDevice(this.session, ordinal);
      this.devices.set(ordinal, device);
    }
    return device;
  }
}
