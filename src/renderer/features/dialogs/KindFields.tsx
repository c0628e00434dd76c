import { formatSize } from '#contract/units';
import type { MemoryKind } from '#contract/values';
import { useSelfId } from '../../lib/app-store';
import { type Granularity, roundingText } from '../../lib/granularity';
import { memoryKinds } from '../../lib/kinds';
import { useLedger } from '../../lib/ledger-store';
import type { Answer } from '../../lib/use-answer';
import { ErrorText } from '../../ui/ErrorText';
import { Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';

export interface KindForm {
  readonly memory: MemoryKind;
  /** Empty: a shareable pool of this process, made when there is none. */
  readonly poolId: string;
}

const howShared: Readonly<Record<MemoryKind, string>> = {
  device: 'legacy handle',
  pool: 'pool descriptor',
  virtual: 'descriptors',
  managed: 'not shared',
  pinned: 'not shared',
  mapped: 'not shared',
  'default-pool': 'not shared',
};

export interface KindFieldsProps {
  readonly form: KindForm;
  readonly device: number;
  /** Undefined while the size is wrong. */
  readonly bytes: number | undefined;
  /** Asked for virtual memory. */
  readonly granularity: Answer<Granularity>;
  readonly onChange: (change: Partial<KindForm>) => void;
}

/** Which kind of memory, in a sentence, and what that kind needs to know: its pool, or how its size is rounded. */
export function KindFields({ form, device, bytes, granularity, onChange }: KindFieldsProps) {
  const selfId = useSelfId();
  const table = useLedger((ledger) => ledger.pools);
  const pools = [...table.values()].filter(
    (pool) => pool.peerId === selfId && !pool.imported && pool.state === 'live' && pool.device === device,
  );
  const usual = pools.find(({ shareable, maxBytes }) => shareable && maxBytes === null);
  const chosen = pools.find(({ id }) => id === form.poolId);
  const kind = memoryKinds[form.memory];
  return (
    <>
      <div className="dlg-row">
        <Labelled
          label="Kind of memory"
          note={
            <>
              {kind.sentence} <span className="mono">{kind.made}</span>
            </>
          }
        >
          {() => (
            <Pick
              look="box"
              label="Kind of memory"
              value={form.memory}
              options={(Object.keys(memoryKinds) as MemoryKind[]).map((id) => ({
                value: id,
                label: memoryKinds[id].name,
                detail: howShared[id],
              }))}
              onChange={(memory) => onChange({ memory })}
            />
          )}
        </Labelled>
        {form.memory === 'pool' && (
          <Labelled
            label="Pool"
            note={chosen?.shareable === false ? 'Not shareable: its memory stays here.' : undefined}
          >
            {() => (
              <Pick
                look="box"
                label="Pool"
                value={chosen === undefined ? '' : form.poolId}
                options={[
                  {
                    value: '',
                    label: usual === undefined ? 'A new pool' : 'The first shareable one',
                    detail: usual === undefined ? 'shareable, no limit' : usual.label,
                  },
                  ...pools.map(({ id, label, shareable, maxBytes }) => ({
                    value: id,
                    label,
                    detail: [
                      shareable ? 'shareable' : 'not shareable',
                      maxBytes !== null && `at most ${formatSize(maxBytes)}`,
                    ]
                      .filter(Boolean)
                      .join(', '),
                  })),
                ]}
                onChange={(poolId) => onChange({ poolId })}
              />
            )}
          </Labelled>
        )}
      </div>
      {form.memory === 'virtual' && (
        <p className="note" role="status">
          {granularity.value === undefined
            ? granularity.error === undefined && 'Asking for the granularity…'
            : bytes === undefined
              ? `Sizes are multiples of ${formatSize(granularity.value.minimum)}, the granularity.`
              : roundingText(bytes, granularity.value.minimum)}
        </p>
      )}
      {form.memory === 'virtual' && granularity.error !== undefined && <ErrorText error={granularity.error} />}
    </>
  );
}
