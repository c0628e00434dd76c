import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { dtypes } from '#contract/dtypes';
import { formatOffset } from '../../../lib/bytes-format';
import { parseGoto } from '../../../lib/bytes-goto';
import { Field } from '../../../ui/Field';
import { Kbd } from '../../../ui/Kbd';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';

/** Ctrl+G of whichever field is on screen. */
let focusField: (() => void) | undefined;
export const focusGoto = (): void => focusField?.();

/** Shows where the cursor is; what is typed into it is a place to go to. */
export function GotoField({ session, base, onDone }: ViewProps & { base: 'hex' | 'decimal'; onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const cursor = useSignal(session.onCursor, () => session.cursor.cursor);
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();

  useEffect(() => {
    focusField = () => {
      input.current?.focus();
      input.current?.select();
    };
    return () => {
      focusField = undefined;
    };
  }, []);

  const go = (text: string, stretch: boolean) => {
    const result = parseGoto(text, {
      size: session.size,
      cursor: session.cursor.cursor,
      elementBytes: dtypes[session.dtype].bytes,
      elementsPerUnit: dtypes[session.dtype].perUnit,
      address: session.source.address,
    });
    if (!result.ok) {
      setError(result.message);
      input.current?.setSelectionRange(result.at, text.length);
      return;
    }
    if (stretch) session.setCursor({ anchor: session.cursor.anchor, cursor: result.offset });
    else session.goTo(result.offset);
    forget();
    onDone();
  };
  const forget = () => {
    setTyped(undefined);
    setError(undefined);
  };

  return (
    <div className="goto" style={{ '--chars': formatOffset(session.size - 1, base).length } as CSSProperties}>
      <Field
        ref={input}
        size="small"
        mono
        label="Go to offset, element or expression"
        hideLabel
        title="Ctrl+G. Enter goes there, Shift+Enter selects up to there"
        end={<Kbd>Ctrl G</Kbd>}
        value={typed ?? formatOffset(cursor, base)}
        error={error}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setError(undefined);
        }}
        onBlur={() => forget()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.currentTarget.value, event.shiftKey);
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
