/** Descriptors from one peer to another. */
import type { Peer } from './peer-client';

let names = 0;
/** An abstract socket name of this run that was not used before. */
const freshName = () => `gpu-ipc-conformance-${process.pid}-${++names}`;

/** Passes descriptors from one peer to another in a message of their own. They stay open in the first. */
export async function pass(from: Peer, to: Peer, ...descriptors: readonly number[]): Promise<readonly number[]> {
  const name = freshName();
  await to.must('listen', name);
  await from.must('sendDescriptors', name, descriptors, Uint8Array.of(1));
  return (await to.must('receiveDescriptors')).descriptors;
}

/** The only one of a message with one. */
export async function passOne(from: Peer, to: Peer, descriptor: number): Promise<number> {
  const [received] = await pass(from, to, descriptor);
  if (received === undefined) throw new Error('the descriptor did not arrive');
  return received;
}

/** A number that no descriptor of a peer has. */
export const NOT_OPEN = 99_999;
/** A file that every machine has and no driver gave. */
export const OTHER_FILE = '/dev/null';
