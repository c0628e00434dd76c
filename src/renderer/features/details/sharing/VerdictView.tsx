import { useState } from 'react';
import type { Trial, Verdict } from '#contract/calls/sharing';
import { type IpcError, toIpcError } from '#contract/result';
import { formatAge, formatSize } from '#contract/units';
import type { Mechanism } from '#contract/values';
import { announce } from '../../../lib/announce';
import { request } from '../../../lib/api';
import { useNow } from '../../../lib/clock';
import { mechanismName } from '../../../lib/kinds';
import { selectObject } from '../../../lib/selection-store';
import { Button } from '../../../ui/Button';
import { ErrorText } from '../../../ui/ErrorText';
import { Icon } from '../../../ui/Icon';
import { Facts } from '../Section';
import { TrialView } from './TrialView';
import { exposureText, subjectText, trialText } from './trial-words';

const sign = { yes: 'check', no: 'minus', unknown: 'question' } as const;

interface Tried {
  readonly at: number;
  readonly trial?: Trial;
  /** Why there was nothing to try. */
  readonly error?: IpcError;
}

/** A verdict for each mechanism with its reason and next step, and a trial of each on request. */
export function VerdictView({ verdict, at, id }: { verdict: Verdict; at: number; id: string | undefined }) {
  const [tried, setTried] = useState<Partial<Record<Mechanism, Tried>>>({});
  const [running, setRunning] = useState<Mechanism | undefined>(undefined);
  const [facts, setFacts] = useState(false);
  const now = useNow();
  const exposure = exposureText(verdict);
  const neighbours = verdict.block?.neighbours ?? [];
  const attempt = async (mechanism: Mechanism) => {
    if (id === undefined || running !== undefined) return;
    setRunning(mechanism);
    try {
      const trial = await request('sharing.try', { id, mechanism });
      setTried((before) => ({ ...before, [mechanism]: { at: Date.now(), trial } }));
      announce(`${mechanismName[mechanism]}: ${trialText(trial)}`);
    } catch (thrown) {
      const error = toIpcError(thrown);
      setTried((before) => ({ ...before, [mechanism]: { at: Date.now(), error } }));
      announce(`${mechanismName[mechanism]} could not be tried. ${error.message}`);
    } finally {
      setRunning(undefined);
    }
  };
  return (
    <>
      <p className="verdict-s selectable">{subjectText(verdict)}</p>
      <ul className="ways-v">
        {verdict.mechanisms.map(({ mechanism, possible, why, next }) => {
          const word = possible === null ? 'unknown' : possible ? 'yes' : 'no';
          const result = tried[mechanism];
          return (
            <li key={mechanism} data-mechanism={mechanism}>
              <Icon name={sign[word]} size={14} className="way-i" tone={possible === true ? undefined : 'dim'} />
              <div className="way-v">
                <div className="way-t">
                  <b>{mechanismName[mechanism]}</b>
                  <span className="dim">{word === 'unknown' ? 'only a trial can tell' : word}</span>
                  {id !== undefined && (
                    <Button
                      size="small"
                      look="line"
                      className="way-try"
                      aria-label={`Try it: ${mechanismName[mechanism]}`}
                      disabled={running !== undefined}
                      onClick={() => void attempt(mechanism)}
                    >
                      {result === undefined ? 'Try it' : 'Try again'}
                    </Button>
                  )}
                </div>
                <p className="soft selectable">{why}</p>
                {next !== undefined && (
                  <p className="way-n selectable">
                    <Icon name="fwd" size={12} tone="dim" />
                    <span>{next}</span>
                  </p>
                )}
                {running === mechanism && (
                  <p className="note" role="status">
                    A process is started, opens it, and ends. It cannot be stopped: wait a second, on a GPU some
                    seconds.
                  </p>
                )}
                {running !== mechanism && result?.trial !== undefined && (
                  <TrialView trial={result.trial} at={result.at} />
                )}
                {running !== mechanism && result?.error !== undefined && <ErrorText error={result.error} />}
              </div>
            </li>
          );
        })}
      </ul>
      {exposure !== undefined && (
        <div className="exposed">
          <p className="soft">{exposure}</p>
          {neighbours.length > 0 && (
            <ul aria-label="Neighbours in the block">
              {neighbours.map(({ objectId, label, address, bytes }) => (
                <li key={objectId}>
                  <button type="button" className="object" title={address} onClick={() => selectObject(objectId)}>
                    <Icon name="buffer" size={14} />
                    <span className="cut">{label}</span>
                    <span className="dim num">{formatSize(bytes)}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {verdict.facts.length > 0 && (
        <Button
          size="small"
          className="details-more"
          icon={facts ? 'down' : 'right'}
          aria-expanded={facts}
          onClick={() => setFacts(!facts)}
        >
          What the driver said ({verdict.facts.length})
        </Button>
      )}
      {facts && (
        <Facts
          facts={verdict.facts.map(({ name, value, result }) => [
            name,
            value ?? (
              <span key={name} className="dim">
                {result.replace(/^CUDA_(ERROR_)?/, '')}
              </span>
            ),
          ])}
        />
      )}
      <p className="note num">Asked {formatAge(now - at)} ago</p>
    </>
  );
}
