import './take-away.css';
import { useEffect, useRef } from 'react';
import { formatSize } from '#contract/units';
import { Button, IconButton } from '../../../ui/Button';
import { ErrorText } from '../../../ui/ErrorText';
import { useSignal } from '../model/use-signal';
import type { ToolProps } from '../tools';
import { asking } from './ask';
import { LoadDialog } from './LoadDialog';
import { SaveDialog } from './SaveDialog';
import { transferOf } from './transfer';

/** What was copied goes away by itself after this long. */
const SAID_MS = 8000;

/** How far saving or loading is, and what came of it; and the dialogs that ask before. */
export function TakeAwayBar({ session, focusView }: ToolProps) {
  const asked = useSignal(asking.onChange, () => asking.of(session));
  const close = () => asking.set(session, undefined);
  return (
    <>
      <State session={session} focusView={focusView} />
      {asked === 'save' && <SaveDialog session={session} onClose={close} />}
      {asked === 'load' && <LoadDialog session={session} onClose={close} />}
    </>
  );
}

function State({ session, focusView }: Pick<ToolProps, 'session' | 'focusView'>) {
  const transfer = transferOf(session);
  const state = useSignal(transfer.onChange, () => transfer.state);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state.kind !== 'said') return;
    const timer = setTimeout(() => transfer.close(), SAID_MS);
    return () => clearTimeout(timer);
  }, [state, transfer]);
  if (state.kind === 'none') return null;
  const dismiss = () => {
    if (bar.current?.contains(document.activeElement)) focusView();
    transfer.close();
  };
  return (
    <div ref={bar} className="take-away" role="group" aria-label="Copy, save, load">
      {state.kind === 'running' && (
        <>
          <span>{state.doing === 'Save' ? 'Saving…' : 'Loading…'}</span>
          {state.total !== undefined && (
            <>
              <progress max={state.total} value={state.done} aria-label={state.doing} />
              <span className="dim num">
                {formatSize(state.done)} of {formatSize(state.total)}
              </span>
            </>
          )}
          <span className="grow" />
          <Button size="small" look="line" onClick={() => transfer.cancel()}>
            Cancel
          </Button>
        </>
      )}
      {(state.kind === 'said' || state.kind === 'loaded') && <span className="selectable grow">{state.text}</span>}
      {state.kind === 'failed' && (
        <div className="grow">
          <ErrorText error={state.error} doing={state.doing} />
        </div>
      )}
      {state.kind === 'loaded' && state.before !== undefined && (
        <Button size="small" look="line" onClick={() => void transfer.undoLoad()}>
          Undo
        </Button>
      )}
      {state.kind !== 'running' && <IconButton icon="cross" iconSize={14} label="Dismiss" onClick={dismiss} />}
    </div>
  );
}
