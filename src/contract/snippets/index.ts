/**
 * Code for the other side: a program in a language and library of one's choice that opens what a descriptor describes,
 * or one that makes and shares the same kind of memory. Pure: text in, text out. Which of it has been run, and where:
 * docs/snippets.md.
 */
import type { ShareDescriptor } from '#contract/descriptor';
import { driver } from './cpp/driver';
import { runtime } from './cpp/runtime';
import { ilgpu } from './csharp/ilgpu';
import { managedCuda } from './csharp/managedcuda';
import type { Library, SnippetLanguage, SnippetLibrary, SnippetSide } from './library';
import { type Mechanism, type Plan, planFor } from './plan';
import { ctypesLibrary } from './python/ctypes';
import { cudaCore } from './python/cuda-core';
import { cudaPython } from './python/cuda-python';
import { cupy } from './python/cupy';
import { numba } from './python/numba';
import { pytorch } from './python/pytorch';
import { maskHandle } from './text';

export type { SnippetLanguage, SnippetLibrary, SnippetSide } from './library';
export { maskHandle } from './text';

const libraries: readonly Library[] = [
  ctypesLibrary,
  cudaPython,
  cudaCore,
  cupy,
  numba,
  pytorch,
  driver,
  runtime,
  ilgpu,
  managedCuda,
];

export interface SnippetRequest {
  readonly descriptor: ShareDescriptor;
  /** `importer`: opens it. `exporter`: makes the like and prints its descriptor. */
  readonly side: SnippetSide;
  readonly language: SnippetLanguage;
  readonly library: SnippetLibrary;
  /** For showing: `••••` in place of each handle. */
  readonly masked?: boolean;
}

export type Snippet =
  | {
      readonly ok: true;
      readonly code: string;
      /** Sentences: what to know before running it. */
      readonly notes: readonly string[];
      /** What must be there to run it. */
      readonly requires: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/** The code, or a sentence that says why there is none. Never throws. */
export function snippet({ descriptor, side, language, library, masked = false }: SnippetRequest): Snippet {
  const found = libraries.find((each) => each.language === language && each.library === library);
  if (found === undefined) return { ok: false, why: `There is no library ${library} for ${language}.` };
  const why = found.cannot(descriptor.mechanism, side);
  if (why !== undefined) return { ok: false, why };
  const reading = planFor(descriptor);
  if (!reading.ok) return reading;
  const { code: written, requires, notes = [] } = found.write(reading.plan, side);
  const code = language === 'python' ? spaced(written) : written;
  return {
    ok: true,
    code: masked ? maskHandle(code) : code,
    notes: [...(side === 'importer' ? importerNotes(reading.plan) : exporterNotes(reading.plan)), ...notes],
    requires,
  };
}

/** Python has two empty lines before a definition. */
const spaced = (code: string): string => code.replace(/([^\n])\n\n(?=(?:def|class) )/g, '$1\n\n\n');

export interface SnippetChoice {
  readonly language: SnippetLanguage;
  readonly library: SnippetLibrary;
  /** As its makers write it: `CuPy`. */
  readonly name: string;
  /** A sentence: why it cannot do this mechanism. Left out where it can. */
  readonly why?: string;
}

/** All libraries, in the order in which to offer them. */
export const snippetLibraries = (mechanism: Mechanism, side: SnippetSide): readonly SnippetChoice[] =>
  libraries.map(({ language, library, name, cannot }) => {
    const why = cannot(mechanism, side);
    return { language, library, name, ...(why === undefined ? {} : { why }) };
  });

function importerNotes({ mechanism, exporterPid, notes }: Plan): string[] {
  const own = `It has to be another process than ${exporterPid}: the driver opens nothing in the process that exported it.`;
  const descriptor = `Taking the file descriptor out of process ${exporterPid} needs Linux 5.6, the same user, the right to ptrace (root, or Yama permitting), and its pid namespace.`;
  switch (mechanism) {
    case 'legacy':
      return [own, 'Each opening of the handle counts, and is closed once.', ...notes];
    case 'pool':
      return [
        own,
        descriptor,
        'A process imports the memory once: with some drivers, freeing a second import breaks the first.',
        'It is freed here before the exporter frees it.',
        ...notes,
      ];
    case 'virtual':
      return [descriptor, 'What is mapped here stays alive when the exporter has released it, or ended.', ...notes];
    case 'fabric':
      return ['Both machines, or processes, need access to the same IMEX channel.', ...notes];
    default:
      return [own, 'An event that was never recorded is ready.', ...notes];
  }
}

function exporterNotes({ mechanism }: Plan): string[] {
  const pipe = 'It ends with Enter: end it when the importers have let go.';
  return mechanism === 'pool' || mechanism === 'virtual'
    ? [pipe, 'The file descriptor must stay open until the importers have theirs.']
    : [pipe];
}
