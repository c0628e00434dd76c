import './FilterField.css';
import { type Ref, useRef } from 'react';
import { cx } from './cx';
import { Icon } from './Icon';
import { Kbd } from './Kbd';

export interface FilterPart {
  /** Where it begins in the value. */
  readonly at: number;
  readonly text: string;
  /** Not understood: underlined, with this reason as its explanation. */
  readonly problem?: string;
}

export interface FilterFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** `value` in parts, in order, without gaps. */
  readonly parts: readonly FilterPart[];
  readonly onChange: (value: string) => void;
  /** The key that leads here, shown while it is empty. */
  readonly keys?: string;
  readonly size?: 'small' | 'normal';
  readonly className?: string;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A filter that underlines what it does not understand. Esc clears it, then leaves it. */
export function FilterField({
  label,
  placeholder,
  value,
  parts,
  onChange,
  keys,
  size = 'normal',
  className,
  ref,
}: FilterFieldProps) {
  const mirror = useRef<HTMLDivElement>(null);
  const problems = parts.filter((part) => part.problem !== undefined);
  return (
    <label className={cx('field filter', size === 'small' && 'small', className)} title={problems[0]?.problem}>
      <Icon name="search" size={14} />
      <span className="filter-box">
        <input
          ref={ref}
          type="search"
          autoComplete="off"
          spellCheck={false}
          aria-label={label}
          aria-invalid={problems.length > 0 || undefined}
          placeholder={placeholder}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onScroll={(event) => {
            if (mirror.current !== null) mirror.current.scrollLeft = event.currentTarget.scrollLeft;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            if (value !== '') onChange('');
            else event.currentTarget.blur();
          }}
        />
        {/* The same text behind the input, only to carry the underlines. */}
        <div ref={mirror} className="filter-under" aria-hidden="true">
          {parts.map((part) => (
            <span key={part.at} className={cx(part.problem !== undefined && 'filter-bad')}>
              {part.text}
            </span>
          ))}
        </div>
      </span>
      {value === '' && keys !== undefined && <Kbd>{keys}</Kbd>}
    </label>
  );
}
