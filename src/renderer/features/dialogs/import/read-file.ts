import { type FileText, fileText, tooLarge } from '#contract/paste/file-text';

/** A file that was dropped, as a text to look for handles in; what is too large is not read. */
export async function readFile(file: File): Promise<FileText> {
  return tooLarge(file.size) ?? fileText(new Uint8Array(await file.arrayBuffer()));
}
