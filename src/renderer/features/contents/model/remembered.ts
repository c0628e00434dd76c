/** What views of the contents remember between runs: each a small object under a name of its own, checked when read. */
import * as v from 'valibot';
import { setSettings, useSettings, useSettingsStore } from '../../../lib/settings-store';

type Remembered = Readonly<Record<string, unknown>>;
/** An object all of whose entries have a default. */
type Schema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** What is kept under a name. Entries that do not fit their schema have their default; the others stay. */
export function readRemembered<S extends Schema>(kept: Remembered, name: string, schema: S): v.InferOutput<S> {
  const value = kept[name];
  const given: Remembered = typeof value === 'object' && value !== null ? (value as Remembered) : {};
  const read: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(schema.entries)) {
    const one = v.safeParse(entry, given[key]);
    read[key] = one.success ? one.output : v.parse(entry, undefined);
  }
  return read as v.InferOutput<S>;
}

/** Changes some of what is kept under a name. */
export function remember(name: string, change: Remembered): void {
  const { contents } = useSettingsStore.getState().settings;
  const before = contents[name];
  const kept = typeof before === 'object' && before !== null ? before : {};
  void setSettings({ contents: { ...contents, [name]: { ...kept, ...change } } });
}

const cache = new WeakMap<Schema, { readonly value: unknown; readonly read: unknown }>();

/** What is kept under a name, in a component. The same object as long as it says the same. */
export function useRemembered<S extends Schema>(name: string, schema: S): v.InferOutput<S> {
  return useSettings(({ contents }) => {
    const known = cache.get(schema);
    if (known !== undefined && known.value === contents[name]) return known.read as v.InferOutput<S>;
    const read = readRemembered(contents, name, schema);
    cache.set(schema, { value: contents[name], read });
    return read;
  });
}
