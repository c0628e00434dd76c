import { useEffect, useState } from 'react';
import type { IpcError } from '#contract/result';
import { announce } from '../../../lib/announce';
import { count } from '../../../lib/format';
import { Button } from '../../../ui/Button';
import { ErrorText } from '../../../ui/ErrorText';
import { Kbd } from '../../../ui/Kbd';
import { Segmented } from '../../../ui/Segmented';
import { Tooltip } from '../../../ui/Tooltip';
import type { MemorySession } from '../model/memory-session';
import { useOpenView } from '../model/open-view';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { ValueField } from './ValueField';

/** Ctrl+Enter of whichever bar is on screen. */
let beginWrite: (() => void) | undefined;
export const writeTyped = (): void => beginWrite?.();

/** The edit mode: what waits to be written, and writing it. Other people's memory asks once more. */
export function EditBar({ session, focusGrid }: ViewProps & { focusGrid: () => void }) {
  const editing = useSignal(session.onEdits, () => session.editing);
  const waiting = useSignal(session.onEdits, () => session.edits.count);
  const canUndo = useSignal(session.onEdits, () => session.edits.canUndo);
  const side = useSignal(session.onEdits, () => session.side);
  const ended = useSignal(session.onEdits, () => session.ended);
  const inBytes = useOpenView() === 'bytes';
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<IpcError>();
  const write = async () => {
    setAsking(false);
    const written = session.edits.count;
    const failure = await session.writeEdits();
    setError(failure);
    if (failure === undefined) announce(`${count(written, 'byte')} written`);
    focusGrid();
  };
  const ask = () => (session.writesConfirmed ? void write() : setAsking(true));
  const keep = () => {
    setAsking(false);
    focusGrid();
  };
  useEffect(() => {
    beginWrite = ask;
    return () => {
      beginWrite = undefined;
    };
  });

  if (!editing && waiting === 0) return null;
  const owner = session.source.importedFrom;
  if (ended) {
    return (
      <div className="edit-bar" role="group" aria-label="Edit">
        <b>{count(waiting, 'byte')} not written</b>
        <span>The memory cannot be written to any more.</span>
        <span className="grow" />
        <Button size="small" onClick={() => discard(session, setError, focusGrid)}>
          Discard
        </Button>
      </div>
    );
  }
  if (asking) {
    return (
      <div
        className="edit-bar"
        role="alertdialog"
        aria-label={`Write into the memory of ${owner}?`}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          keep();
        }}
      >
        <span>
          <b>Write into the memory of {owner}?</b> Every process that has it mapped sees {count(waiting, 'new byte')} at
          once.
        </span>
        <span className="grow" />
        <Button size="small" look="line" autoFocus onClick={keep}>
          Keep as it is
        </Button>
        <Button
          size="small"
          look="danger"
          onClick={() => {
            session.confirmWrites();
            void write();
          }}
        >
          Write into {owner}
        </Button>
      </div>
    );
  }
  return (
    <div className="edit-bar" role="group" aria-label="Edit">
      {error !== undefined && <ErrorText error={error} doing="Write" />}
      <b>{waiting === 0 ? 'Editing' : `${count(waiting, 'byte')} to write`}</b>
      {editing && inBytes && (
        <Segmented<'hex' | 'text'>
          label="Typing goes to"
          size="tiny"
          value={side}
          options={[
            { value: 'hex', label: 'Hex' },
            { value: 'text', label: 'Text' },
          ]}
          onChange={(next) => session.setSide(next)}
        />
      )}
      {editing && <ValueField session={session} onDone={focusGrid} />}
      {editing && (
        <span className="dim edit-keys">
          {inBytes && (
            <>
              <Kbd>Tab</Kbd> changes side,{' '}
            </>
          )}
          <Kbd>Esc</Kbd> ends
        </span>
      )}
      <span className="grow" />
      <Button size="small" disabled={!canUndo} onClick={() => session.undo()}>
        Undo
      </Button>
      <Button size="small" disabled={waiting === 0} onClick={() => discard(session, setError, focusGrid)}>
        Discard
      </Button>
      <Tooltip text="Write what was typed (Ctrl+Enter)">
        <Button size="small" look="primary" disabled={waiting === 0} onClick={ask}>
          Write
        </Button>
      </Tooltip>
    </div>
  );
}

function discard(session: MemorySession, setError: (error: undefined) => void, focusGrid: () => void): void {
  session.discardEdits();
  setError(undefined);
  focusGrid();
}
