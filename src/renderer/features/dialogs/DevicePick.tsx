import { useApp } from '../../lib/app-store';
import { Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';

/** Which GPU. */
export function DevicePick({ value, onChange }: { value: number; onChange: (ordinal: number) => void }) {
  const devices = useApp((store) => store.devices);
  return (
    <Labelled label="Device">
      {() => (
        <Pick
          look="box"
          label="Device"
          value={value}
          options={devices.map(({ ordinal, name }) => ({ value: ordinal, label: `GPU ${ordinal}`, detail: name }))}
          onChange={onChange}
        />
      )}
    </Labelled>
  );
}
