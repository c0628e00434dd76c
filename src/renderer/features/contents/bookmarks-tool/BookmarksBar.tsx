import './bookmarks.css';
import { useEffect, useRef, useState } from 'react';
import { formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { Button, IconButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Kbd } from '../../../ui/Kbd';
import { Pick } from '../../../ui/Pick';
import { type Bookmark, type Bookmarks, bookmarkColors } from '../model/bookmarks';
import { bookmarksOf } from '../model/bookmarks-of';
import type { MemorySession } from '../model/memory-session';
import { useSignal } from '../model/use-signal';
import type { ToolProps } from '../tools';
import { addBookmark, isShown, onShowing, setShown, takeFresh } from './showing';

const colors = bookmarkColors.map((value) => ({ value, label: value }));

/** The bookmarks of the memory: where they are, what they are for. */
export function BookmarksBar({ session, focusView }: ToolProps) {
  const shown = useSignal(onShowing, isShown);
  return shown ? <List session={session} focusView={focusView} /> : null;
}

function List({ session, focusView }: { session: MemorySession; focusView: () => void }) {
  const bookmarks = bookmarksOf(session);
  const list = useSignal(bookmarks.onChange, () => bookmarks.list);
  const canUndo = useSignal(bookmarks.onChange, () => bookmarks.canUndo);
  const start = useSignal(session.onCursor, () => session.selection.start);
  const end = useSignal(session.onCursor, () => session.selection.end);
  const { label } = session.source;
  return (
    <section
      className="bookmarks"
      aria-label="Bookmarks"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        setShown(false);
        focusView();
      }}
    >
      <div className="bookmarks-h">
        <h3>{list.length === 0 ? 'No bookmarks' : count(list.length, 'bookmark')}</h3>
        {list.length === 0 && (
          <span className="dim cut">
            <Kbd>Ctrl B</Kbd> sets one at the cursor or the selection.{' '}
            {label === undefined || label === ''
              ? 'Memory without a label keeps them while the app runs.'
              : `They are kept for ${label} of ${formatSize(session.size)}.`}
          </span>
        )}
        <span className="grow" />
        <Button size="small" icon="plus" onClick={() => addBookmark(session)}>
          {end - start > 1 ? `Bookmark ${count(end - start, 'byte')}` : `Bookmark ${hexOffset(start)}`}
        </Button>
        <Button size="small" disabled={!canUndo} onClick={() => bookmarks.undo()}>
          Undo
        </Button>
        <IconButton icon="cross" iconSize={14} label="Close the bookmarks" onClick={() => setShown(false)} />
      </div>
      {list.length > 0 && (
        <ul>
          {list.map((mark) => (
            <Row
              key={`${mark.offset} ${mark.length}`}
              mark={mark}
              bookmarks={bookmarks}
              here={mark.offset === start && mark.length === end - start}
              onGo={() => {
                session.goTo(mark.offset, mark.length);
                focusView();
              }}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps {
  readonly mark: Bookmark;
  readonly bookmarks: Bookmarks;
  readonly here: boolean;
  readonly onGo: () => void;
}

function Row({ mark, bookmarks, here, onGo }: RowProps) {
  const [note, setNote] = useState(mark.note);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setNote(mark.note), [mark.note]);
  useEffect(() => {
    if (takeFresh(mark)) input.current?.focus();
  });
  const place = hexOffset(mark.offset);
  const keep = () => {
    if (note.trim() !== mark.note) bookmarks.edit(mark, { note: note.trim() });
  };
  return (
    <li className={cx('bookmark', here && 'on')}>
      <span className={`swatch mark-${mark.color}`} aria-hidden="true" />
      <button type="button" className="bookmark-go mono" title="Go there" onClick={onGo}>
        {place}
        {mark.length > 1 && <span className="dim">, {count(mark.length, 'byte')}</span>}
      </button>
      <input
        ref={input}
        className="bookmark-note"
        aria-label={`Note of ${place}`}
        placeholder="Note"
        maxLength={200}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          keep();
          onGo();
        }}
      />
      <Pick
        label={`Colour of ${place}`}
        prefix=""
        value={mark.color}
        options={colors}
        onChange={(color) => bookmarks.edit(mark, { color })}
      />
      <IconButton
        icon="cross"
        iconSize={14}
        label={`Remove the bookmark at ${place}`}
        onClick={() => bookmarks.remove(mark)}
      />
    </li>
  );
}
