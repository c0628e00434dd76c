/**
 * Where to go, as people write it: an offset (`4096`, `0x1000`, `2 MiB`), arithmetic (`0x1000+4*128`), an element
 * (`[12]`), a place (`end`, `here`), a step from the cursor (`+16`, `-0x40`), or an address inside the memory.
 */
import { formatCount } from '#contract/units';
import { hexOffset } from './bytes-format';

export interface GotoContext {
  /** Bytes of the memory. */
  readonly size: number;
  /** Where the cursor is: `here`, and the start of `+…` and `-…`. */
  readonly cursor: number;
  /** Size of the element type in use, for `[n]`. */
  readonly elementBytes: number;
  /** Elements in these bytes, 1 unless given: of packed types two share a byte. */
  readonly elementsPerUnit?: number;
  /** Address of the first byte, `0x7f…`: an address inside the memory then works as well. */
  readonly address?: string;
}

export type GotoResult =
  | { readonly ok: true; readonly offset: number }
  /** `at` is the position in the text that the message is about. */
  | { readonly ok: false; readonly message: string; readonly at: number };

class Refused extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

const UNITS: Readonly<Record<string, bigint>> = {
  b: 1n,
  k: 1n << 10n,
  kib: 1n << 10n,
  m: 1n << 20n,
  mib: 1n << 20n,
  g: 1n << 30n,
  gib: 1n << 30n,
  t: 1n << 40n,
  tib: 1n << 40n,
};

const NUMBER = /0x[0-9a-f_]*|0b[01_]*|[0-9][0-9_,]*(?:\.[0-9]+)?/iy;
/** `1f0`: digits and letters that only hexadecimal has. `0x…` and `0b…` are not among them, nor is `12 B`. */
const BARE_HEX = /(?!0[xb])[0-9][0-9a-f_]*[a-f][0-9a-f_]*(?![a-z])/iy;
const WORD = /[a-z]+/iy;

/** Nothing anybody means is larger; keeps `9<<9999999` from eating the memory of the window. */
const LIMIT = 1n << 128n;

class Parser {
  private at = 0;
  constructor(
    private readonly text: string,
    private readonly context: GotoContext,
  ) {}

  /** The whole text as one number. */
  parse(): bigint {
    this.space();
    const sign = this.text[this.at];
    // A sign in front is a step from the cursor, not a negative offset: there is none.
    let value: bigint;
    if (sign === '+' || sign === '-') {
      value = this.sums(BigInt(this.context.cursor));
    } else {
      value = this.shifts();
    }
    this.space();
    if (this.at < this.text.length)
      throw new Refused(`“${this.text.slice(this.at, this.at + 12)}” is not understood here.`, this.at);
    return value;
  }

