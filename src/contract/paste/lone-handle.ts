/** One handle in a text that a program gives where a handle is due. */
import { parsePaste } from './parse-paste';

export type LoneReading =
  | { readonly ok: true; readonly handle: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a text with exactly one handle in it and nothing that says where in the allocation the data lies: who gives only
 * the bytes on would open something else. Words around it do not matter. Never throws.
 */
export function readLoneHandle(text: string): LoneReading {
  const { items, problems } = parsePaste(text);
  const [item] = items;
  const [problem] = problems;
  if (problem !== undefined) return refused(problem.message);
  if (items.length > 1) return refused(`There are ${items.length} handles in this text: give one of them.`);
  if (item === undefined) return refused('There is no handle in this text.');
  if (item.handle === null || item.kind === 'descriptor' || item.offset !== undefined || item.size !== undefined) {
    return refused(`This is more than a handle (${item.source}): read it with handles.parse.`);
  }
  return { ok: true, handle: item.handle };
}

const refused = (problem: string): LoneReading => ({ ok: false, problem });
