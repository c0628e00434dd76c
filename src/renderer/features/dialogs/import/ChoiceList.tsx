import { type ReactNode, useId } from 'react';
import { cx } from '../../../ui/cx';

export interface Choice {
  readonly key: string;
  readonly inside: ReactNode;
}

/** One of several things, one row each: radio buttons, so one tab stop, and arrows move and choose. */
export function ChoiceList({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly Choice[];
  value: string | undefined;
  onChange: (key: string) => void;
}) {
  const name = useId();
  return (
    <div className="exports" role="radiogroup" aria-label={label}>
      {choices.map(({ key, inside }) => (
        <label key={key} className={cx('export', value === key && 'on')}>
          <input type="radio" className="sr" name={name} checked={value === key} onChange={() => onChange(key)} />
          {inside}
        </label>
      ))}
    </div>
  );
}