  private space(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  private take(token: string): boolean {
    this.space();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private checked(value: bigint, at: number): bigint {
    if (value > LIMIT || value < -LIMIT) throw new Refused('The number is too large.', at);
    return value;
  }

  private shifts(): bigint {
    let left = this.sums(this.products());
    for (;;) {
      const at = this.at;
      const up = this.take('<<');
      if (!up && !this.take('>>')) return left;
      const by = this.sums(this.products());
      if (by < 0n || by > 64n) throw new Refused('Shift by 0 to 64 bits.', at);
      left = this.checked(up ? left << by : left >> by, at);
    }
  }

  private sums(first: bigint): bigint {
    let left = first;
    for (;;) {
      const at = this.at;
      if (this.take('+')) left = this.checked(left + this.products(), at);
      else if (this.take('-')) left = this.checked(left - this.products(), at);
      else return left;
    }
  }

  private products(): bigint {
    let left = this.value();
    for (;;) {
      const at = this.at;
      if (this.take('*')) left = this.checked(left * this.value(), at);
      else if (this.take('/')) left /= this.divisor();
      else if (this.take('%')) left %= this.divisor();
      else return left;
    }
  }

  private divisor(): bigint {
    this.space();
    const at = this.at;
    const value = this.value();
    if (value === 0n) throw new Refused('Nothing can be divided by 0.', at);
    return value;
  }

  private value(): bigint {
    this.space();
    const at = this.at;
    if (this.take('(')) {
      const value = this.shifts();
      if (!this.take(')')) throw new Refused('A “)” is missing.', this.at);
      return value;
    }
    if (this.take('[')) {
      const index = this.shifts();
      if (!this.take(']')) throw new Refused('A “]” is missing.', this.at);
      return this.checked((index / BigInt(this.context.elementsPerUnit ?? 1)) * BigInt(this.context.elementBytes), at);
    }
    BARE_HEX.lastIndex = at;
    const bare = BARE_HEX.exec(this.text)?.[0];
    if (bare !== undefined) throw new Refused(`Write hexadecimal with 0x: 0x${bare}.`, at);
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(this.text)?.[0];
    if (number !== undefined) {
      this.at += number.length;
      return this.withUnit(number, at);
    }
    const word = this.word();
    if (word === 'end') return BigInt(this.context.size - 1);
    if (word === 'here') return BigInt(this.context.cursor);
    if (word !== undefined && /^[0-9a-f]+$/.test(word)) throw new Refused(`Write hexadecimal with 0x: 0x${word}.`, at);
    if (at >= this.text.length) throw new Refused('Something is missing at the end.', at);
    throw new Refused('Write an offset, like 0x1000+4*128, 2 MiB, [12] or end.', at);
  }

  private word(): string | undefined {
    WORD.lastIndex = this.at;
    const word = WORD.exec(this.text)?.[0];
    if (word === undefined) return undefined;
    this.at += word.length;
    return word.toLowerCase();
  }

  private withUnit(number: string, at: number): bigint {
    const plain = number.replace(/[_,]/g, '');
    this.space();
    const unitAt = this.at;
    const word = this.word();
    let factor: bigint | undefined;
    if (word !== undefined) {
      factor = UNITS[word];
      if (factor === undefined) {
        if (/^[kmgt]b$/.test(word))
          throw new Refused(`${word.toUpperCase()} could be 1000 or 1024: write ${word[0]?.toUpperCase()}iB.`, unitAt);
        throw new Refused(`“${word}” is not a unit: B, KiB, MiB, GiB or TiB.`, unitAt);
      }
    }
    const [whole = '0', fraction] = plain.split('.');
    if (/^0[xb]$/i.test(whole)) throw new Refused('Digits are missing.', at);
    if (whole.length > 40) throw new Refused('The number is too large.', at);
    const value = BigInt(whole) * (factor ?? 1n);
    if (fraction === undefined) return this.checked(value, at);
    if (factor === undefined) throw new Refused('An offset is a whole number of bytes.', at);
    const scale = 10n ** BigInt(fraction.length);
    const part = BigInt(fraction) * factor;
    if (fraction.length > 40) throw new Refused('The number is too long.', at);
    return this.checked(value + part / scale, at);
  }
}

/** The offset that `text` means. Never throws; what it does not understand it explains. */
export function parseGoto(text: string, context: GotoContext): GotoResult {
  try {
    if (text.trim() === '') throw new Refused('Write an offset, like 0x1000+4*128, 2 MiB, [12] or end.', 0);
    let value = new Parser(text, context).parse();
    const size = BigInt(context.size);
    const address = context.address === undefined ? undefined : BigInt(context.address);
    if (value >= size && address !== undefined && value >= address && value < address + size) value -= address;
    if (value < 0n) throw new Refused('That is before the first byte.', 0);
    if (value >= size) {
      const last = context.size - 1;
      throw new Refused(`The last byte is at ${formatCount(last)}${last > 9 ? ` (${hexOffset(last)})` : ''}.`, 0);
    }
    return { ok: true, offset: Number(value) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { ok: false, message: thrown.message, at: thrown.at };
    throw thrown;
  }
}
