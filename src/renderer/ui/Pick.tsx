import './Pick.css';
import { Select } from '@base-ui/react/select';
import type { ReactNode } from 'react';
import { cx } from './cx';
import { Icon } from './Icon';

export interface PickOption<V extends string | number> {
  readonly value: V;
  readonly label: string;
  /** Said at the right of the option, quieter. */
  readonly detail?: ReactNode;
}

export interface PickProps<V extends string | number> {
  /** Accessible name; with `look="quiet"` also the word before the value, unless `prefix` says another one. */
  readonly label: string;
  readonly prefix?: string;
  readonly value: V;
  readonly options: ReadonlyArray<PickOption<V>>;
  readonly onChange: (value: V) => void;
  /** `quiet` in tool bars (word and bold value), `box` in forms. */
  readonly look?: 'quiet' | 'box';
  readonly disabled?: boolean;
  readonly className?: string;
}

/** One of many, in a list that opens. */
export function Pick<V extends string | number>({
  label,
  prefix,
  value,
  options,
  onChange,
  look = 'quiet',
  disabled,
  className,
}: PickProps<V>) {
  const shown = options.find((option) => option.value === value)?.label ?? String(value);
  return (
    <Select.Root value={value} onValueChange={(next) => next !== null && onChange(next as V)} disabled={disabled}>
      <Select.Trigger
        className={cx(look === 'box' ? 'field pick-box' : 'pick', className)}
        aria-label={`${label}: ${shown}`}
      >
        {look === 'quiet' && <span className="pick-w">{prefix ?? label} </span>}
        <b className="cut">{shown}</b>
        <Icon name="down" size={12} />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="float-pos" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="float menu" aria-label={label}>
            <Select.List>
              {options.map((option) => (
                <Select.Item key={option.value} value={option.value} className="opt" label={option.label}>
                  <Select.ItemText className="grow">{option.label}</Select.ItemText>
                  {option.detail !== undefined && <span className="dim num">{option.detail}</span>}
                  <Select.ItemIndicator>
                    <Icon name="check" size={14} />
                  </Select.ItemIndicator>
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}
