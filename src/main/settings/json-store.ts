/**
 * One small JSON file that survives crashes and people's editors: written whole to a neighbour and renamed, checked
 * against its schema when read. What does not fit is put aside as `.broken`; the fields of it that fit are kept, and the
 * defaults take the place of the others.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';

/** Larger files are not this app's: what windows may set is at most 256 KiB. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Changes within this time are written once. */
const WRITE_DELAY_MS = 300;

export class JsonStore<S extends v.GenericSchema> {
  private current: v.InferOutput<S>;
  private timer: NodeJS.Timeout | undefined;

  /** @param schema  must accept `{}`: what it makes of it are the defaults */
  constructor(
    private readonly path: string,
    private readonly schema: S,
  ) {
    this.current = this.read();
  }

  get value(): v.InferOutput<S> {
    return this.current;
  }

  /** Takes the new value and writes it a little later. */
  set(value: v.InferOutput<S>): void {
    this.current = value;
    this.timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS);
  }

  /** Writes what waits to be written. A disk that refuses costs the remembering, nothing else. */
  flush(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const next = `${this.path}.new`;
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      writeFileSync(next, `${JSON.stringify(this.current, null, 2)}\n`, { mode: 0o600 });
      renameSync(next, this.path);
    } catch (error) {
      console.error(`${this.path} could not be written:`, error);
    }
  }

  private read(): v.InferOutput<S> {
    let read: unknown;
    try {
      const stat = statSync(this.path);
      // A pipe would keep the app from ever starting.
      if (!stat.isFile() || stat.size > MOST_BYTES) throw new Error('not a file of this app');
      read = JSON.parse(readFileSync(this.path, 'utf8'));
      return v.parse(this.schema, read);
    } catch (error) {
      if (!isMissing(error)) this.putAside();
      return v.parse(this.schema, this.fitting(read));
    }
  }

  private putAside(): void {
    try {
      renameSync(this.path, `${this.path}.broken`);
    } catch {
      // Not ours to move; the next write replaces it.
    }
  }

  /** The fields that the schema takes by themselves. */
  private fitting(read: unknown): Record<string, unknown> {
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return {};
    return Object.fromEntries(Object.entries(read).filter((field) => v.is(this.schema, Object.fromEntries([field]))));
  }
}

/** Nothing there, as at the first start; or a folder in its way that is no folder, which no write can mend. */
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
