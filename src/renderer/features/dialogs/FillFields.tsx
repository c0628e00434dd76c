import type { DtypeId } from '#contract/dtypes';
import type { Fill } from '#contract/values';
import { Field, Labelled } from '../../ui/Field';
import { Segmented } from '../../ui/Segmented';
import type { FillForm } from './fill-form';

const patterns: ReadonlyArray<{ readonly value: Fill['pattern']; readonly label: string }> = [
  { value: 'zero', label: 'Zero' },
  { value: 'constant', label: 'Constant' },
  { value: 'ramp', label: 'Ramp' },
  { value: 'random', label: 'Random' },
  { value: 'text', label: 'Text' },
];

export interface FillFieldsProps {
  readonly form: FillForm;
  readonly dtype: DtypeId;
  readonly problems: Partial<Record<keyof FillForm, string>>;
  readonly onChange: (change: Partial<FillForm>) => void;
}

/** Which pattern, and what that pattern needs to know. */
export function FillFields({ form, dtype, problems, onChange }: FillFieldsProps) {
  const number = (name: 'value' | 'start' | 'step' | 'seed', label: string, note?: string) => (
    <Field
      label={label}
      mono
      inputMode="decimal"
      value={form[name]}
      error={problems[name]}
      note={note}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
  return (
    <>
      <Labelled label="Pattern">
        {() => (
          <Segmented
            label="Pattern"
            size="normal"
            value={form.pattern}
            options={patterns}
            onChange={(pattern) => onChange({ pattern })}
          />
        )}
      </Labelled>
      {form.pattern === 'constant' && number('value', 'Value', `One ${dtype}, repeated.`)}
      {form.pattern === 'ramp' && (
        <div className="dlg-row">
          {number('start', 'Start')}
          {number('step', 'Step', `Each ${dtype} is this much more than the one before.`)}
        </div>
      )}
      {form.pattern === 'random' && number('seed', 'Seed', 'The same seed gives the same bytes.')}
      {form.pattern === 'text' && (
        <Field
          label="Text"
          value={form.text}
          error={problems.text}
          note="UTF-8 from the first byte, then zeros. {pid}, {n} and {time} are filled in."
          onChange={(event) => onChange({ text: event.target.value })}
        />
      )}
    </>
  );
}
