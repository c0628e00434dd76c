import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { valueText } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import { Field } from '../../../ui/Field';
import { parseValue } from '../model/parse-value';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { bytesAt } from './ValueCard';

/** The field on screen, for views in which typing begins a value. */
let beginTyping: ((text: string) => void) | undefined;

/** Begins a new value of the element under the cursor with a character; false where no field is. */
export function typeValue(character: string): boolean {
  beginTyping?.(character);
  return beginTyping !== undefined;
}

/** The element under the cursor, to be typed anew. Enter keeps it among the edits and goes on to the next one. */
export function ValueField({ session, onDone }: ViewProps & { onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  const start = useSignal(session.onCursor, () => session.selection.start);
  const value = () => valueText(bytesAt(session, start), 0, dtype, order) ?? '';
  useSignal(session.onValues, value);
  useSignal(session.onEdits, value);

  useEffect(() => {
    beginTyping = (text) => {
      setTyped(text);
      setError(undefined);
      input.current?.focus();
    };
    return () => {
      beginTyping = undefined;
    };
  }, []);

  const forget = () => {
    setTyped(undefined);
    setError(undefined);
  };
  const keep = (text: string) => {
    const read = parseValue(text, dtype, order);
    const { bytes } = dtypes[dtype];
    if (!read.ok) {
      setError(read.message);
      return;
    }
    if (start + bytes > session.size) {
      setError(`One ${dtype} has ${bytes} bytes; ${session.size - start} are left here.`);
      return;
    }
    session.edit(start, read.bytes);
    announce(`${text} at ${hexOffset(start)}, to be written`);
    const next = start + 2 * bytes <= session.size ? start + bytes : start;
    session.setCursor({ cursor: next, anchor: next });
    forget();
    onDone();
  };
  return (
    <div className="value-field" style={{ '--field': '156px' } as CSSProperties}>
      <Field
        ref={input}
        label={`${dtype} at ${hexOffset(start)}`}
        size="small"
        mono
        value={typed ?? value()}
        error={error}
        onFocus={(event) => {
          if (typed === undefined) event.currentTarget.select();
        }}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setError(undefined);
        }}
        onBlur={forget}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep(event.currentTarget.value);
          else if (event.key === 'Escape') {
            forget();
            onDone();
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </div>
  );
}
