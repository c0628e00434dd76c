import { Icon } from '../../ui/Icon';
import type { Verdict } from './pointer-facts';

const sign = { yes: 'check', no: 'minus', unknown: 'question' } as const;

/** Yes, no or unknown for each way of sharing, each with its reason. */
export function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul className="verdicts">
      {verdicts.map(({ name, can, why }) => {
        const word = can === null ? 'unknown' : can ? 'yes' : 'no';
        return (
          <li key={name}>
            <Icon name={sign[word]} size={14} tone={can === true ? undefined : 'dim'} />
            <span className={can === true ? undefined : 'soft'}>
              {name}
              <span className="sr">: {word}</span>
            </span>
            <span className="w">{why}</span>
          </li>
        );
      })}
    </ul>
  );
}
