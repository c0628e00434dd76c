import '../parts/strip.css';
import './structure.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatCount } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { cx } from '../../../ui/cx';
import { EmptyState } from '../../../ui/EmptyState';
import { Field } from '../../../ui/Field';
import { Segmented } from '../../../ui/Segmented';
import { parseOffset } from '../tensor-view/choice';
import type { ViewProps } from '../views';
import { EditorSplitters, useEditorSize } from './EditorSplitters';
import { ElementTable } from './ElementTable';
import { tableArray } from './elements';
import { FormatEditor } from './FormatEditor';
import { missingParts, type PathKey, rowsOf } from './rows';
import { StructureTable } from './StructureTable';
import { type TableWish, useDecoded } from './use-decoded';
import { setFormat, setLook, useFormats, useFormatText, usePlace, useReading } from './use-structure';

/** Nodes that are asked for by themselves with each answer, at most. */
const MOST_PARTS = 16;
/** Bytes that the session follows for this view, at most. */
const SEEN_BYTES = 4096;

/** A format laid over the memory: its text, and the named values that come of it. */
export function StructureView({ session }: ViewProps) {
  const text = useFormatText(session);
  const { editor, look } = useFormats();
  const reading = useReading(text);
  const [place, setPlace] = usePlace(session);
  const offset = place.offset ?? 0;
  /** Parts that the last answer did not hold. */
  const [wanted, setWanted] = useState<readonly PathKey[]>([]);
  const parts = useMemo(() => {
    const asked = new Map<PathKey, number>(place.from);
    for (const key of wanted) if (!asked.has(key)) asked.set(key, 0);
    return new Map([...asked].slice(-MOST_PARTS));
  }, [place.from, wanted]);
  const whole = useRef<HTMLDivElement>(null);
  const size = useEditorSize(whole);
  const isInside = offset < session.size;
  const [wish, setWish] = useState<TableWish>();
  const { decoded, error } = useDecoded(session, {
    format: reading.ok && isInside ? text : undefined,
    offset,
    order: place.order,
    parts,
    table: look === 'table' ? wish : undefined,
  });
  const array = useMemo(
    () => (look === 'table' && decoded ? tableArray(decoded.root, decoded.parts, place.row) : undefined),
    [look, decoded, place.row],
  );
  const rows = useMemo(
    () => (decoded === undefined ? [] : rowsOf(decoded.root, { toggled: place.toggled, parts: decoded.parts })),
    [decoded, place.toggled],
  );
  const missing = missingParts(rows);
  if (missing.some((key) => !parts.has(key)))
    setWanted([...wanted, ...missing.filter((key) => !parts.has(key))].slice(-MOST_PARTS));

  // The session reads the beginning as well, as in every other view: how fresh it is, and what changes there.
  const length = Math.min(session.size - offset, decoded?.root.bytes ?? 1, SEEN_BYTES);
  useEffect(() => {
    if (length > 0) session.setVisible({ offset, length });
  }, [session, offset, length]);

  const isStale =
    decoded !== undefined &&
    (decoded.format !== text || decoded.offset !== offset || error !== undefined || session.ended);
  return (
    <div ref={whole} className={cx('structure', !editor && 'without-editor')} style={size.style}>
      {editor && (
        <>
          <FormatEditor text={text} problems={reading.ok ? noProblems : reading.problems} onChange={setFormat} />
          <EditorSplitters whole={whole} size={size} />
        </>
      )}
      <div className="structure-result">
        <OffsetStrip
          offset={offset}
          size={session.size}
          bytes={decoded?.root.bytes}
          look={look}
          onChange={(next) => setPlace((before) => ({ ...before, offset: next }))}
        />
        {!reading.ok && (
          <p className="strip-note error" role="status">
            The format has {count(reading.problems.length, 'problem')}
            {decoded === undefined ? '.' : '; the values of the last good one are shown.'}
          </p>
        )}
        {reading.ok && error !== undefined && (
          <p className="strip-note error" role="alert">
            {error.message} {error.hint ?? (decoded === undefined ? '' : 'What is shown is what was read last.')}
          </p>
        )}
        {decoded === undefined ? (
          reading.ok && error === undefined ? (
            <p className="structure-wait dim">Reading {formatCount(session.size)} bytes…</p>
          ) : (
            <EmptyState icon="buffer" title="No values yet">
              They appear when the format has no problems.
            </EmptyState>
          )
        ) : look === 'table' ? (
          array === undefined ? (
            <EmptyState icon="buffer" title="There is no array">
              A table has a row for each element. Write <code>{decoded.root.name}[];</code> at the end of the format for
              as many as there is memory for.
            </EmptyState>
          ) : (
            <ElementTable
              key={array.key}
              session={session}
              array={array}
              decoded={decoded}
              stale={isStale}
              onWish={setWish}
            />
          )
        ) : (
          <StructureTable session={session} rows={rows} decoded={decoded} stale={isStale} />
        )}
      </div>
    </div>
  );
}

const noProblems: readonly never[] = [];

function OffsetStrip({
  offset,
  size,
  bytes,
  look,
  onChange,
}: {
  readonly offset: number;
  readonly size: number;
  readonly bytes: number | null | undefined;
  readonly look: 'tree' | 'table';
  readonly onChange: (offset: number) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const read = parseOffset(typed ?? String(offset));
  const error = !read.ok
    ? read.message
    : read.value >= size
      ? `The memory has ${formatCount(size)} bytes: ${hexOffset(read.value)} lies behind them.`
      : undefined;
  return (
    <div className="strip">
      <Field
        label="Begins at"
        size="small"
        mono
        value={typed ?? hexOffset(offset)}
        error={error}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          const next = event.currentTarget.value;
          setTyped(next);
          const value = parseOffset(next);
          if (value.ok && value.value < size) onChange(value.value);
        }}
        onBlur={() => setTyped(undefined)}
      />
      {bytes !== undefined && bytes !== null && (
        <span className="dim num">
          {count(bytes, 'byte')}
          {bytes > size - offset && `, ${formatCount(bytes - (size - offset))} of them past the end of the memory`}
        </span>
      )}
      <span className="grow" />
      <Segmented<'tree' | 'table'>
        label="Look of the values"
        size="tiny"
        value={look}
        options={[
          { value: 'tree', label: 'Tree' },
          { value: 'table', label: 'Table' },
        ]}
        onChange={setLook}
      />
    </div>
  );
}
