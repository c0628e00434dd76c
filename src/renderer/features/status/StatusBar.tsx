import './status.css';
import { useMemo } from 'react';
import type { Settings } from '#contract/settings';
import { formatRate, formatSize } from '#contract/units';
import { useApp } from '../../lib/app-store';
import { useByteRate } from '../../lib/bytes-rate-store';
import { type Command, useCommands } from '../../lib/commands';
import { openDialog } from '../../lib/dialogs';
import { count } from '../../lib/format';
import { groupsOf } from '../../lib/groups';
import type { Ledger } from '../../lib/ledger';
import { useLedger } from '../../lib/ledger-store';
import { select } from '../../lib/selection-store';
import { setSettings, useSettings } from '../../lib/settings-store';
import { totalsOf } from '../../lib/totals';
import { IconButton } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Icon } from '../../ui/Icon';
import { Menu } from '../../ui/Menu';
import { Tooltip } from '../../ui/Tooltip';

const themes: ReadonlyArray<readonly [Settings['theme'], string]> = [
  ['dark', 'Dark'],
  ['light', 'Light'],
  ['system', 'As the system'],
];
const densities: ReadonlyArray<readonly [Settings['density'], string]> = [
  ['compact', 'Compact'],
  ['default', 'Default'],
  ['roomy', 'Roomy'],
];

const commands: readonly Command[] = [
  ...themes.map(([theme, name]) => ({
    id: `theme.${theme}`,
    title: `Theme: ${name.toLowerCase()}`,
    group: 'View',
    icon: 'moon' as const,
    run: () => void setSettings({ theme }),
  })),
  ...densities.map(([density, name]) => ({
    id: `density.${density}`,
    title: `Density: ${name.toLowerCase()}`,
    group: 'View',
    icon: 'gear' as const,
    run: () => void setSettings({ density }),
  })),
];

/** File descriptors that processes of this app hold open for exports. */
const openDescriptors = ({ exports }: Ledger): number =>
  [...exports.values()].reduce(
    (sum, { state, descriptors = [] }) => sum + (state === 'live' ? descriptors.length : 0),
    0,
  );

/** What the numbers above stand on: which driver, and the totals, each piece of memory counted once. */
export function StatusBar() {
  const driver = useApp((store) => store.info?.driver);
  const devices = useApp((store) => store.devices);
  const groups = useLedger((ledger) => groupsOf(ledger).list);
  const totals = useMemo(() => totalsOf(groups), [groups]);
  const descriptors = useLedger(openDescriptors);
  const { hz, bytesPerSecond } = useByteRate();
  const theme = useSettings((settings) => settings.theme);
  const density = useSettings((settings) => settings.density);
  useCommands(commands);
  const simulated = driver?.kind === 'simulator';
  const library = driver?.path.split(/[\\/]/).at(-1) ?? '';
  const version = simulated ? library : [library.replace(/\.so.*$/, ''), driver?.release].filter(Boolean).join(' ');
  return (
    <section className="status" aria-label="Status" data-area="status">
      {driver !== undefined && (
        <Tooltip side="top" text={simulated ? (driver.reason ?? 'The GPU is simulated in software.') : driver.path}>
          <button
            type="button"
            className="it num"
            onClick={() => devices[0] && select({ kind: 'device', ordinal: devices[0].ordinal })}
          >
            {simulated ? (
              <Chip tone="simulated" icon="gpu">
                Simulated GPU
              </Chip>
            ) : (
              <Chip icon="check">Real GPU</Chip>
            )}
            {version}, CUDA {driver.version}
          </button>
        </Tooltip>
      )}
      <span className="it num">
        {count(totals.allocations, 'allocation')}
        {totals.physicals > 0 && `, ${totals.physicals} physical`}
        {totals.bytes > 0 && `, ${formatSize(totals.bytes)}`}
        {totals.allocations + totals.physicals > 1 && <span className="status-wide">, each counted once</span>}
      </span>
      <span className="it num">
        {count(totals.mappings, 'mapping')}
        {totals.physicalImports > 0 && `, ${count(totals.physicalImports, 'physical import')}`}
      </span>
      {descriptors > 0 && (
        <button type="button" className="it num" onClick={() => openDialog({ kind: 'descriptors' })}>
          <Icon name="fd" size={12} />
          {count(descriptors, 'descriptor')}
        </button>
      )}
      {totals.orphans > 0 && (
        <span className="it num gone">
          <Icon name="broken" size={12} />
          {totals.orphans} without exporter
          {totals.orphanBytes > 0 && `, ${formatSize(totals.orphanBytes)}`}
        </span>
      )}
      <span className="grow" />
      {hz !== undefined && (
        <span className="it num">
          {hz} Hz · {bytesPerSecond === 0 ? 'idle' : formatRate(bytesPerSecond)}
        </span>
      )}
      <span className="it status-b">
        <Menu
          label="Theme"
          trigger={<IconButton icon="moon" iconSize={14} label="Theme" />}
          items={themes.map(([value, label]) => ({
            label,
            checked: theme === value,
            onSelect: () => void setSettings({ theme: value }),
          }))}
        />
        <Menu
          label="Density"
          trigger={<IconButton icon="gear" iconSize={14} label="Density" />}
          items={densities.map(([value, label]) => ({
            label,
            checked: density === value,
            onSelect: () => void setSettings({ density: value }),
          }))}
        />
      </span>
    </section>
  );
}
