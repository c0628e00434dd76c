import './Field.css';
import type { ComponentProps, ReactNode, Ref } from 'react';
import { useId } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './Icon';

export interface FieldProps extends Omit<ComponentProps<'input'>, 'size' | 'prefix'> {
  /** Accessible name; shown above the box unless `hideLabel`. */
  readonly label: string;
  readonly hideLabel?: boolean;
  readonly icon?: IconName;
  readonly size?: 'small' | 'normal';
  readonly mono?: boolean;
  /** What stands at the right end inside the box: a key, a unit. */
  readonly end?: ReactNode;
  /** A sentence under the box when the value is wrong. */
  readonly error?: string;
  /** A sentence under the box when it is not. */
  readonly note?: ReactNode;
  readonly boxClassName?: string;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A one-line input with its name, an error where it happened, and a sign before or a unit after it. */
export function Field({
  label,
  hideLabel = false,
  icon,
  size = 'normal',
  mono = false,
  end,
  error,
  note,
  boxClassName,
  className,
  ref,
  ...rest
}: FieldProps) {
  const id = useId();
  const saying = error ?? note;
  return (
    <div className={cx('field-w', className)}>
      {!hideLabel && (
        <label className="field-l" htmlFor={id}>
          {label}
        </label>
      )}
      <label
        className={cx('field', size === 'small' && 'small', error !== undefined && 'bad', boxClassName)}
        htmlFor={id}
      >
        {icon !== undefined && <Icon name={icon} size={14} />}
        <input
          autoComplete="off"
          spellCheck={false}
          {...rest}
          ref={ref}
          id={id}
          className={cx(mono && 'mono')}
          aria-label={hideLabel ? label : undefined}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={saying !== undefined ? `${id}-s` : undefined}
        />
        {end}
      </label>
      {saying !== undefined && (
        <p id={`${id}-s`} className={cx('field-s', error !== undefined && 'error')}>
          {saying}
        </p>
      )}
    </div>
  );
}

/** A name above any control that is not a text input; `children` gets the id to be labelled by. */
export function Labelled({
  label,
  children,
  note,
  error,
}: {
  label: string;
  note?: ReactNode;
  error?: string;
  children: (labelId: string) => ReactNode;
}) {
  const id = useId();
  const saying = error ?? note;
  return (
    <div className="field-w">
      <span className="field-l" id={id}>
        {label}
      </span>
      {children(id)}
      {saying !== undefined && <p className={cx('field-s', error !== undefined && 'error')}>{saying}</p>}
    </div>
  );
}
