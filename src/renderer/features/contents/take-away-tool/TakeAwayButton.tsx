import { exportFormats } from '#contract/export-text';
import { IconButton } from '../../../ui/Button';
import { Menu } from '../../../ui/Menu';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import type { ToolProps } from '../tools';
import { asking } from './ask';
import { copyAs } from './commands';

/** Copy the selection in a format, save bytes, load a file. */
export function TakeAwayButton({ session }: ToolProps) {
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const ended = useSignal(session.onStatus, () => session.ended);
  const owner = session.source.importedFrom;
  return (
    <Tooltip text="Copy as, save, load">
      <span>
        <Menu
          label="Copy, save, load"
          trigger={<IconButton icon="save" label="Copy, save, load" />}
          items={[
            ...exportFormats.map(({ id, name, typed }) => ({
              label: `Copy as ${name}`,
              icon: 'copy' as const,
              detail: typed ? dtype : undefined,
              onSelect: () => void copyAs(session, id),
            })),
            'line',
            {
              label: 'Save to a file…',
              icon: 'save',
              keys: 'Ctrl S',
              disabled: ended,
              onSelect: () => asking.set(session, 'save'),
            },
            {
              label: 'Load a file…',
              icon: 'import',
              keys: 'Ctrl O',
              detail: owner === undefined ? undefined : `memory of ${owner}`,
              disabled: ended || owner !== undefined,
              onSelect: () => asking.set(session, 'load'),
            },
          ]}
        />
      </span>
    </Tooltip>
  );
}
