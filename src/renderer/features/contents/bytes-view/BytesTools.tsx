import { useState } from 'react';
import { type DtypeId, dtypeIds } from '#contract/dtypes';
import { MOST_ROW_BYTES } from '#contract/settings';
import { setSettings, useSettings } from '../../../lib/settings-store';
import { IconButton } from '../../../ui/Button';
import { Menu, type MenuItems } from '../../../ui/Menu';
import { Pick } from '../../../ui/Pick';
import { useSignal } from '../model/use-signal';
import { type RowChoice, RowField, rowsWith } from '../parts/RowField';
import type { ViewProps } from '../views';
import { GROUP_CHOICES, ROW_CHOICES } from './row-width';

const groups = GROUP_CHOICES.map((value) => ({ value, label: String(value) }));
const offsets = [
  { value: 'hex', label: 'hex' },
  { value: 'decimal', label: 'decimal' },
  { value: 'address', label: 'address' },
] as const;
const types = dtypeIds.map((value) => ({ value, label: value }));

/** Group, row, offsets and type: as lists where there is room, in one menu where there is not. */
export function BytesTools({ session }: ViewProps) {
  const group = useSettings((settings) => settings.byteGroup);
  const row = useSettings((settings) => settings.byteRow);
  const base = useSettings((settings) => settings.offsets);
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const [asking, setAsking] = useState(false);
  const rows = rowsWith(ROW_CHOICES, row);
  const setRow = (next: RowChoice | 'other') => {
    if (next === 'other') setAsking(true);
    else void setSettings({ byteRow: next });
  };
  const setType = (next: DtypeId) => session.setDtype(next);
  const items: MenuItems = [
    ...groups.map(({ value, label }) => ({
      label: `Groups of ${label}`,
      detail: value === group ? 'now' : undefined,
      onSelect: () => void setSettings({ byteGroup: value }),
    })),
    'line',
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
      <span className="wide-only">
        <Pick label="Group" value={group} options={groups} onChange={(byteGroup) => void setSettings({ byteGroup })} />
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
      {asking && (
        <RowField
          label="Bytes in a row"
          row={row}
          most={MOST_ROW_BYTES}
          onTake={(byteRow) => void setSettings({ byteRow })}
          onDone={() => setAsking(false)}
        />
      )}
      <Pick label="Type" value={dtype} options={types} onChange={setType} />
      <span className="narrow-only">
        <Menu
          label="How bytes are shown"
          trigger={<IconButton icon="more" label="How bytes are shown" />}
          items={items}
          align="start"
        />
      </span>
    </>
  );
}
