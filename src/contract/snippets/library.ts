/** What a library has to say to be offered. */
import type { Mechanism, Plan } from './plan';

export type SnippetLanguage = 'python' | 'cpp' | 'csharp';
export type SnippetSide = 'importer' | 'exporter';
export type SnippetLibrary =
  | 'ctypes'
  | 'cuda-python'
  | 'cuda-core'
  | 'cupy'
  | 'numba'
  | 'pytorch'
  | 'driver'
  | 'runtime'
  | 'ilgpu'
  | 'managedcuda';

/** Code, and what it needs to run. */
export interface Written {
  readonly code: string;
  readonly requires: readonly string[];
  readonly notes?: readonly string[];
}

export interface Library {
  readonly language: SnippetLanguage;
  readonly library: SnippetLibrary;
  /** As its makers write it. */
  readonly name: string;
  /** A sentence that says why it cannot do that; undefined where it can. */
  readonly cannot: (mechanism: Mechanism, side: SnippetSide) => string | undefined;
  /** The code; only asked for what it can. */
  readonly write: (plan: Plan, side: SnippetSide) => Written;
}

export const never = (): undefined => undefined;
