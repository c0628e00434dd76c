import type { Trial } from '#contract/calls/sharing';
import { formatAge, formatCount } from '#contract/units';
import { useNow } from '../../../lib/clock';
import { ErrorText } from '../../../ui/ErrorText';
import { Icon } from '../../../ui/Icon';
import { stepNames, stepTime, trialText } from './trial-words';

/** What came of a trial: its steps with their times, the checksums, and why it failed if it did. */
export function TrialView({ trial, at }: { trial: Trial; at: number }) {
  const now = useNow();
  const { worked, steps, exporterChecksum, importerChecksum, comparedBytes, ofBytes, error, tookMs } = trial;
  return (
    <div className="trial" role="group" aria-label="Result of the trial">
      <p className="trial-t">
        <Icon name={worked ? 'check' : 'cross'} size={14} tone={worked ? undefined : 'error'} />
        <b role="status">{trialText(trial)}</b>
      </p>
      <ol className="trial-steps num">
        {steps.map((step, index) => (
          // The place is the identity: a trial never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: the same function may be called twice with the same outcome
          <li key={index} className="trial-step">
            <Icon name={step.ok ? 'check' : 'cross'} size={12} className="trial-i" tone={step.ok ? 'dim' : 'error'} />
            <span className="sr">{step.ok ? 'worked' : 'failed'}: </span>
            <span className={step.what.startsWith('cu') ? 'mono' : undefined}>{stepNames[step.what] ?? step.what}</span>
            <span className="trial-us dim">{stepTime(step.us)}</span>
            <span className="trial-d">{step.detail.replace(/^CUDA_ERROR_/, '')}</span>
          </li>
        ))}
      </ol>
      {exporterChecksum !== null && importerChecksum !== null && (
        <dl className="trial-sums">
          <dt>Exporter</dt>
          <dd className="mono selectable" title={`SHA-256 ${exporterChecksum}`}>
            {exporterChecksum.slice(0, 16)}…
          </dd>
          <dt>Importer</dt>
          <dd className="mono selectable" title={`SHA-256 ${importerChecksum}`}>
            {importerChecksum.slice(0, 16)}…
          </dd>
          <dt>Compared</dt>
          <dd className="num">
            {formatCount(comparedBytes)} of {formatCount(ofBytes)} bytes
          </dd>
        </dl>
      )}
      {error !== undefined && <ErrorText error={error} />}
      <p className="note num">
        {formatCount(Math.round(tookMs))} ms, {formatAge(now - at)} ago
      </p>
    </div>
  );
}
