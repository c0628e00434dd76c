import { Icon, type IconName } from '../../../ui/Icon';
import type { Tone } from '../../../ui/tone';
import type { Known } from './item-facts';

const signs: Readonly<Record<Known['sure'], { readonly icon: IconName; readonly tone?: Tone }>> = {
  yes: { icon: 'check' },
  no: { icon: 'warn', tone: 'gone' },
  unknown: { icon: 'question', tone: 'dim' },
  note: { icon: 'info', tone: 'dim' },
};

/** What is known, a line each. */
export function KnownList({ known }: { known: readonly Known[] }) {
  return (
    <ul className="known">
      {known.map(({ sure, text, detail }) => (
        <li key={text}>
          <Icon name={signs[sure].icon} size={14} tone={signs[sure].tone} />
          <span>
            {text} <span className="dim num">{detail}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
