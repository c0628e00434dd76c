/** What the bits of a value are exactly: for the value card. */
import { type ByteOrder, decodeValue } from '#contract/decode-values';
import { type DtypeId, dtypes, isFloat } from '#contract/dtypes';
import { exactDecimal, floatFields } from '#contract/float-bits';
import { HEX } from '../../../lib/bytes-format';

export interface ExactFact {
  readonly name: string;
  readonly text: string;
}

/** Digits of a decimal that are written out; the rest is counted. */
const MOST_DIGITS = 120;

/** The bits as a number and field by field, and of a float the decimal number that it is. `bytes`: one element. */
export function exactFacts(bytes: Uint8Array, dtype: DtypeId, order: ByteOrder): ExactFact[] {
  const { part } = dtypes[dtype];
  if (part !== null) {
    const half = bytes.length / 2;
    return [
      ...exactFacts(bytes.subarray(0, half), part, order).map((fact) => named(fact, 'real')),
      ...exactFacts(bytes.subarray(half), part, order).map((fact) => named(fact, 'imaginary')),
    ];
  }
  const inOrder = order === 'big' ? [...bytes] : [...bytes].reverse();
  const hex: ExactFact = { name: 'bits', text: `0x${inOrder.map((byte) => HEX[byte]).join('')}` };
  if (!isFloat(dtype)) {
    const binary = inOrder.map((byte) => byte.toString(2).padStart(8, '0')).join(' ');
    return [hex, { name: 'binary', text: binary }];
  }
  const fields = floatFields(bytes, 0, dtype, order);
  const power = fields.power === undefined ? '' : ` × 2^${fields.power}`;
  return [
    hex,
    { name: 'sign, exponent, fraction', text: fields.text },
    { name: 'kind', text: `${fields.kind}${power}` },
    { name: 'decimal', text: cut(exactDecimal(Number(decodeValue(bytes, 0, dtype, order)))) },
  ];
}

const named = ({ name, text }: ExactFact, of: string): ExactFact => ({ name: `${of}, ${name}`, text });

function cut(text: string): string {
  if (text.length <= MOST_DIGITS) return text;
  return `${text.slice(0, MOST_DIGITS)}… (${text.length - MOST_DIGITS} more digits)`;
}
