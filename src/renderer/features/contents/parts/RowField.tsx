/** How much stands in a row, where the usual numbers are not enough. */
import { useEffect, useRef, useState } from 'react';
import { Field } from '../../../ui/Field';
import { wholeBetween } from './NumberField';

export type RowChoice = 'auto' | number;

/** The numbers to choose from, in their order, with the one in use, which may be any. */
export function rowsWith(usual: readonly RowChoice[], now: RowChoice): readonly RowChoice[] {
  if (usual.includes(now)) return usual;
  const numbers = [...usual, now].filter((row) => row !== 'auto');
  return ['auto', ...numbers.sort((a, b) => a - b)];
}

export interface RowFieldProps {
  /** `Bytes in a row` */
  readonly label: string;
  readonly row: RowChoice;
  readonly most: number;
  readonly onTake: (row: number) => void;
  readonly onDone: () => void;
}

/** A number that the list does not have. Enter takes it, Escape leaves all as it was; then the grid has the focus. */
export function RowField({ label, row, most, onTake, onDone }: RowFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(row === 'auto' ? '' : String(row));
  const [error, setError] = useState<string>();
  useEffect(() => {
    // The list that asked for it gives the focus back to its button first.
    const frame = requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.select();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const done = () => {
    const grid = input.current?.closest('.contents')?.querySelector<HTMLElement>('[role="tabpanel"] [role="grid"]');
    onDone();
    grid?.focus();
  };
  const take = () => {
    const number = typed.trim() === '' ? Number.NaN : Number(typed);
    const problem = wholeBetween(1, most)(number);
    setError(problem);
    if (problem !== undefined) return;
    onTake(number);
    done();
  };
  return (
    <Field
      ref={input}
      className="row-field"
      label={label}
      hideLabel
      size="small"
      mono
      placeholder="Row"
      value={typed}
      error={error}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        setError(undefined);
      }}
      onBlur={(event) => event.relatedTarget !== null && onDone()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        else if (event.key === 'Escape') done();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
