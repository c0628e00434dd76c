import { describe, expect, it } from 'vitest';
import type { Cuda } from '#native/cuda/index';
import type { HostState } from './host-state';
import type { MemoryTarget } from './objects';
import { writeBytes } from './reader';
import type { Session } from './session';
import { Staging } from './staging';

/** The driver calls of a write of 64 KiB, in order, where the driver page-locks memory or refuses to. */
function callsOfWrite(refusal?: Error): string[] {
  const calls: string[] = [];
  const cuda = new Proxy({} as Cuda, {
    get: (_, name: string) => () => {
      calls.push(name);
      if (name === 'memHostRegister' && refusal) throw refusal;
    },
  });
  const session = { use: () => {}, call: (_about: unknown, run: (cuda: Cuda) => unknown) => run(cuda) };
  const host = { session, staging: new Staging(session as unknown as Session) } as unknown as HostState;
  const target = { id: 'a1', label: 'buffer', device: 0, pointer: 4096n, bytes: 65_536 } as unknown as MemoryTarget;
  writeBytes(host, target, 0, new Uint8Array(65_536));
  return calls;
}

describe('a write', () => {
  it('is done when the copy from page-locked memory returns', () => {
    expect(callsOfWrite()).toEqual(['memHostRegister', 'memcpyHtoD']);
  });

  it('waits for the copy where memory cannot be page-locked: it may return before the bytes are there', () => {
    expect(callsOfWrite(new Error('refused'))).toEqual(['memHostRegister', 'memcpyHtoD', 'streamSynchronize']);
  });
});
