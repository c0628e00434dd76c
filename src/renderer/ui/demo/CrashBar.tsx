import { Button } from '../Button';

export interface CrashBarProps {
  /** Process id to be killed; `undefined` while there is none. */
  readonly pid: number | undefined;
  /** What becomes of what it shares: one sentence. */
  readonly consequence: string;
  readonly onCrash: () => void;
}

/**
 * Kills the window's process on purpose. It stands alone at the foot with its consequence beside it, and asks nothing:
 * crashing is its purpose.
 */
export function CrashBar({ pid, consequence, onCrash }: CrashBarProps) {
  return (
    <footer className="crash">
      <p className="num" id="crash-says">
        {pid === undefined ? (
          'No process is running.'
        ) : (
          <>
            Kills {pid} without cleaning up.
            <br />
            {consequence}
          </>
        )}
      </p>
      <Button
        look="danger"
        size="big"
        icon="bolt"
        disabled={pid === undefined}
        aria-describedby="crash-says"
        onClick={onCrash}
      >
        Crash this process
      </Button>
    </footer>
  );
}
