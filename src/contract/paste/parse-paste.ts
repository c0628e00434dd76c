/**
 * Finds handles in any text: a lone handle in any form, what libraries and debuggers print, share descriptors, several of
 * them in a log or a letter. The text is cut into tokens once and each token is passed once, so time grows with length
 * only. What is read is exactly what the text says; what almost looks like a handle is a problem, and never other bytes.
 */
import { MAX_PASTE } from '#contract/calls/handles';
import { type HandleReading, MAX_HANDLE_TEXT, parseHandle } from '#contract/handle-text';
import { arrayAt } from './arrays';
import { descriptorAt } from './descriptors';
import { dumpsIn } from './dumps';
import { inPythonBytes, itemOf } from './item';
import { isName, itemOfPairs, pairsAt } from './pairs';
import { pythonBytesAt, stringAt } from './quoted';
import { type Token, tokensOf } from './tokens';
import { tupleAt } from './tuples';
import type { Cut, Found, FoundBytes, Pasted, PastedItem, PasteProblem } from './types';
import { escapesAt, wordAt } from './unquoted';

/** Reads a pasted text. Never throws. */
export function parsePaste(text: string): Pasted {
  if (text.length > MAX_PASTE) {
    const message = 'This text is too long: it has more than 1 MiB.';
    return { items: [], problems: [{ message, start: MAX_PASTE, end: text.length }] };
  }
  const lone = text.length <= MAX_HANDLE_TEXT ? parseHandle(text) : undefined;
  // Before an array anything may stand that looks like a declaration: another handle too.
  if (lone?.ok && !lone.form.endsWith('array')) return { items: [itemOfLone(text, lone)], problems: [] };
  const dumps = dumpsIn(text);
  const places = dumps.flatMap(({ items, problems }) => [...items, ...problems]);
  const items = dumps.flatMap((dump) => dump.items.map((found) => itemOf(found)));
  const problems = dumps.flatMap((dump) => dump.problems);
  walk({ text, tokens: tokensOf(text, 0, text.length, places) }, items, problems);
  if (items.length + problems.length === 0) {
    if (lone?.ok) items.push(itemOfLone(text, lone));
    else problems.push(nothingIn(text, lone));
  }
  const inOrder = (one: PasteProblem | PastedItem, other: PasteProblem | PastedItem) => one.start - other.start;
  return { items: items.sort(inOrder), problems: problems.sort(inOrder) };
}

function itemOfLone(text: string, reading: HandleReading & { readonly ok: true }): PastedItem {
  const { handle, form, prefix } = reading;
  const start = text.length - text.trimStart().length;
  const tool = reading.inPythonBytes && { tool: inPythonBytes(form) };
  return itemOf({ handle, form, start, end: text.trimEnd().length, ...tool, ...(prefix && { fromPyTorch: true }) });
}

