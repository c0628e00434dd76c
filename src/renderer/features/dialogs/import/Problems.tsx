import type { RefObject } from 'react';
import { count } from '../../../lib/format';
import { LinkButton } from '../../../ui/Button';
import { placeOf } from './place';
import type { Parsed } from './use-parsed';

/** More are only counted. */
const SHOWN = 3;

/** What in a text makes no sense, and where: line, column, and a caret under the place. */
export function Problems({ parsed, area }: { parsed: Parsed; area: RefObject<HTMLTextAreaElement | null> }) {
  const { text, problems, items } = parsed;
  if (problems.length === 0) return null;
  const show = (start: number, end: number) => {
    // A text area scrolls to its selection when it gets the focus, not when the selection changes.
    area.current?.blur();
    area.current?.setSelectionRange(start, Math.max(end, start + 1));
    area.current?.focus();
  };
  return (
    <ul className="problems">
      {problems.slice(0, SHOWN).map(({ message, start, end }) => {
        const { line, column, excerpt, caret } = placeOf(text, start);
        return (
          <li key={`${start} ${message}`}>
            <p className={items.length === 0 ? 'field-s error' : 'field-s'}>
              {message}{' '}
              <LinkButton onClick={() => show(start, end)}>
                Line {line}, column {column}
              </LinkButton>
            </p>
            {excerpt.trim() !== '' && (
              <pre className="problem-at mono" aria-hidden="true">
                {excerpt}
                {'\n'}
                {' '.repeat(caret)}^
              </pre>
            )}
          </li>
        );
      })}
      {problems.length > SHOWN && (
        <li className="field-s">and {count(problems.length - SHOWN, 'further place', 'further places')}</li>
      )}
    </ul>
  );
}
