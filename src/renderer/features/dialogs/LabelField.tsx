import { Field } from '../../ui/Field';

/** The name of something new. */
export function LabelField({ value, onChange }: { value: string; onChange: (label: string) => void }) {
  return (
    <Field
      label="Label"
      placeholder="named by itself if left empty"
      maxLength={80}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** As the calls want it: left out when empty. */
export const labelOf = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());
