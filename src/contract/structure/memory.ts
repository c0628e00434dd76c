/** The bytes of a memory that are known, as pieces, and a list of those that were asked for and are not. */

/** Bytes of the memory. `offset` counts from the place that the format is laid on. */
export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Missing bytes closer to each other than this are asked for together. */
const MISSING_GAP = 64;
const MAX_MISSING = 256;
/** Bytes that are put together out of several pieces, at most. */
const MAX_JOINED = 4096;

/** Reads out of the pieces, and remembers in `missing` what they lack. Offsets count as those of the pieces do. */
export class Memory {
  /** In the order they were asked for, joined where they follow each other. */
  readonly missing: { offset: number; bytes: number }[] = [];
  private readonly pieces: readonly Piece[];

  constructor(
    pieces: readonly Piece[],
    readonly end: number,
  ) {
    this.pieces = [...pieces].filter(({ bytes }) => bytes.length > 0).sort((a, b) => a.offset - b.offset);
  }

  /** How many bytes there are at least: what the pieces hold, or what the memory is said to hold. */
  get known(): number {
    return this.pieces.reduce((end, { offset, bytes }) => Math.max(end, offset + bytes.length), 0);
  }

  /** The bytes, or why there are none. */
  read(offset: number, length: number): Uint8Array | 'unread' | 'outside' {
    if (offset + length > this.end) return 'outside';
    for (const piece of this.pieces) {
      if (piece.offset > offset) break;
      if (offset + length <= piece.offset + piece.bytes.length) {
        return piece.bytes.subarray(offset - piece.offset, offset - piece.offset + length);
      }
    }
    return this.join(offset, length) ?? this.ask(offset, length);
  }

  /** Bytes that lie in several pieces. */
  private join(offset: number, length: number): Uint8Array | undefined {
    if (this.pieces.length < 2 || length > MAX_JOINED) return undefined;
    const joined = new Uint8Array(length);
    let at = offset;
    for (const piece of this.pieces) {
      if (piece.offset > at) return undefined;
      const part = piece.bytes.subarray(at - piece.offset, offset + length - piece.offset);
      joined.set(part, at - offset);
      at += part.length;
      if (at === offset + length) return joined;
    }
    return undefined;
  }

  private ask(offset: number, length: number): 'unread' {
    const last = this.missing.at(-1);
    if (last !== undefined && offset >= last.offset && offset <= last.offset + last.bytes + MISSING_GAP) {
      last.bytes = Math.max(last.bytes, offset + length - last.offset);
    } else if (this.missing.length < MAX_MISSING) this.missing.push({ offset, bytes: length });
    return 'unread';
  }
}
