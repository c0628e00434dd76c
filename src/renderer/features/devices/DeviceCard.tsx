import type { Device } from '#contract/devices';
import { formatSize } from '#contract/units';
import { groupsOf } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { select } from '../../lib/selection-store';
import { sharedBytes } from '../../lib/totals';
import { cx } from '../../ui/cx';
import { Icon } from '../../ui/Icon';
import { Tooltip } from '../../ui/Tooltip';
import { wayIcon, ways, wayWord } from './ways';

/** Whole units are enough for a capacity: `140 GiB`, `8 GiB`. */
export const formatCapacity = (bytes: number): string => formatSize(bytes).replace(/\.0+ /, ' ');

/** A device: its name, how full it is and with what, and how it can be shared. A click shows its facts in Details. */
export function DeviceCard({ device, selected, tabStop }: { device: Device; selected: boolean; tabStop: boolean }) {
  const shared = useLedger((ledger) => sharedBytes(groupsOf(ledger).list, device.ordinal));
  const used = device.freeBytes === null ? undefined : device.totalBytes - device.freeBytes;
  // Memory of ended processes that is still mapped counts as shared before the driver's own number follows.
  const other = used === undefined ? undefined : Math.max(0, used - shared);
  const name = `GPU ${device.ordinal}`;
  const percent = (bytes: number) => `${Math.min(100, (bytes / device.totalBytes) * 100)}%`;
  return (
    <li className={cx('device', selected && 'on')}>
      <button
        type="button"
        className="device-hit"
        data-rail-item
        tabIndex={tabStop ? 0 : -1}
        aria-current={selected || undefined}
        aria-label={`${name}, ${device.name}`}
        title={`${name} · ${device.name}`}
        onClick={() => select({ kind: 'device', ordinal: device.ordinal })}
      />
      <div className="device-t">
        <Icon name="gpu" />
        <b>{name}</b>
        <span className="soft cut">{device.name}</span>
        <span className="grow" />
        <span className="dim num device-c">{formatCapacity(device.totalBytes)}</span>
      </div>
      <p className="device-s num cut">
        {device.pciBusId} · compute {device.computeCapability}
      </p>
      <div className="mem">
        <div
          className="mem-bar"
          role="meter"
          aria-label={`Memory of ${name}`}
          aria-valuemin={0}
          aria-valuemax={device.totalBytes}
          aria-valuenow={Math.min(used ?? shared, device.totalBytes)}
          aria-valuetext={`${formatSize(shared)} shared, ${other === undefined ? 'the rest unknown' : `${formatSize(other)} other`}, of ${formatSize(device.totalBytes)}`}
        >
          <span className="a" style={{ width: percent(shared) }} />
          <span className="b" style={{ width: percent(other ?? 0) }} />
        </div>
        <div className="mem-t num">
          <span>{formatSize(shared)} shared</span>
          <span className="dim">{other === undefined ? 'other unknown' : `${formatSize(other)} other`}</span>
        </div>
      </div>
      <ul className="ways" aria-label={`What ${name} can share`}>
        {ways.map(({ id, short }) => {
          const { supported, why } = device.sharing[id];
          return (
            <Tooltip key={id} text={why}>
              <li className={cx('way', supported !== true && 'no')}>
                <Icon name={wayIcon(supported)} size={12} />
                {short}
                <span className="sr">
                  : {wayWord(supported)}. {why}
                </span>
              </li>
            </Tooltip>
          );
        })}
      </ul>
    </li>
  );
}
