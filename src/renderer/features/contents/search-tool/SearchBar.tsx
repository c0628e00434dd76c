import './search.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import * as v from 'valibot';
import { dtypeIds } from '#contract/dtypes';
import { formatBytes, formatCount } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { Button, IconButton } from '../../../ui/Button';
import { Field } from '../../../ui/Field';
import { Icon } from '../../../ui/Icon';
import { Pick } from '../../../ui/Pick';
import { Tooltip } from '../../../ui/Tooltip';
import type { MemorySession } from '../model/memory-session';
import { remember, useRemembered } from '../model/remembered';
import { useKept } from '../model/use-kept';
import { useSignal } from '../model/use-signal';
import { PlaceList } from '../parts/PlaceList';
import { Working } from '../parts/Working';
import type { ToolProps } from '../tools';
import { type Form, formExamples, formNames, forms, parseQuery } from './query';
import { type MemorySearch, searchOf } from './search';

const searchSettings = v.object({
  form: v.optional(v.picklist(forms), 'bytes'),
  listed: v.optional(v.boolean(), false),
});

const formOptions = forms.map((value) => ({ value, label: formNames[value] }));
const types = dtypeIds.map((value) => ({ value, label: value }));

/** Ctrl+F of whichever bar is on screen. */
let focusField: (() => void) | undefined;
export const focusSearch = (): void => focusField?.();

/** Find bytes, text or values in the whole memory. */
export function SearchBar({ session, focusView }: ToolProps) {
  const search = searchOf(session);
  const open = useSignal(search.onChange, () => search.isOpen);
  return open ? <OpenBar session={session} search={search} focusView={focusView} /> : null;
}

interface OpenProps {
  readonly session: MemorySession;
  readonly search: MemorySearch;
  readonly focusView: () => void;
}

function OpenBar({ session, search, focusView }: OpenProps) {
  const input = useRef<HTMLInputElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const { form, listed } = useRemembered('search', searchSettings);
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  const [texts, setTexts] = useKept<Partial<Record<Form, string>>>(session, 'search.texts', () => ({}));
  const [asked, setAsked] = useState(false);
  const text = texts[form] ?? '';
  const typed = form === 'value' || form === 'range' || form === 'nan' || form === 'inf';
  const written = form !== 'nan' && form !== 'inf';
  const read = parseQuery(form, text, dtype, order);
  const error = asked && !read.ok ? read : undefined;

  useEffect(() => {
    focusField = () => {
      const first = input.current ?? bar.current?.querySelector<HTMLElement>('button');
      first?.focus();
      input.current?.select();
    };
    focusField();
    return () => {
      focusField = undefined;
    };
  }, []);

  const look = (direction: 1 | -1) => {
    setAsked(true);
    if (read.ok) void search.look({ wanted: read.wanted, name: read.name }, direction);
    else input.current?.setSelectionRange(read.at, Math.max(read.end, read.at));
  };
  const close = () => {
    search.close();
    focusView();
  };
  return (
    <div
      ref={bar}
      className="search-bar"
      role="search"
      aria-label="Find in the contents"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <div className="search-row">
        <Icon name="search" size={14} tone="dim" />
        <Pick
          label="Find"
          value={form}
          options={formOptions}
          onChange={(next) => {
            remember('search', { form: next });
            setAsked(false);
          }}
        />
        {typed && (
          <Pick label="Type" prefix="as" value={dtype} options={types} onChange={(next) => session.setDtype(next)} />
        )}
        {written && (
          <Field
            ref={input}
            className="search-field"
            size="small"
            mono={form !== 'text'}
            label={`${formNames[form]} to find`}
            hideLabel
            placeholder={formExamples[form]}
            value={text}
            error={error && `${error.message}${where(error.at, text)}`}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setTexts((before) => ({ ...before, [form]: value }));
              if (value === '') setAsked(false);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              look(event.shiftKey ? -1 : 1);
            }}
          />
        )}
        {!written && error !== undefined && <span className="error">{error.message}</span>}
        <Tooltip text="Previous (Shift+Enter, Shift+F3)">
          <IconButton icon="up" label="Previous hit" disabled={session.ended} onClick={() => look(-1)} />
        </Tooltip>
        <Tooltip text="Next (Enter, F3)">
          <IconButton icon="down" label="Next hit" disabled={session.ended} onClick={() => look(1)} />
        </Tooltip>
        <Found session={session} search={search} />
        <span className="grow" />
        {typed && order === 'big' && (
          <span className="note">
            {form === 'range' || form === 'nan' ? 'Big-endian: read by the CPU, which takes longer.' : 'Big-endian.'}
          </span>
        )}
        <Button
          size="small"
          aria-pressed={listed}
          aria-expanded={listed}
          onClick={() => remember('search', { listed: !listed })}
        >
          List
        </Button>
        <IconButton icon="cross" iconSize={14} label="Close the search" onClick={close} />
      </div>
      {listed && <HitList session={session} search={search} focusView={focusView} />}
    </div>
  );
}

/** Where a text stops making sense, for those who do not see what is selected in it. */
const where = (at: number, text: string): string => (text === '' ? '' : ` Character ${at + 1}.`);

/** How many there are, so far, and which of them this is. */
function Found({ session, search }: { session: MemorySession; search: MemorySearch }) {
  const hits = useSignal(search.list.onChange, () => search.hits);
  useSignal(search.onChange, () => search.current);
  const error = useSignal(search.list.onChange, () => search.question && search.list.failureOf(search.question));
  const job = useSignal(search.list.onChange, () => search.list.running?.job);
  const at = useSignal(session.onCursor, () => session.selection.start);
  const which = useMemo(() => hits?.offsets.indexOf(at) ?? -1, [hits, at]);
  if (job !== undefined) {
    return (
      <Working job={job} onCancel={() => search.list.cancel()}>
        Searching…
      </Working>
    );
  }
  if (error !== undefined) {
    return (
      <span className="error cut" role="alert" title={error.message}>
        <Icon name="warn" size={12} /> {error.message}
      </span>
    );
  }
  if (hits === undefined) return search.current === undefined ? null : <span className="dim">Not counted</span>;
  const { length } = hits.offsets;
  if (length === 0) return <span className="soft">Nothing found in {formatBytes(session.size)}</span>;
  const all = hits.done ? formatCount(length) : `more than ${formatCount(length)}`;
  return (
    <span className="num search-count">
      {which >= 0 ? `${formatCount(which + 1)} of ${all}` : hits.done ? count(length, 'hit') : `${all} hits`}
    </span>
  );
}

/** Where the hits are; the cursor goes to the one that is selected. */
function HitList({ session, search, focusView }: OpenProps) {
  const hits = useSignal(search.list.onChange, () => search.hits);
  useSignal(search.onChange, () => search.current);
  const at = useSignal(session.onCursor, () => session.selection.start);
  const places = useMemo(
    () => (hits?.offsets ?? []).map((offset) => ({ key: offset, text: hexOffset(offset) })),
    [hits],
  );
  const selected = useMemo(() => hits?.offsets.indexOf(at) ?? -1, [hits, at]);
  if (places.length === 0) return null;
  const show = (index: number) => {
    const offset = hits?.offsets[index];
    if (offset !== undefined) session.goTo(offset, hits?.bytes ?? 1);
  };
  return (
    <div className="search-hits">
      <PlaceList
        label="Hits"
        places={places}
        selected={selected}
        onSelect={show}
        onOpen={(index) => {
          show(index);
          focusView();
        }}
      />
      {search.canListMore && (
        <Button size="small" look="line" onClick={() => search.more()}>
          List more
        </Button>
      )}
    </div>
  );
}
