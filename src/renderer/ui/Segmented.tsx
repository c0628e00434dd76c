import './Segmented.css';
import { type ReactNode, useId } from 'react';
import { cx } from './cx';

export interface SegmentedProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: ReadonlyArray<{ readonly value: V; readonly label: ReactNode; readonly disabled?: boolean }>;
  readonly onChange: (value: V) => void;
  readonly size?: 'tiny' | 'small' | 'normal';
  readonly disabled?: boolean;
}

/** One of a few, all in sight: radio buttons under the hood, so one tab stop, and arrows move and choose. */
export function Segmented<V extends string>({
  label,
  value,
  options,
  onChange,
  size = 'small',
  disabled = false,
}: SegmentedProps<V>) {
  const name = useId();
  return (
    <span className={cx('seg', size)} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} className="seg-o">
          <input
            type="radio"
            className="sr"
            name={name}
            checked={option.value === value}
            disabled={disabled || option.disabled}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </span>
  );
}
