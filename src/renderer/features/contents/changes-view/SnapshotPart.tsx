import { useEffect, useRef, useState } from 'react';
import type { ContentSnapshot } from '#contract/calls/contents';
import { formatAge, formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { useNow } from '../../../lib/clock';
import { count } from '../../../lib/format';
import { Button, IconButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { ErrorText } from '../../../ui/ErrorText';
import { Field } from '../../../ui/Field';
import { Pick } from '../../../ui/Pick';
import { useSignal } from '../model/use-signal';
import { Working } from '../parts/Working';
import type { ViewProps } from '../views';
import { freshName, snapshots, type TakeQuestion, takerOf } from './snapshots';

/** The name of the next snapshot gets the keyboard. */
let focusName: (() => void) | undefined;
export const focusSnapshotName = (): void => focusName?.();

export interface SnapshotPartProps extends ViewProps {
  /** Compares a snapshot with the memory as it is now. */
  readonly onCompare: (id: string) => void;
}

/** Takes snapshots of the memory; lists all there are. */
export function SnapshotPart({ session, onCompare }: SnapshotPartProps) {
  const taken = useSignal(snapshots.onChange, () => snapshots.taken);
  const start = useSignal(session.onCursor, () => session.selection.start);
  const end = useSignal(session.onCursor, () => session.selection.end);
  const ended = useSignal(session.onStatus, () => session.ended);
  const taker = takerOf(session);
  const job = useSignal(taker.onChange, () => taker.running?.job);
  const [name, setName] = useState<string>();
  const [asked, setAsked] = useState<TakeQuestion>();
  const error = useSignal(taker.onChange, () => asked && taker.failureOf(asked));
  const [what, setWhat] = useState<'whole' | 'selection'>('whole');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void snapshots.refresh();
    focusName = () => {
      input.current?.focus();
      input.current?.select();
    };
    return () => {
      focusName = undefined;
    };
  }, []);

  const some = end - start > 1;
  const range = what === 'selection' && some ? { offset: start, length: end - start } : undefined;
  const bytes = range?.length ?? session.size;
  const shown = name ?? freshName(taken.list);
  const toFile = taken.memoryBytes + bytes > taken.memoryLimit;
  const take = async () => {
    const question = { id: session.source.id, name: shown.trim(), range };
    setAsked(question);
    if ((await taker.ask(question)) !== undefined) setName(undefined);
  };
  return (
    <section className="snapshots" aria-label="Snapshots">
      <div className="sec-h">
        <h3>Snapshots</h3>
        <span className="dim num">
          {formatSize(taken.memoryBytes)} of {formatSize(taken.memoryLimit)} in memory
        </span>
      </div>
      <form
        className="take"
        onSubmit={(event) => {
          event.preventDefault();
          if (!ended && shown.trim() !== '' && job === undefined) void take();
        }}
      >
        <Field
          ref={input}
          size="small"
          label="Name of the snapshot"
          hideLabel
          maxLength={80}
          value={shown}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Pick
          label="Snapshot of"
          prefix="of"
          value={range === undefined ? 'whole' : 'selection'}
          options={[
            { value: 'whole', label: 'whole buffer', detail: formatSize(session.size) },
            ...(some
              ? [{ value: 'selection', label: `selection at ${hexOffset(start)}`, detail: count(end - start, 'byte') }]
              : []),
          ]}
          onChange={(next) => setWhat(next === 'selection' ? 'selection' : 'whole')}
        />
        <Button
          type="submit"
          size="small"
          look="line"
          icon="camera"
          disabled={ended || shown.trim() === '' || job !== undefined}
        >
          {`Take ${formatSize(bytes)}`}
        </Button>
      </form>
      <p className="note">
        {ended
          ? 'The memory cannot be read any more: there is nothing to take.'
          : toFile
            ? `${formatSize(bytes)} are more than memory has room for: it goes to a file of this app.`
            : `Takes ${formatSize(bytes)} of memory until it is dropped.`}
      </p>
      {job !== undefined && (
        <Working job={job} onCancel={() => taker.cancel()}>
          Taking a snapshot…
        </Working>
      )}
      {error !== undefined && <ErrorText error={error} doing="Snapshot" />}
      {taken.list.length === 0 ? (
        <p className="dim none">
          {ended ? 'None was taken.' : 'None yet. A snapshot keeps the bytes as they are now, to compare them later.'}
        </p>
      ) : (
        <ul className="snapshot-list">
          {taken.list.toReversed().map((snapshot) => (
            <Row
              key={snapshot.id}
              snapshot={snapshot}
              here={snapshot.objectId === session.source.id}
              onCompare={() => onCompare(snapshot.id)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ snapshot, here, onCompare }: { snapshot: ContentSnapshot; here: boolean; onCompare: () => void }) {
  const now = useNow();
  const [asking, setAsking] = useState(false);
  const { name, label, offset, bytes, takenAt, where } = snapshot;
  const size = formatSize(bytes);
  if (asking) {
    return (
      <li
        className="snapshot"
        role="alertdialog"
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          setAsking(false);
        }}
        aria-label={`Drop ${name}?`}
      >
        <span className="grow">
          Drop <b>{name}</b>? Its {size} cannot be had back.
        </span>
        {/* A button of its own, not the one that stood here: only what is new takes the focus. */}
        <Button key="keep" size="small" look="line" autoFocus onClick={() => setAsking(false)}>
          Keep
        </Button>
        <Button size="small" look="danger" onClick={() => void snapshots.drop(snapshot)}>
          Drop
        </Button>
      </li>
    );
  }
  const age = formatAge(now - takenAt);
  return (
    <li className={cx('snapshot', here && 'here')}>
      <div className="grow">
        <b className="cut" title={name}>
          {name}
        </b>
        <p className="dim num cut">
          {here ? '' : `${label || 'memory'}, `}
          {size}
          {offset > 0 && ` from ${hexOffset(offset)}`}
          {where === 'file' && ', in a file'}, {age === 'now' ? 'just now' : `${age} ago`}
        </p>
      </div>
      <Button size="small" aria-label={`Compare ${name} with the memory now`} onClick={onCompare}>
        Compare
      </Button>
      <IconButton icon="cross" iconSize={14} label={`Drop ${name}`} onClick={() => setAsking(true)} />
    </li>
  );
}
