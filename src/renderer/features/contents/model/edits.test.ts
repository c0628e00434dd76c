import { describe, expect, it } from 'vitest';
import { Edits } from './edits';

describe('bytes that wait to be written', () => {
  it('are runs without gaps, in order', () => {
    const edits = new Edits();
    edits.set(10, Uint8Array.of(1));
    edits.set(4, Uint8Array.of(7, 8));
    edits.set(11, Uint8Array.of(2));
    expect(edits.runs()).toEqual([
      { offset: 4, length: 2, bytes: Uint8Array.of(7, 8) },
      { offset: 10, length: 2, bytes: Uint8Array.of(1, 2) },
    ]);
    expect(edits.count).toBe(4);
  });

  it('undo and redo go back and forth, and answer where', () => {
    const edits = new Edits();
    edits.set(0, Uint8Array.of(1));
    edits.set(0, Uint8Array.of(2));
    expect(edits.undo()).toBe(0);
    expect(edits.at(0)).toBe(1);
    expect(edits.undo()).toBe(0);
    expect(edits.at(0)).toBeUndefined();
    expect(edits.undo()).toBeUndefined();
    edits.redo();
    edits.redo();
    expect(edits.at(0)).toBe(2);
    edits.undo();
    edits.set(5, Uint8Array.of(9));
    expect(edits.canRedo).toBe(false);
  });

  it('undo after writing brings back what was there, to be written again', () => {
    const edits = new Edits();
    edits.set(4, Uint8Array.of(7, 8));
    edits.set(20, Uint8Array.of(1));
    const [first] = edits.runs();
    if (!first) throw new Error('a run was expected');
    edits.written(first, Uint8Array.of(0, 5));
    expect(edits.count).toBe(1);
    expect(edits.undo()).toBe(4);
    expect([edits.at(4), edits.at(5), edits.at(20)]).toEqual([0, 5, 1]);
    edits.redo();
    expect([edits.at(4), edits.at(20)]).toEqual([undefined, 1]);
    edits.undo();
    edits.undo();
    expect(edits.at(20)).toBeUndefined();
  });

  it('a byte typed anew while its run is written waits on', () => {
    const edits = new Edits();
    edits.set(4, Uint8Array.of(7, 8));
    const [run] = edits.runs();
    if (!run) throw new Error('a run was expected');
    edits.set(5, Uint8Array.of(9));
    edits.written(run, Uint8Array.of(0, 5));
    expect([edits.at(4), edits.at(5)]).toEqual([undefined, 9]);
    edits.undo();
    expect([edits.at(4), edits.at(5)]).toEqual([0, 9]);
  });

  it('discard leaves nothing behind', () => {
    const edits = new Edits();
    edits.set(4, Uint8Array.of(7, 8));
    edits.discard();
    expect([edits.count, edits.canUndo, edits.runs()]).toEqual([0, false, []]);
  });
});
