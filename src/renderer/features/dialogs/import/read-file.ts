import { MAX_PASTE } from '#contract/calls/handles';
import { printHandle } from '#contract/handle-text';

/** A file as a text to look for handles in: 64 bytes are a handle themselves, everything else is UTF-8. */
export async function readFile(file: File): Promise<string> {
  if (file.size === 64) return printHandle(new Uint8Array(await file.arrayBuffer()), 'hex');
  // One more than is read: what is longer is said to be too long, and keeps no window waiting.
  return (await file.slice(0, MAX_PASTE + 1).text()).slice(0, MAX_PASTE + 1);
}
