import type { DtypeId } from '#contract/dtypes';
import { type FillForm, type FillProblem, PATTERNS } from '../../lib/fill-form';
import { Field, Labelled } from '../../ui/Field';
import { Segmented } from '../../ui/Segmented';

export interface FillFieldsProps {
  readonly form: FillForm;
  readonly dtype: DtypeId;
  readonly problem: FillProblem | undefined;
  readonly onChange: (change: Partial<FillForm>) => void;
}

/** Which pattern, and what that pattern needs to know. */
export function FillFields({ form, dtype, problem, onChange }: FillFieldsProps) {
  const problemOf = (field: keyof FillForm) => (problem?.field === field ? problem.why : undefined);
  const number = (name: 'value' | 'start' | 'step' | 'seed', label: string, note?: string) => (
    <Field
      label={label}
      mono
      inputMode="decimal"
      value={form[name]}
      error={problemOf(name)}
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
            options={PATTERNS}
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
      {form.pattern === 'random' &&
        number('seed', 'Seed', 'The same seed gives the same bytes; without one they are new each time.')}
      {form.pattern === 'text' && (
        <Field
          label="Text"
          value={form.text}
          error={problemOf('text')}
          note="UTF-8 from the first byte, then zeros. {pid}, {n} and {time} are filled in."
          onChange={(event) => onChange({ text: event.target.value })}
        />
      )}
    </>
  );
}
