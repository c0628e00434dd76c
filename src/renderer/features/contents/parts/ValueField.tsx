import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { decodeValue, formatValue, valueText } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import { Field } from '../../../ui/Field';
import { useEditedElement } from '../model/edited-element';
import { parseValue } from '../model/parse-value';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { bytesAt } from './ValueCard';

/** The field on screen, for views in which typing begins a value. */
let beginTyping: ((text: string | undefined) => void) | undefined;

/**
 * Begins a new value of the element under the cursor with a character, or with the value it has; false where no field is.
 */
export function typeValue(character?: string): boolean {
  beginTyping?.(character);
  return beginTyping !== undefined;
}

/** The element under the cursor, to be typed anew. Enter keeps it among the edits and goes on to the next one. */
export function ValueField({ session, onDone }: ViewProps & { onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const ownDtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  const cursor = useSignal(session.onCursor, () => session.selection.start);
  const [element] = useEditedElement(session);
  const dtype = element?.dtype ?? ownDtype;
  const start = element?.offset ?? cursor;
  /** Of an element that shares its byte. */
  const lane = element !== undefined && dtypes[dtype].perUnit > 1 ? element.lane : undefined;
  const value = () => {
    const bytes = bytesAt(session, start);
    if (lane === undefined || bytes.length === 0) return valueText(bytes, 0, dtype, order) ?? '';
    return formatValue(decodeValue(bytes, 0, dtype, order, lane), dtype);
  };
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
    const { bytes } = dtypes[dtype];
    const [byte] = bytesAt(session, start);
    if (lane !== undefined && byte === undefined) {
      setError('The other half of the byte was not read yet.');
      return;
    }
    const read = parseValue(text, dtype, order, lane === undefined || byte === undefined ? undefined : { byte, lane });
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
    if (element !== undefined) element.next();
    else {
      const next = start + 2 * bytes <= session.size ? start + bytes : start;
      session.setCursor({ cursor: next, anchor: next });
    }
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
