/**
 * Reads a format text: types by name, their layout, and what of them is the root. One pass, so that a type must be
 * declared before it is used, as in C. Nothing throws; docs/structure-format.md describes the language, and the files
 * in parse/ read its parts.
 */
import { noAttributes } from './attributes';
import { readConstant, readTypedef, readUsing } from './parse/declarations';
import { readDirective } from './parse/directives';
import { readMember } from './parse/members';
import { readRoot } from './parse/roots';
import { type Draft, ParseState, type RootStatement, spanOf } from './parse/state';
import { structOf } from './parse/struct-type';
import { readTypeName } from './parse/type-names';
import { FORMAT_LIMITS, type Format, type Problem, type StructType } from './types';

export type FormatReading =
  | { readonly ok: true; readonly format: Format }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The format of a text, or what is wrong with it: in the order of the text, 20 problems at most. */
export function parseFormat(text: string): FormatReading {
  if (text.length > FORMAT_LIMITS.characters) {
    const message = `A format has at most ${FORMAT_LIMITS.characters.toLocaleString('en-US')} characters.`;
    return { ok: false, problems: [{ message, start: 0, end: 0, line: 1, column: 1 }] };
  }
  const state = new ParseState(text, readTypeName);
  const format = read(state);
  const problems = [...state.reader.problems].sort((a, b) => a.start - b.start);
  if (problems.length > 0 || format === undefined) return { ok: false, problems };
  return { ok: true, format };
}

function read(state: ParseState): Format | undefined {
  const { reader } = state;
  // Fields outside of structs, and those of them that a length may name.
  const drafts: Draft[] = [];
  const scope = new Set<string>();
  while (reader.peek().kind !== 'end' && !reader.full) {
    state.guarded(() => readStatement(state, drafts, scope));
    if (reader.is('}')) {
      reader.report({ message: 'There is nothing for this brace to close.', ...spanOf(reader.next()) });
    }
  }
  if (state.root !== undefined) return namedRoot(state, state.root, drafts);
  if (drafts.length > 0) return rootOfFields(state, drafts);
  if (state.lastStruct !== undefined) {
    return { root: state.lastStruct, rootName: state.lastStruct.name, rootOffset: 0, repeated: false };
  }
  if (reader.problems.length === 0) {
    reader.report({ message: 'Nothing is described: list fields, or declare a struct.', start: 0, end: 0 });
  }
  return undefined;
}

/** One declaration, the naming of the root, or a field outside of structs. */
function readStatement(state: ParseState, drafts: Draft[], scope: Set<string>): void {
  const { reader } = state;
  if (reader.take(';')) return;
  if (reader.peek().kind === 'directive') readDirective(state);
  else if (reader.take('typedef')) readTypedef(state);
  else if (reader.take('using')) readUsing(state);
  else if (reader.is('const') && reader.peek(1).kind === 'name' && reader.is('=', 2)) readConstant(state);
  else if (!readRoot(state)) readMember(state, drafts, scope, true);
}

function namedRoot({ reader }: ParseState, root: RootStatement, [first]: readonly Draft[]): Format {
  const { type, name, offset, repeated } = root;
  if (first !== undefined) {
    const message = `Fields outside of a struct are the root already: “${name}” cannot be it too.`;
    reader.report({ message, ...spanOf(first.token) });
  }
  if (repeated && type.size === 0) {
    reader.report({ message: `“${name}” takes no bytes: it cannot repeat.`, ...spanOf(reader.previous) });
  }
  return { root: type, rootName: name, rootOffset: offset, repeated };
}

function rootOfFields(state: ParseState, drafts: readonly Draft[]): Format | undefined {
  let root: StructType | undefined;
  state.guarded(() => {
    root = structOf('', drafts, false, noAttributes(), (drafts[0] as Draft).token);
  });
  return root && { root, rootName: '', rootOffset: 0, repeated: false };
}
