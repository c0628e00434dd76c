import { type CSSProperties, useState } from 'react';
import { Field } from '../../../ui/Field';

export interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
  /** What is wrong with the number, when something is. */
  readonly check?: (value: number) => string | undefined;
  /** Width in characters. */
  readonly chars?: number;
  /** How far the arrow keys go; 0 leaves the keys alone. */
  readonly step?: number;
}

/** A number that is taken over as it is typed, while it is one. Arrow keys step it. */
export function NumberField({ label, value, onChange, check, chars = 7, step = 1 }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>();
  const problem = typed === undefined ? undefined : problemOf(typed, check);
  const take = (text: string) => {
    setTyped(text);
    if (problemOf(text, check) === undefined) onChange(Number(text));
  };
  return (
    <div style={{ '--field': `calc(${chars}ch + 18px)` } as CSSProperties}>
      <Field
        label={label}
        size="small"
        mono
        title={String(value)}
        // Indexes and lengths are whole; of others the size counts more than the last digits.
        value={typed ?? (step === 0 ? numberText(value, chars) : String(value))}
        error={problem}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => take(event.currentTarget.value)}
        onBlur={() => setTyped(undefined)}
        onKeyDown={(event) => {
          const by = { ArrowUp: step, ArrowDown: -step }[event.key] ?? 0;
          if (by !== 0) {
            event.preventDefault();
            take(String(value + by * (event.shiftKey ? 10 : 1)));
          } else if (event.key === 'Escape') setTyped(undefined);
        }}
      />
    </div>
  );
}

/** The number in this many characters, with fewer digits where it has more: one that is cut off is another number. */
export function numberText(value: number, chars: number): string {
  const text = String(value);
  if (text.length <= chars) return text;
  for (let digits = 15; digits > 1; digits--) {
    const plain = String(Number(value.toPrecision(digits)));
    if (plain.length <= chars) return plain;
    const short = value.toExponential(digits - 1).replace(/\.?0+e/, 'e');
    if (short.length <= chars) return short;
  }
  return text;
}

function problemOf(text: string, check: NumberFieldProps['check']): string | undefined {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) return `“${text}” is no number.`;
  return check?.(value);
}

/** For lengths and indexes. */
export const wholeBetween = (least: number, most: number) => (value: number) =>
  Number.isInteger(value) && value >= least && value <= most ? undefined : `A whole number from ${least} to ${most}.`;
