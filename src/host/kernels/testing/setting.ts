/** A session and memory on it for tests of the kernels: on the simulator, or with GPU_IPC_DRIVER=real on a GPU. */
import type { HostPort } from '#contract/host-protocol';
import { DEFAULT_STREAM, type DevicePtr, offsetBy } from '#native/cuda/index';
import { CallLog } from '../../call-log';
import { Report } from '../../report';
import { Session } from '../../session';
import { simulatorPath, testDriver } from '../../testing/driver';
import { WholeBuffer } from '../index';
import type { Job, MemoryRange } from '../types';

export interface Setting {
  readonly session: Session;
  readonly kernels: WholeBuffer;
  /** Memory with these bytes, `shift` bytes into an allocation that ends with them. */
  range(bytes: Uint8Array, shift?: number): MemoryRange;
  end(): void;
}

export function setting(): Setting {
  const port: HostPort = { post: () => {}, listen: () => {}, exit: () => {} };
  const log = new CallLog('kernels');
  const init = { kind: 'init', peerId: 'kernels', role: 'inspector', driver: testDriver(), simulatorPath } as const;
  const session = new Session(init, port, log, new Report(port, log));
  session.use(0);
  const kernels = new WholeBuffer(session);
  const allocations: DevicePtr[] = [];
  return {
    session,
    kernels,
    range: (bytes, shift = 0) => {
      const base = session.cuda.memAlloc(Math.max(1, bytes.byteLength + shift));
      allocations.push(base);
      const pointer = offsetBy(base, shift);
      if (bytes.byteLength > 0) session.cuda.memcpyHtoD(pointer, bytes);
      // Copies from pageable memory return before their bytes are there, and the kernels' streams wait for nobody.
      session.cuda.streamSynchronize(DEFAULT_STREAM);
      return { device: 0, pointer, bytes: bytes.byteLength, label: 'memory of a test' };
    },
    end: () => {
      kernels.release();
      for (const pointer of allocations) session.cuda.memFree(pointer);
      session.release();
    },
  };
}

/** A job that nobody cancels. */
export const patient: Job = {
  cancelled: () => false,
  progress: () => {},
  pause: () => new Promise((resolve) => setImmediate(resolve)),
};
