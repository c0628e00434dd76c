/** A handle as text: the inverse of reading. */
import { base64Of } from './base64';
import type { HandleForm } from './forms';

/** Writes a handle as text that parseHandle reads back. Takes any number of bytes; 64 make a handle. */
export function printHandle(handle: Uint8Array, form: HandleForm): string {
  switch (form) {
    case 'hex':
      return hexOf(handle);
    case 'base64':
      return base64Of(handle);
    case 'c-array':
      return `unsigned char handle[${handle.length}] = {\n${hexRows(handle)}\n};`;
    case 'csharp-array':
      return `byte[] handle = new byte[] {\n${hexRows(handle)}\n};`;
    case 'json-array':
      return `[${handle.join(', ')}]`;
    case 'python-bytes':
      return pythonBytesOf(handle);
  }
}

const hexDigits = (value: number): string => value.toString(16).padStart(2, '0');
const hexOf = (bytes: Uint8Array): string => Array.from(bytes, hexDigits).join('');

function hexRows(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    rows.push(`  ${Array.from(bytes.subarray(at, at + 16), (byte) => `0x${hexDigits(byte)}`).join(', ')}`);
  }
  return rows.join(',\n');
}

/** As Python's own repr() writes bytes: double quotes only when there is a single quote and no double one. */
function pythonBytesOf(bytes: Uint8Array): string {
  const mark = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'";
  let text = `b${mark}`;
  for (const byte of bytes) {
    const ch = String.fromCharCode(byte);
    if (ch === mark || ch === '\\') text += `\\${ch}`;
    else if (ch === '\t') text += '\\t';
    else if (ch === '\n') text += '\\n';
    else if (ch === '\r') text += '\\r';
    else if (byte < 0x20 || byte > 0x7e) text += `\\x${hexDigits(byte)}`;
    else text += ch;
  }
  return text + mark;
}
