import { formatSize } from '#contract/units';
import { Button } from '../../../ui/Button';
import { Later } from '../../../ui/Later';
import { useProgress } from '../model/progress';
import { focusViewAround } from './focus-view';

/** Work that takes longer than a blink: what it is, how far it is, a way to end it. */
export function Working({ job, children, onCancel }: { job: string; children: string; onCancel: () => void }) {
  const progress = useProgress(job);
  return (
    <Later>
      <div className="working" role="status">
        <span>{children}</span>
        {progress !== undefined && (
          <>
            <progress max={progress.total} value={progress.done} aria-label={children} />
            <span className="dim num">
              {formatSize(progress.done)} of {formatSize(progress.total)}
            </span>
          </>
        )}
        <Button
          size="small"
          look="line"
          onClick={(event) => {
            // The button goes with the work.
            focusViewAround(event.currentTarget);
            onCancel();
          }}
        >
          Cancel
        </Button>
      </div>
    </Later>
  );
}
