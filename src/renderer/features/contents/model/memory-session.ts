/**
 * One memory being looked at: what is known of its bytes, where the cursor is, what is being followed. Views draw from
 * it and tell it what they show; it outlives them, so that coming back to a buffer finds everything as it was.
 */
import type { ByteOrder } from '#contract/decode-values';
import type { DtypeId } from '#contract/dtypes';
import type { IpcError } from '#contract/result';
import { at, type ByteCursor, type ByteSelection, selectionOf } from '../../../lib/bytes-cursor';
import { Edits } from './edits';
import { PlaceHistory } from './history';
import { LiveMemory, type MemorySource, type SessionCalls } from './live-memory';
import { Signal } from './signal';

export class MemorySession extends LiveMemory {
  /** The cursor or selection moved. */
  readonly onCursor = new Signal();
  /** Bytes were typed, written or discarded, or the edit mode changed. */
  readonly onEdits = new Signal();
  /** The byte under the pointer changed. */
  readonly onHover = new Signal();

  readonly edits = new Edits();
  readonly history = new PlaceHistory();

  cursor: ByteCursor = at(0);
  /** How the cursor came where it is: a jump is shown with what is around it, a step moves the view least. */
  moved: 'step' | 'jump' | 'pointer' = 'step';
  hover: number | undefined;
  /** The byte at the top of the view; another view of the same memory begins there, too. */
  topOffset = 0;
  dtype: DtypeId;
  order: ByteOrder;
  editing = false;
  /** Where typing goes while editing. */
  side: 'hex' | 'text' = 'hex';
  /** The other process's memory may be written to from now on. */
  writesConfirmed: boolean;

  constructor(source: MemorySource, calls: SessionCalls) {
    super(source, calls);
    this.dtype = source.dtype ?? 'u8';
    this.order = source.data?.byteOrder ?? 'little';
    this.writesConfirmed = source.importedFrom === undefined;
  }

  get selection(): ByteSelection {
    return selectionOf(this.cursor, this.size);
  }

  /** Whether more was selected than what the cursor lies on. */
  get isStretched(): boolean {
    return this.cursor.cursor !== this.cursor.anchor;
  }

  override end(): void {
    if (this.ended) return;
    this.editing = false;
    super.end();
    this.onEdits.emit();
  }

  /** Puts the cursor on the next or previous run of changed bytes, round the ends. */
  goToChange(direction: 1 | -1): void {
    const next = this.changeAfter(this.cursor.cursor, direction);
    if (next !== undefined) this.goTo(next.offset);
  }

  // ---------------------------------------------------------------- cursor

  setCursor(cursor: ByteCursor, moved: 'step' | 'pointer' = 'step'): void {
    const before = this.cursor;
    if (cursor.cursor === before.cursor && cursor.anchor === before.anchor && cursor.unit === before.unit) return;
    this.cursor = cursor;
    this.moved = moved;
    this.onCursor.emit();
  }

  /** Jumps, and remembers where from. With a `length` it selects that many bytes from `offset` on. */
  goTo(offset: number, length = 1): void {
    this.history.leave(this.cursor.cursor, offset);
    this.jump(offset, length);
  }

  /** Goes somewhere without a way back: while the map is dragged, after `goTo` said from where. */
  scrub(offset: number): void {
    this.jump(offset);
  }

  goBack(): void {
    const to = this.history.goBack(this.cursor.cursor);
    if (to !== undefined) this.jump(to);
  }

  goForward(): void {
    const to = this.history.goForward(this.cursor.cursor);
    if (to !== undefined) this.jump(to);
  }

  setHover(offset: number | undefined): void {
    if (offset === this.hover) return;
    this.hover = offset;
    this.onHover.emit();
  }

  setDtype(dtype: DtypeId): void {
    this.dtype = dtype;
    this.onStatus.emit();
    this.onData.emit();
  }

  setOrder(order: ByteOrder): void {
    this.order = order;
    this.onStatus.emit();
    this.onData.emit();
  }

  // ---------------------------------------------------------------- writing

  setEditing(editing: boolean): void {
    if (this.ended || editing === this.editing) return;
    this.editing = editing;
    this.onEdits.emit();
  }

  setSide(side: 'hex' | 'text'): void {
    if (side === this.side) return;
    this.side = side;
    this.onEdits.emit();
  }

  /** Puts bytes at an offset, to be written later; what lies past the end is left away. */
  edit(offset: number, bytes: Uint8Array): void {
    this.edits.set(offset, bytes.subarray(0, Math.max(0, this.size - offset)));
    this.onEdits.emit();
  }

  undo(): void {
    this.afterUndo(this.edits.undo());
  }

  redo(): void {
    this.afterUndo(this.edits.redo());
  }

  discardEdits(): void {
    this.edits.discard();
    this.onEdits.emit();
  }

  /** Allows writing to memory that another process made, from now on. */
  confirmWrites(): void {
    this.writesConfirmed = true;
    this.onEdits.emit();
  }

  /** Writes all that waits. On a failure the rest goes on waiting, and the error says why. */
  async writeEdits(): Promise<IpcError | undefined> {
    for (const run of this.edits.runs()) {
      // What it replaces can be put back also where it was never in sight.
      const known = await this.bytesOf(run);
      const before = known.ok ? known.value : undefined;
      const result = await this.calls.write(this.source.id, run.offset, run.bytes);
      if (!result.ok) {
        this.onEdits.emit();
        return result.error;
      }
      this.edits.written(run, before);
    }
    this.onEdits.emit();
    this.step();
    return undefined;
  }

  // ---------------------------------------------------------------- inside

  private jump(offset: number, length = 1): void {
    const last = Math.min(this.size, offset + Math.max(1, length)) - 1;
    this.cursor = { cursor: offset, anchor: last };
    this.moved = 'jump';
    this.onCursor.emit();
    this.onStatus.emit();
  }

  private afterUndo(offset: number | undefined): void {
    if (offset === undefined) return;
    this.setCursor(at(offset));
    this.onEdits.emit();
  }
}
