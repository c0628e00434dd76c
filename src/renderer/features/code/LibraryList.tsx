import { useId } from 'react';
import type { SnippetSide } from '#contract/snippets/index';
import { cx } from '../../ui/cx';
import { choiceKey, languageNames, librariesByLanguage, type mechanismOf } from './choices';

export interface LibraryListProps {
  readonly mechanism: ReturnType<typeof mechanismOf>;
  readonly side: SnippetSide;
  /** Key of the chosen one. */
  readonly value: string | undefined;
  readonly onChange: (key: string) => void;
}

/** Libraries by language; those that cannot do it are there too, with the reason. */
export function LibraryList({ mechanism, side, value, onChange }: LibraryListProps) {
  const name = useId();
  return (
    <div className="libraries" role="radiogroup" aria-label="Library">
      {librariesByLanguage(mechanism, side).map(([language, choices]) => (
        <section key={language} aria-label={languageNames[language]}>
          <h3 className="libraries-h">{languageNames[language]}</h3>
          {choices.map((choice) => {
            const key = choiceKey(choice);
            const cannot = choice.why !== undefined;
            return (
              <label key={key} className={cx('library', key === value && 'on', cannot && 'off')}>
                <input
                  type="radio"
                  className="sr"
                  name={name}
                  checked={key === value}
                  disabled={cannot}
                  aria-label={`${choice.name}, ${languageNames[language]}`}
                  aria-describedby={cannot ? `${name}-${key}` : undefined}
                  onChange={() => onChange(key)}
                />
                <span>{choice.name}</span>
                {cannot && (
                  <span className="library-why" id={`${name}-${key}`}>
                    {choice.why}
                  </span>
                )}
              </label>
            );
          })}
        </section>
      ))}
    </div>
  );
}
