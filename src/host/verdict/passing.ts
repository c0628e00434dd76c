/** Gives descriptors to one process, once, at a socket whose name nobody can guess. */
import { randomUUID } from 'node:crypto';
import { DescriptorChannel, DescriptorListener } from '#native/posix/descriptor-channel';
import { MOST_DESCRIPTORS } from '#native/posix/messages';

/** For how long somebody may take to come. */
const PATIENCE_MS = 10_000;

/**
 * Sends descriptors, which stay open here, to the first connection of process `toPid`.
 * @returns the name to connect to; nobody listens there any more once they are sent, or when nobody came in time
 */
export function giveTo(toPid: number, descriptors: readonly number[]): string {
  const name = `gpu-ipc-inspector-trial-${randomUUID()}`;
  const listener = DescriptorListener.at(name);
  const give = async (): Promise<void> => {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
      const channel = await listener.next(until - Date.now());
      try {
        if (channel.peer().pid !== toPid) continue;
        for (let sent = 0; sent < descriptors.length; sent += MOST_DESCRIPTORS) {
          channel.send({ payload: Uint8Array.of(1), descriptors: descriptors.slice(sent, sent + MOST_DESCRIPTORS) });
        }
        return;
      } finally {
        channel.close();
      }
    }
  };
  // Whoever waits for the descriptors notices that they do not come.
  void give()
    .catch(() => {})
    .finally(() => listener.close());
  return name;
}

/**
 * Takes that many descriptors, which are the caller's then, and has to close them.
 * @param taken  told of each as it arrives, so that none is lost when the rest does not come
 * @throws PosixError ECONNREFUSED, or ETIMEDOUT when they do not come in time
 */
export async function takeFrom(name: string, count: number, taken: (descriptor: number) => void): Promise<void> {
  const channel = DescriptorChannel.connect(name);
  try {
    for (let got = 0; got < count; ) {
      const message = await channel.next(PATIENCE_MS);
      if (message === 'end') throw new Error(`the exporter gave ${got} of ${count} descriptors`);
      for (const descriptor of message.descriptors) taken(descriptor);
      got += message.descriptors.length;
    }
  } finally {
    channel.close();
  }
}
