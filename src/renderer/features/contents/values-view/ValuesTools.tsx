import { useState } from 'react';
import type { ByteOrder } from '#contract/decode-values';
import { dtypeIds } from '#contract/dtypes';
import { setSettings, useSettings } from '../../../lib/settings-store';
import { Button, IconButton } from '../../../ui/Button';
import { Menu, type MenuItems } from '../../../ui/Menu';
import { Pick } from '../../../ui/Pick';
import { Segmented } from '../../../ui/Segmented';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import { type RowChoice, RowField, rowsWith } from '../parts/RowField';
import type { ViewProps } from '../views';
import { MOST_ROW_VALUES, ROW_CHOICES, setValues, useValuesSettings } from './settings';

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

/** Type, byte order and bits; row and offsets as lists where there is room, in one menu where there is not. */
export function ValuesTools({ session }: ViewProps) {
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  const base = useSettings((settings) => settings.offsets);
  const { row, bits } = useValuesSettings();
  const [asking, setAsking] = useState(false);
  const rows = rowsWith(ROW_CHOICES, row);
  const setRow = (next: RowChoice | 'other') => {
    if (next === 'other') setAsking(true);
    else setValues({ row: next });
  };
  const items: MenuItems = [
    ...rows.map((value) => ({
      label: value === 'auto' ? 'Rows that fit' : `Rows of ${value}`,
      detail: value === row ? 'now' : undefined,
      onSelect: () => setRow(value),
    })),
    { label: 'Rows of another number…', onSelect: () => setRow('other') },
    'line',
    ...offsets.map(({ value, label }) => ({
      label: value === 'address' ? 'Addresses' : `Offsets in ${label}`,
      detail: value === base ? 'now' : undefined,
      onSelect: () => void setSettings({ offsets: value }),
    })),
  ];
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
      <Tooltip text="The exact bits beside each value, in hexadecimal">
        <Button size="small" aria-pressed={bits} onClick={() => setValues({ bits: !bits })}>
          Bits
        </Button>
      </Tooltip>
      {asking && (
        <RowField
          label="Values in a row"
          row={row}
          most={MOST_ROW_VALUES}
          onTake={(next) => setValues({ row: next })}
          onDone={() => setAsking(false)}
        />
      )}
      <span className="wide-only">
        {!asking && (
          <Pick<RowChoice | 'other'>
            label="Row"
            value={row}
            options={[...rows.map((value) => ({ value, label: String(value) })), { value: 'other', label: 'other…' }]}
            onChange={setRow}
          />
        )}
        <Pick label="Offsets" value={base} options={offsets} onChange={(next) => void setSettings({ offsets: next })} />
      </span>
      <span className="narrow-only">
        <Menu
          label="How values are shown"
          trigger={<IconButton icon="more" label="How values are shown" />}
          items={items}
          align="start"
        />
      </span>
    </>
  );
}
