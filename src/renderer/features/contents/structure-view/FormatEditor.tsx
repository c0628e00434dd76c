import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import type { Problem } from '#contract/structure/types';
import { announce } from '../../../lib/announce';
import { count } from '../../../lib/format';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { pieces, problemAfter } from './problems';

export interface FormatEditorProps {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
}

/** A text field with line numbers. What is wrong is underlined in the text and listed below; F8 goes through it. */
export function FormatEditor({ text, problems, onChange }: FormatEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const back = useRef<HTMLDivElement>(null);
  const lines = text.split('\n').length;

  // What is wrong is said when typing rests, not at each letter.
  const first = problems[0];
  useEffect(() => {
    if (first === undefined) return;
    const timer = setTimeout(() => {
      if (document.activeElement === area.current)
        announce(`${count(problems.length, 'problem')}. Line ${first.line}: ${first.message}`);
    }, 1200);
    return () => clearTimeout(timer);
  }, [first, problems.length]);

  const goTo = ({ start, end }: Problem) => {
    area.current?.focus();
    area.current?.setSelectionRange(start, Math.max(start, end));
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'F8') {
      event.preventDefault();
      const problem = problems[problemAfter(problems, event.currentTarget.selectionStart)];
      if (problem === undefined) return;
      goTo(problem);
      announce(`Line ${problem.line}: ${problem.message}`);
    }
  };
  const follow = () => {
    if (back.current === null || area.current === null) return;
    back.current.scrollTop = area.current.scrollTop;
    back.current.scrollLeft = area.current.scrollLeft;
  };
  const wrongLines = new Set(problems.map(({ line }) => line));
  return (
    <div className="fmt">
      <div className="fmt-text mono">
        <div ref={back} className="fmt-back" aria-hidden="true">
          <div className="fmt-lines">
            {Array.from({ length: lines }, (_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the line
              <span key={i} className={cx(wrongLines.has(i + 1) && 'error')}>
                {i + 1}
              </span>
            ))}
          </div>
          <pre>
            {pieces(text, problems).map(({ start, text: piece, wrong }) => (
              <span key={start} className={cx(wrong && 'fmt-wrong')}>
                {piece}
              </span>
            ))}
            {'\n '}
          </pre>
        </div>
        <textarea
          ref={area}
          aria-label="Format"
          aria-invalid={problems.length > 0}
          aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={follow}
          onKeyDown={press}
        />
      </div>
      {problems.length > 0 && (
        <ul id={`${id}-problems`} className="fmt-problems" aria-label="Problems of the format">
          {problems.map((problem) => (
            <li key={`${problem.start} ${problem.message}`}>
              <button type="button" onClick={() => goTo(problem)}>
                <Icon name="warn" size={14} tone="error" />
                <span className="num dim">
                  {problem.line}:{problem.column}
                </span>
                <span>{problem.message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