/** `<__main__.Handle object at 0x7f…>`: any other object of Python that is printed without its bytes. */
const OBJECT = /<[\w.]+ object at 0x[0-9a-fA-F]+>/;
/** `UUID('d5b43767-…')` of a pool or a device, and nothing else. */
const UUID = /^\s*(?:UUID\(['"])?(?:GPU-|MIG-)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:['"]\))?\s*$/;

function nothingIn(text: string, lone: (HandleReading & { readonly ok: false }) | undefined): PasteProblem {
  const object = OBJECT.exec(text);
  if (object !== null) {
    const message = 'This is only where the object lies in its own process. Print its bytes instead: bytes(handle).';
    return { message, start: object.index, end: object.index + object[0].length };
  }
  const name = UUID.exec(text);
  if (name !== null) {
    const message = 'This is a UUID: it tells things apart, and opens none.';
    return { message, start: name.index, end: name.index + name[0].length };
  }
  const number = /^\s*(\d{1,7})\s*$/.exec(text)?.[1];
  if (number !== undefined) {
    const message =
      'This is one number. If it is that of a file descriptor, it says nothing without the process that has it.';
    const start = text.indexOf(number);
    return { message, start, end: start + number.length };
  }
  if (lone !== undefined && (lone.form !== undefined || text.trim() === '')) {
    return { message: lone.problem, start: lone.position, end: Math.min(lone.position + 1, text.length) };
  }
  const start = Math.max(0, text.search(/\S/));
  return { message: 'There is no handle in this text.', start, end: text.trimEnd().length };
}

/** Passes every token, and the inside of quoted texts that are no handle themselves. */
function walk(cut: Cut, items: PastedItem[], problems: PasteProblem[]): void {
  const { text, tokens } = cut;
  // Pairs up to here were looked at together already.
  let pairsTried = 0;
  let index = 0;
  while (index < tokens.length) {
    const token = tokens[index] as Token;
    let found: Found<PastedItem> | undefined = structureAt(cut, index);
    if (found === undefined && index >= pairsTried && isName(tokens, index)) {
      const pairs = pairsAt(cut, index);
      found = itemOfPairs(cut, pairs, bytesAt);
      pairsTried = Math.max(pairs.next, index + 1);
    }
    found ??= plain(bytesAt(cut, index));
    if (found !== undefined) {
      items.push(...found.items);
      problems.push(...found.problems);
      index = Math.max(found.next, index + 1);
      continue;
    }
    if (token.kind === 'string') {
      walk({ text, tokens: tokensOf(text, token.quote + 1, token.end - 1) }, items, problems);
    }
    index++;
  }
}

function structureAt(cut: Cut, index: number): Found<PastedItem> | undefined {
  const { tokens } = cut;
  const token = tokens[index] as Token;
  if (token.match <= index) return objectAt(cut, index);
  return token.text === '{' ? descriptorAt(cut, index) : tupleAt(cut, index, bytesAt);
}

/** `<…IpcHandle object at 0x7f…>`: what people print first, and it holds nothing. */
function objectAt({ tokens }: Cut, index: number): Found<PastedItem> | undefined {
  const token = tokens[index] as Token;
  const advice = Object.hasOwn(OBJECTS, token.text) ? OBJECTS[token.text] : undefined;
  if (advice === undefined || tokens[index + 1]?.text !== 'object' || tokens[index + 2]?.text !== 'at')
    return undefined;
  const end = (tokens[index + 3] ?? (tokens[index + 2] as Token)).end;
  const message = `This is only where the object lies in its own process. ${advice}`;
  return { next: index + 4, items: [], problems: [{ message, start: token.start, end }] };
}

const OBJECTS: Readonly<Record<string, string>> = {
  IpcHandle: 'Print handle.__reduce__() instead.',
  IpcArrayHandle: 'Print handle._ipc_handle.__reduce__() instead.',
  IPCBufferDescriptor: 'Print descriptor.__reduce__() instead.',
  IPCEventDescriptor: 'Print descriptor.__reduce__() instead.',
  DeviceMemoryResource:
    'It is a pool, which travels by a file descriptor. Print buffer.ipc_descriptor.__reduce__() for memory of it.',
  IPCAllocationHandle: 'It stands for a file descriptor, which cannot be pasted: send it over a Unix socket.',
};

const plain = (found: Found<FoundBytes> | undefined): Found<PastedItem> | undefined =>
  found && { ...found, items: found.items.map((bytes) => itemOf(bytes)) };

/** 64 bytes at a token, in whatever form. Undefined where nothing begins. */
function bytesAt(cut: Cut, index: number): Found<FoundBytes> | undefined {
  const token = cut.tokens[index];
  switch (token?.kind) {
    case 'bytes':
      return pythonBytesAt(cut, index);
    case 'string':
      return stringAt(cut, index);
    case 'escapes':
      return escapesAt(cut, index);
    case 'word':
      return wordAt(cut, index);
    case 'sign':
      return token.match > index ? arrayAt(cut, index) : undefined;
    default:
      return undefined;
  }
}
