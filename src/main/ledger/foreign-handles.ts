/**
 * Handles that no process of this app is known to have exported, by the imports that were opened from them. Each gets an
 * id that says nothing of its bytes, so that windows see which imports are the same memory and count it once.
 */
import type { Export } from '#contract/records';
import { keyOf } from './handle-index';

interface Foreign {
  readonly id: string;
  readonly imports: Set<string>;
}

export class ForeignHandles {
  private readonly byBytes = new Map<string, Foreign>();
  private readonly keyOfImport = new Map<string, string>();
  private count = 0;

  /** Takes an import and answers the id of its handle, the same for all imports of the same bytes. */
  add(importId: string, kind: Export['kind'], handle: Uint8Array): string {
    const key = keyOf(kind, handle);
    let foreign = this.byBytes.get(key);
    if (foreign === undefined) {
      this.count += 1;
      foreign = { id: `h${this.count}`, imports: new Set() };
      this.byBytes.set(key, foreign);
    }
    foreign.imports.add(importId);
    this.keyOfImport.set(importId, key);
    return foreign.id;
  }

  /** Imports that were opened from these bytes. */
  importsOf(kind: Export['kind'], handle: Uint8Array): readonly string[] {
    return [...(this.byBytes.get(keyOf(kind, handle))?.imports ?? [])];
  }

  /** The import has left, or its export is known now. A handle goes with the last of its imports. */
  delete(importId: string): void {
    const key = this.keyOfImport.get(importId);
    if (key === undefined) return;
    this.keyOfImport.delete(importId);
    const foreign = this.byBytes.get(key);
    if (foreign?.imports.delete(importId) && foreign.imports.size === 0) this.byBytes.delete(key);
  }
}
