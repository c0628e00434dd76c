/**
 * The sum of the pieces of a checksum (docs/kernels.md), computed on the CPU in 32-bit words: with big integers it would
 * take some fifty times as long.
 */
const PIECE_BYTES = 16;
const TWO_32 = 2 ** 32;
/** What the key grows by from one piece to the next, and by what more each time that 2^32 pieces are done. */
const STEP = 0x9e3779b9;
const TURN = 0x632be5ab;

/** After so many bytes the keys come again, moved. One launch of a kernel knows one turn only. */
export const BYTES_OF_A_TURN = PIECE_BYTES * TWO_32;

export class PieceSum {
  private high = 0;
  private low = 0;
  /** The key of the piece before the next one. */
  private key: number;

  /** @param piece number of the first piece: a range's is 0; a test need not add up 64 GiB to see the next turn */
  constructor(private piece = 0) {
    this.key = (Math.imul(piece, STEP) + Math.imul(Math.floor(Math.max(0, piece - 1) / TWO_32), TURN)) >>> 0;
  }

  /** Sum of all pieces so far, below 2^64. */
  get value(): bigint {
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /** The next bytes; all but the last ones are a multiple of 16. */
  add(bytes: Uint8Array): void {
    const whole = bytes.byteLength - (bytes.byteLength % PIECE_BYTES);
    this.addPieces(new DataView(bytes.buffer, bytes.byteOffset, whole));
    if (whole === bytes.byteLength) return;
    const last = new Uint8Array(PIECE_BYTES);
    last.set(bytes.subarray(whole));
    this.addPieces(new DataView(last.buffer));
  }

  private addPieces(view: DataView): void {
    let { high, low, key, piece } = this;
    for (let at = 0; at < view.byteLength; at += PIECE_BYTES) {
      key = (key + STEP + (piece > 0 && piece % TWO_32 === 0 ? TURN : 0)) >>> 0;
      piece++;
      const a = (view.getUint32(at, true) + key) >>> 0;
      const b = (view.getUint32(at + 4, true) + key + 0x7f4a7c15) >>> 0;
      const c = (view.getUint32(at + 8, true) + key + 0x85ebca6b) >>> 0;
      const d = (view.getUint32(at + 12, true) + key + 0xc2b2ae35) >>> 0;
      low += (Math.imul(a, b) >>> 0) + (Math.imul(c, d) >>> 0);
      high += upperHalf(a, b) + upperHalf(c, d);
      if (low >= TWO_32) {
        high += Math.floor(low / TWO_32);
        low %= TWO_32;
      }
      if (high >= TWO_32) high %= TWO_32;
    }
    Object.assign(this, { high, low, key, piece });
  }
}

/** Bits 32 to 63 of the product of two 32-bit words. */
function upperHalf(x: number, y: number): number {
  const x0 = x & 0xffff;
  const x1 = x >>> 16;
  const y0 = y & 0xffff;
  const y1 = y >>> 16;
  const middle = x1 * y0 + ((x0 * y0) >>> 16);
  const other = (middle & 0xffff) + x0 * y1;
  return x1 * y1 + (middle >>> 16) + (other >>> 16);
}
