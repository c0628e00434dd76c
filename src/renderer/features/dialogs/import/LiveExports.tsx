import { formatSize } from '#contract/units';
import { Icon, type IconName } from '../../../ui/Icon';
import { ChoiceList } from './ChoiceList';
import { type LiveExport, wayOf } from './live-exports';

const icons: Readonly<Record<LiveExport['exported']['kind'], IconName>> = {
  memory: 'buffer',
  physical: 'physical',
  pool: 'pool',
  event: 'event',
};

/** What processes of this app export, by whichever mechanism. */
export function LiveExports({
  live,
  chosen,
  onChoose,
}: {
  live: readonly LiveExport[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  return (
    <ChoiceList
      label="Live exports"
      value={chosen}
      onChange={onChoose}
      choices={live.map(({ exported, label, bytes, owner }) => ({
        key: exported.id,
        inside: (
          <>
            <Icon name={icons[exported.kind]} />
            <b className="cut">{label}</b>
            {bytes !== undefined && <span className="dim num">{formatSize(bytes)}</span>}
            <span className="soft">{wayOf(exported)}</span>
            <span className="grow" />
            <span className="soft num">{owner}</span>
          </>
        ),
      }))}
    />
  );
}
