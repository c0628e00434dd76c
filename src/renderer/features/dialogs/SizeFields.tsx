import type { ReactNode, Ref } from 'react';
import { Field, Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { type SizeAnswer, type SizeUnit, sizeUnits } from './size-form';

export interface SizeFieldsProps {
  readonly label?: string;
  readonly amount: string;
  readonly unit: SizeUnit;
  readonly size: SizeAnswer;
  /** Empty is said to be wrong. */
  readonly tried: boolean;
  /** Under the field, as long as the size is right. */
  readonly note?: ReactNode;
  readonly placeholder?: string;
  readonly first?: Ref<HTMLInputElement>;
  readonly onChange: (change: { readonly amount?: string; readonly unit?: SizeUnit }) => void;
}

/** A size as a number and its unit, side by side. */
export function SizeFields({
  label = 'Size',
  amount,
  unit,
  size,
  tried,
  note,
  placeholder,
  first,
  onChange,
}: SizeFieldsProps) {
  return (
    <>
      <Field
        ref={first}
        label={label}
        placeholder={placeholder}
        value={amount}
        error={tried || amount.trim() !== '' ? ('problem' in size ? size.problem : undefined) : undefined}
        note={'problem' in size ? undefined : note}
        onChange={(event) => onChange({ amount: event.target.value })}
      />
      <Labelled label="Unit">
        {() => (
          <Pick
            look="box"
            label="Unit"
            value={unit}
            options={sizeUnits.map((value) => ({ value, label: value }))}
            onChange={(value) => onChange({ unit: value })}
          />
        )}
      </Labelled>
    </>
  );
}
