/**
 * One small JSON file that survives crashes and people's editors: written whole to a neighbour and renamed, checked
 * against its schema when read; a file that does not fit is put aside as `.broken` and the defaults take its place.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';

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
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch {
      return v.parse(this.schema, {});
    }
    try {
      return v.parse(this.schema, JSON.parse(text));
    } catch {
      try {
        renameSync(this.path, `${this.path}.broken`);
      } catch {
        // Not ours to move; the next write replaces it.
      }
      return v.parse(this.schema, {});
    }
  }
}
