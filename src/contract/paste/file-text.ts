/** A file as a text to look for handles in. Pure. */
import { MAX_PASTE } from '#contract/calls/handles';
import { printHandle } from '#contract/handle-text';
import { formatCount, formatSize } from '#contract/units';

export type FileText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

const HANDLE_BYTES = 64;

/** Largest file that is read, in bytes: as much as may be pasted. A descriptor has less than 64 KiB. */
export const MAX_FILE = MAX_PASTE;

/** Whether a file of `size` bytes is read at all: undefined, or why it is not. */
export const tooLarge = (size: number): (FileText & { ok: false }) | undefined =>
  size <= MAX_FILE
    ? undefined
    : {
        ok: false,
        problem: `It has ${formatCount(size)} bytes; at most ${formatSize(MAX_FILE)} are read as a text.`,
        hint: 'Cut out the part that the handle or the descriptor is in.',
      };

/** 64 bytes are a handle themselves, printed as hex; everything else has to be text, and is read as UTF-8. */
export function fileText(bytes: Uint8Array): FileText {
  const refused = tooLarge(bytes.byteLength);
  if (refused !== undefined) return refused;
  if (bytes.byteLength === HANDLE_BYTES) return { ok: true, text: printHandle(bytes, 'hex') };
  // No text has it, and UTF-16 has one beside every letter.
  if (bytes.includes(0)) {
    return {
      ok: false,
      problem: 'It is no text: there are bytes in it that are zero.',
      hint: `Text is read as UTF-8. Of other files only those of exactly ${HANDLE_BYTES} bytes are read, as a handle.`,
    };
  }
  return { ok: true, text: new TextDecoder().decode(bytes) };
}
