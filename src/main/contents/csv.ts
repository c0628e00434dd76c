/** Elements as lines of a CSV file, piece by piece. Pure. */
import { decodeValues, formatValue } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';

/** As text they are several times as large; more are for .npy. */
export const MOST_CSV_ELEMENTS = 5_000_000;

export class CsvLines {
  private index = 0;
  /** Values of a row that is not complete yet. */
  private row: string[] = [];

  /**
   * @param offset of the first byte in its memory
   * @param columns values in a row; without, one element per row with its index and offset, after a line that says so
   */
  constructor(
    private readonly dtype: DtypeId,
    private readonly offset: number,
    private readonly columns?: number,
  ) {}

  /** The next whole elements. */
  add(bytes: Uint8Array): string {
    const { columns, dtype } = this;
    const lines: string[] = [];
    if (columns === undefined && this.index === 0) lines.push('index,offset,value');
    for (const value of decodeValues(bytes, dtype)) {
      const text = formatValue(value, dtype);
      if (columns === undefined) lines.push(`${this.index},0x${this.place().toString(16)},${text}`);
      else {
        this.row.push(text);
        if (this.row.length === columns) {
          lines.push(this.row.join(','));
          this.row = [];
        }
      }
      this.index += 1;
    }
    return lines.map((line) => `${line}\n`).join('');
  }

  /** What is left of a row. */
  end(): string {
    return this.row.length === 0 ? '' : `${this.row.join(',')}\n`;
  }

  private place(): number {
    const { bytes, perUnit } = dtypes[this.dtype];
    return this.offset + Math.floor(this.index / perUnit) * bytes;
  }
}
