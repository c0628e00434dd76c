/** SHA-256 over device memory, in pieces, so that other calls of this process have their turn. */
import { createHash } from 'node:crypto';
import type { TrialChecksum, TrialPart } from '#contract/trial-protocol';
import { type DevicePtr, offsetBy } from '#native/cuda/index';
import type { HostState } from '../host-state';
import { ending } from '../problems';
import { STAGING_BYTES } from '../staging';

/** After this much other calls have their turn: some milliseconds. */
const TURN_BYTES = 16 * 1024 * 1024;

export interface ChecksumOf {
  readonly device: number;
  readonly label: string;
  /** Where the memory begins now; throws when it is there no more. Asked again after every turn. */
  readonly pointer: () => DevicePtr;
}

/** @param parts  in the order in which they are to be hashed */
export async function checksum(
  host: HostState,
  { device, label, pointer }: ChecksumOf,
  parts: readonly TrialPart[],
): Promise<TrialChecksum> {
  const hash = createHash('sha256');
  const began = performance.now();
  let turn = 0;
  for (const { offset, length } of parts) {
    for (let done = 0; done < length; done += STAGING_BYTES) {
      if (turn >= TURN_BYTES) {
        turn = 0;
        await new Promise((resolve) => setImmediate(resolve));
        if (host.ending) throw ending();
      }
      const bytes = Math.min(STAGING_BYTES, length - done);
      host.session.use(device);
      const from = offsetBy(pointer(), offset + done);
      const staging = host.staging.atLeast(bytes);
      host.session.call({ args: `${label}, checksum` }, (cuda) => cuda.memcpyDtoH(staging, from, bytes));
      hash.update(staging.subarray(0, bytes));
      turn += bytes;
    }
  }
  return { checksum: hash.digest('hex'), us: (performance.now() - began) * 1000 };
}
