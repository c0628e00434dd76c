import { type DtypeId, dtypeIds } from '#contract/dtypes';
import { setSettings, useSettings } from '../../../lib/settings-store';
import { IconButton } from '../../../ui/Button';
import { Menu, type MenuItems } from '../../../ui/Menu';
import { Pick } from '../../../ui/Pick';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { GROUP_CHOICES, ROW_CHOICES } from './row-width';

const groups = GROUP_CHOICES.map((value) => ({ value, label: String(value) }));
const rows = ROW_CHOICES.map((value) => ({ value, label: String(value) }));
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
  const setType = (next: DtypeId) => session.setDtype(next);
  const items: MenuItems = [
    ...groups.map(({ value, label }) => ({
      label: `Groups of ${label}`,
      detail: value === group ? 'now' : undefined,
      onSelect: () => void setSettings({ byteGroup: value }),
    })),
    'line',
    ...rows.map(({ value, label }) => ({
      label: value === 'auto' ? 'Rows that fit' : `Rows of ${label}`,
      detail: value === row ? 'now' : undefined,
      onSelect: () => void setSettings({ byteRow: value }),
    })),
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
        <Pick label="Row" value={row} options={rows} onChange={(byteRow) => void setSettings({ byteRow })} />
        <Pick label="Offsets" value={base} options={offsets} onChange={(next) => void setSettings({ offsets: next })} />
      </span>
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
