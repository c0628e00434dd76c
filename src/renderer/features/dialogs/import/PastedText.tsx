import { type DragEvent, useId, useRef, useState } from 'react';
import { MAX_PASTE, type PastedItem } from '#contract/calls/handles';
import { GpuIpcError, type IpcError, toIpcError } from '#contract/result';
import { announce } from '../../../lib/announce';
import { request } from '../../../lib/api';
import { count } from '../../../lib/format';
import { useLedger } from '../../../lib/ledger-store';
import { useAnswer } from '../../../lib/use-answer';
import { Button } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { ErrorText } from '../../../ui/ErrorText';
import { ChoiceList } from './ChoiceList';
import { itemFacts } from './item-facts';
import { KnownList } from './KnownList';
import { Problems } from './Problems';
import { placeOf } from './place';
import { readFile } from './read-file';
import type { Parsed } from './use-parsed';

/** More than anybody reads; thousands of rows would keep the window waiting for seconds. */
const MOST_LISTED = 100;

export interface PastedTextProps {
  readonly text: string;
  readonly parsed: Parsed;
  /** Which of the items would be opened. */
  readonly item: PastedItem | undefined;
  readonly device: number;
  readonly selfId: string;
  readonly onChange: (text: string) => void;
  readonly onChoose: (index: number) => void;
}

/** A text from anywhere: typed, pasted, dropped, or of a file; and what is found in it. */
export function PastedText({ text, parsed, item, device, selfId, onChange, onChoose }: PastedTextProps) {
  const peers = useLedger((ledger) => ledger.peers);
  const layoutChecked = useLayoutChecked(item);
  const [dragging, setDragging] = useState(false);
  /** Why nothing came of a file or of the clipboard. */
  const [failed, setFailed] = useState<IpcError>();
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const bad = parsed.items.length === 0 && parsed.problems.length > 0;

  const change = (next: string) => {
    setFailed(undefined);
    onChange(next);
  };
  /** Undefined: nothing was chosen, and all stays as it is. */
  const take = (from: () => Promise<string | undefined>, done: string) => {
    from().then(
      (next) => {
        if (next === undefined) return;
        change(next);
        announce(done);
      },
      (thrown) => setFailed(toIpcError(thrown)),
    );
  };
  const openFile = async () => {
    const { path, text: read } = await request('handles.readFile', {});
    return path === null ? undefined : read;
  };
  const fromClipboard = async () => {
    const { text: copied } = await request('handles.fromClipboard', {});
    if (copied.trim() !== '') return copied;
    throw new GpuIpcError({ code: 'not-found', message: 'There is no text on the clipboard.' });
  };
  const dropped = async (file: File) => {
    const read = await readFile(file);
    if (read.ok) return read.text;
    const message = `${file.name} cannot be read. ${read.problem}`;
    throw new GpuIpcError({ code: 'invalid-argument', message, hint: read.hint });
  };
  const drop = (event: DragEvent) => {
    setDragging(false);
    const [file] = event.dataTransfer.files;
    // Dropped text goes in where it is dropped, by itself.
    if (file === undefined) return;
    event.preventDefault();
    take(() => dropped(file), `${file.name} is read`);
  };
  return (
    <div className="field-w">
      <div className="paste-h">
        <label className="field-l" htmlFor={id}>
          Handle
        </label>
        <span className="grow" />
        <Button size="small" onClick={() => take(fromClipboard, 'The text on the clipboard is pasted')}>
          Paste
        </Button>
        <Button size="small" onClick={() => take(openFile, 'The file is read')}>
          Open file…
        </Button>
      </div>
      <textarea
        ref={area}
        id={id}
        className={cx('field mono paste', bad && 'bad', dragging && 'drop')}
        rows={5}
        // One more than is read: megabytes pasted by mistake are said to be too long, and keep no window waiting.
        maxLength={MAX_PASTE + 1}
        spellCheck={false}
        autoComplete="off"
        placeholder="Anything with a handle in it: hex, base64, Python bytes, a C array, a PyTorch tuple, a log, a descriptor. Or drop a file here."
        value={text}
        aria-invalid={bad || undefined}
        aria-describedby={`${id}-s`}
        onChange={(event) => change(event.target.value)}
        onDragOver={() => setDragging(true)}
        onDragLeave={() => setDragging(false)}
        onDrop={drop}
      />
      {failed !== undefined && <ErrorText error={failed} />}
      <div id={`${id}-s`} className="pasted" aria-live="polite">
        {parsed.items.length > 1 && (
          <>
            <p className="note">
              {count(parsed.items.length, 'thing', 'things')} to open in this text
              {parsed.items.length > MOST_LISTED &&
                `. The first ${MOST_LISTED} are listed: leave out what stands before another to choose it`}
              :
            </p>
            <ChoiceList
              label="Found in the text"
              value={String(item === undefined ? -1 : parsed.items.indexOf(item))}
              onChange={(key) => onChoose(Number(key))}
              choices={parsed.items.slice(0, MOST_LISTED).map((each, index) => ({
                key: String(index),
                inside: <Found item={each} text={parsed.text} />,
              }))}
            />
          </>
        )}
        <Problems parsed={parsed} area={area} />
        {item !== undefined && <KnownList known={itemFacts(item, { peers, selfId, device, layoutChecked })} />}
      </div>
    </div>
  );
}

function Found({ item, text }: { item: PastedItem; text: string }) {
  const { line, column } = placeOf(text, item.start);
  return (
    <>
      <b className="cut">{item.source}</b>
      <span className="grow" />
      <span className="dim num">
        line {line}, column {column}
      </span>
    </>
  );
}

/** Whether the layout of handles holds here: asked with the handle itself, which goes no further than main. */
function useLayoutChecked(item: PastedItem | undefined): boolean {
  const handle = item?.handle ?? undefined;
  const key = handle === undefined ? undefined : handle.join();
  const anatomy = useAnswer(key, () => request('handles.anatomy', handle === undefined ? {} : { handle }));
  return anatomy.value?.checked === true;
}
