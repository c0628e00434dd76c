import type { ByteOrder } from '#contract/decode-values';
import { dtypeIds } from '#contract/dtypes';
import { setSettings, useSettings } from '../../../lib/settings-store';
import { Pick } from '../../../ui/Pick';
import { Segmented } from '../../../ui/Segmented';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';

const types = dtypeIds.map((value) => ({ value, label: value }));
const offsets = [
  { value: 'hex', label: 'hex' },
  { value: 'decimal', label: 'decimal' },
  { value: 'address', label: 'address' },
] as const;
const orders = [
  { value: 'little', label: 'LE' },
  { value: 'big', label: 'BE' },
] as const;

/** Type, byte order and how offsets are written. */
export function ValuesTools({ session }: ViewProps) {
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  const base = useSettings((settings) => settings.offsets);
  return (
    <>
      <Pick label="Type" value={dtype} options={types} onChange={(next) => session.setDtype(next)} />
      <Segmented<ByteOrder>
        label="Byte order of the values"
        size="tiny"
        value={order}
        options={orders}
        onChange={(next) => session.setOrder(next)}
      />
      <span className="wide-only">
        <Pick label="Offsets" value={base} options={offsets} onChange={(next) => void setSettings({ offsets: next })} />
      </span>
    </>
  );
}
