/** What a pasted text means as bytes. */
import { parseHexBytes } from '../../../lib/hex-bytes';

const MOST = 64 * 1024;

/**
 * Bytes written as hexadecimal or, for the text column, the text itself as UTF-8. Undefined when it is no hexadecimal;
 * more than 64 KiB is cut off.
 */
export function pastedBytes(text: string, side: 'hex' | 'text'): Uint8Array<ArrayBuffer> | undefined {
  if (side === 'text') return new TextEncoder().encode(text).slice(0, MOST);
  const read = parseHexBytes(text);
  return read.ok ? read.bytes.slice(0, MOST) : undefined;
}
