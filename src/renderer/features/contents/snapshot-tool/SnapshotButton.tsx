import { useCommandStore } from '../../../lib/commands';
import { IconButton } from '../../../ui/Button';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import type { ToolProps } from '../tools';

/** The way to a snapshot from the bytes. */
export function SnapshotButton({ session }: ToolProps) {
  const ended = useSignal(session.onStatus, () => session.ended);
  return (
    <Tooltip text="Take a snapshot (S)">
      <IconButton
        icon="camera"
        label="Take a snapshot"
        disabled={ended}
        onClick={() =>
          useCommandStore
            .getState()
            .commands.find(({ id }) => id === 'contents.snapshot')
            ?.run()
        }
      />
    </Tooltip>
  );
}
