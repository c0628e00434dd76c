/** The format in use, which every memory shares, and where it is laid on this one. */
import { useMemo, useSyncExternalStore } from 'react';
import * as v from 'valibot';
import type { ByteOrder } from '#contract/decode-values';
import { parseFormat } from '#contract/structure/parse';
import { FORMAT_LIMITS } from '#contract/structure/types';
import type { MemorySession } from '../model/memory-session';
import { remember, useRemembered } from '../model/remembered';
import { Signal } from '../model/signal';
import { useKept } from '../model/use-kept';
import { neutralFormat } from './neutral-format';
import type { PathKey } from './rows';

const text = v.pipe(v.string(), v.maxLength(FORMAT_LIMITS.characters));
const schema = v.object({
  /** Undefined while nobody has written one. */
  text: v.optional(text),
  /** Formats that were kept under a name. */
  named: v.optional(v.record(v.string(), text), {}),
  editor: v.optional(v.boolean(), true),
  /** The values as a tree, or an array of them as a table. */
  look: v.optional(v.picklist(['tree', 'table']), 'tree'),
});

const NAME = 'structure';
/** Typing rests this long before the text is kept. */
const KEEP_MS = 400;

export const useFormats = () => useRemembered(NAME, schema);

/** The text in this window since it was changed here; before that, the one that was kept. */
let current: string | undefined;
const onText = new Signal();
let keeping: ReturnType<typeof setTimeout> | undefined;

/** Changes the text; it is kept for the next time when typing rests. */
export function setFormat(format: string): void {
  current = format;
  onText.emit();
  clearTimeout(keeping);
  keeping = setTimeout(() => remember(NAME, { text: format }), KEEP_MS);
}

/** The text as it is typed; before anybody has written one, what shows a memory in its own type. */
export function useFormatText({ source }: MemorySession): string {
  const kept = useFormats().text;
  return useSyncExternalStore(onText.subscribe, () => current) ?? kept ?? neutralFormat(source.dtype ?? 'u8');
}

/** What is wrong with a text, or that nothing is. */
export const useReading = (format: string) => useMemo(() => parseFormat(format), [format]);

export const setLook = (look: 'tree' | 'table'): void => remember(NAME, { look });

export const showEditor = (editor: boolean): void => remember(NAME, { editor });

export function keepFormat(named: Readonly<Record<string, string>>, name: string, format: string): void {
  remember(NAME, { named: { ...named, [name]: format } });
}

export function forgetFormat(named: Readonly<Record<string, string>>, name: string): void {
  const { [name]: _gone, ...others } = named;
  remember(NAME, { named: others });
}

export interface StructurePlace {
  /** Where the format is laid on; with the cursor when it is undefined. */
  readonly offset: number | undefined;
  readonly order: ByteOrder;
  readonly toggled: ReadonlyMap<PathKey, boolean>;
  /** First element of long arrays that were turned over. */
  readonly from: ReadonlyMap<PathKey, number>;
  readonly row: PathKey;
}

export const usePlace = (session: MemorySession) =>
  useKept<StructurePlace>(session, NAME, () => ({
    offset: 0,
    order: session.order,
    toggled: new Map(),
    from: new Map(),
    row: '',
  }));
