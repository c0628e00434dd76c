import { request } from '../../../lib/api';
import { count } from '../../../lib/format';
import { useAnswer } from '../../../lib/use-answer';
import { ErrorText } from '../../../ui/ErrorText';
import { Field, Labelled } from '../../../ui/Field';
import { Segmented } from '../../../ui/Segmented';
import { ChoiceList } from './ChoiceList';
import { type ForeignField, type ForeignForm, kindOfFile, wholeNumber } from './foreign';
import { KnownList } from './KnownList';
import { useSettled } from './use-settled';

const SETTLE_MS = 250;

export interface ForeignProcessProps {
  readonly form: ForeignForm;
  /** Of each field; shown once somebody has tried, or typed something that cannot be. */
  readonly problems: Partial<Record<ForeignField, string>>;
  readonly tried: boolean;
  readonly onChange: (change: Partial<ForeignForm>) => void;
}

/** A file descriptor that another program has open: taken by pid and number. */
export function ForeignProcess({ form, problems, tried, onChange }: ForeignProcessProps) {
  const pid = useSettled(wholeNumber(form.pid, 1), SETTLE_MS);
  const found = useAnswer(pid === undefined ? undefined : String(pid), () =>
    request('fds.ofProcess', { pid: pid ?? 0 }),
  );
  const problem = (field: ForeignField) => (tried || form[field].trim() !== '' ? problems[field] : undefined);
  const candidates = found.value?.candidates ?? [];
  const { allowed } = found.value ?? {};
  return (
    <>
      <div className="dlg-row">
        <Field
          label="Process"
          mono
          placeholder="pid"
          inputMode="numeric"
          value={form.pid}
          error={problem('pid')}
          onChange={(event) => onChange({ pid: event.target.value })}
        />
        <Field
          label="File descriptor"
          mono
          placeholder="as that process counts"
          inputMode="numeric"
          value={form.fd}
          error={problem('fd')}
          onChange={(event) => onChange({ fd: event.target.value })}
        />
      </div>
      <div className="pasted" aria-live="polite">
        {found.error !== undefined && <ErrorText error={found.error} />}
        {found.value !== undefined && (
          <KnownList
            known={[
              {
                sure: allowed === true ? 'yes' : allowed === false ? 'no' : 'unknown',
                text: `${found.value.name}: ${
                  allowed === true
                    ? 'its descriptors may be taken.'
                    : allowed === false
                      ? 'its descriptors may not be taken.'
                      : 'only trying would tell whether its descriptors may be taken.'
                }`,
                detail: found.value.why,
              },
            ]}
          />
        )}
        {candidates.length > 0 && (
          <>
            <p className="note">
              {count(candidates.length, 'descriptor', 'descriptors')} that could be shared memory. Which of them is,
              only importing it tells.
            </p>
            <ChoiceList
              label="Descriptors of that process"
              value={form.fd.trim()}
              onChange={(fd) => {
                const kind = kindOfFile(candidates.find((each) => each.fd === Number(fd))?.file ?? '');
                onChange({ fd, ...(kind === undefined ? {} : { kind }) });
              }}
              choices={candidates.map(({ fd, file }) => ({
                key: String(fd),
                inside: (
                  <>
                    <b className="num">fd {fd}</b>
                    <span className="dim mono cut">{file}</span>
                  </>
                ),
              }))}
            />
          </>
        )}
      </div>
      <Labelled label="It is">
        {() => (
          <Segmented
            label="It is"
            value={form.kind}
            options={[
              { value: 'virtual', label: 'Virtual memory' },
              { value: 'pool', label: 'A memory pool' },
            ]}
            onChange={(kind) => onChange({ kind })}
          />
        )}
      </Labelled>
      {form.kind === 'virtual' ? (
        <Field
          label="Size of it"
          mono
          placeholder="4 MiB"
          value={form.size}
          error={problem('size')}
          note="A descriptor does not say its size. Its program knows it: what cuMemCreate was asked for, in whole steps of the granularity."
          onChange={(event) => onChange({ size: event.target.value })}
        />
      ) : (
        <Field
          label="Pointer in the pool"
          mono
          placeholder="64 bytes, in any form"
          value={form.pointer}
          error={problem('pointer')}
          note="What cuMemPoolExportPointer gave. Without it the pool alone is imported, and its memory can be opened later."
          onChange={(event) => onChange({ pointer: event.target.value })}
        />
      )}
    </>
  );
}
