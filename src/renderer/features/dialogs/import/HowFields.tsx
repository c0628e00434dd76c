import type { Pool } from '#contract/records';
import { parseSize } from '#contract/units';
import type { Mechanism } from '#contract/values';
import { useSelfId } from '../../../lib/app-store';
import { useLedger } from '../../../lib/ledger-store';
import { Field, Labelled } from '../../../ui/Field';
import { Pick } from '../../../ui/Pick';
import { Segmented } from '../../../ui/Segmented';
import { Checkbox } from '../../../ui/Switch';
import { DevicePick } from '../DevicePick';
import { readOffset } from '../write-form';
import type { How } from './make';

/** What was chosen and typed; what is undefined follows what is to be opened. */
export interface HowForm {
  readonly device?: number;
  readonly offset?: string;
  readonly length?: string;
  readonly lazy?: boolean;
  readonly access?: 'read' | 'read-write';
  readonly withEvent?: boolean;
  /** Of 64 bytes that do not say what they are. */
  readonly as?: 'memory' | 'event' | 'pool';
  /** The imported pool that a pointer belongs to. */
  readonly poolId?: string;
}

export interface HowRead {
  readonly ok: boolean;
  readonly how: How;
  readonly offsetText: string;
  readonly lengthText: string;
  readonly offsetProblem?: string;
  readonly lengthProblem?: string;
}

interface Suggested {
  readonly device: number;
  readonly offset: number | undefined;
  readonly length: number | undefined;
  /** Whether offset and length come from the text at all. */
  readonly text: boolean;
}

export function readHow(form: HowForm, { device, text, ...said }: Suggested): HowRead {
  const offsetText = form.offset ?? (text && said.offset ? String(said.offset) : '');
  const lengthText = form.length ?? (text && said.length ? String(said.length) : '');
  const offset = readPart(offsetText);
  const length = readPart(lengthText);
  return {
    ok: !('problem' in offset || 'problem' in length),
    how: {
      device,
      offset: 'bytes' in offset ? offset.bytes : undefined,
      length: 'bytes' in length ? length.bytes : undefined,
      lazy: form.lazy ?? true,
      access: form.access ?? 'read-write',
      withEvent: form.withEvent ?? false,
    },
    offsetText,
    lengthText,
    ...('problem' in offset ? { offsetProblem: offset.problem } : {}),
    ...('problem' in length ? { lengthProblem: length.problem } : {}),
  };
}

/** A part of the memory: empty is undefined, all of it. */
function readPart(text: string): { readonly bytes: number | undefined } | { readonly problem: string } {
  if (text.trim() === '') return { bytes: undefined };
  const offset = readOffset(text, 0, Number.MAX_SAFE_INTEGER);
  if ('offset' in offset) return { bytes: offset.offset };
  const size = parseSize(text);
  return size.ok ? { bytes: size.bytes } : { problem: size.problem };
}

export interface HowFieldsProps {
  readonly form: HowForm;
  readonly read: HowRead;
  readonly ways: {
    readonly kind: 'memory' | 'event' | 'pool';
    readonly mechanism?: Mechanism;
    /** The bytes do not say what they are. */
    readonly unsure?: boolean;
    /** 64 bytes of memory in a pool. */
    readonly pointer?: boolean;
    /** An event comes with it. */
    readonly event?: boolean;
  };
  readonly onChange: (change: Partial<HowForm>) => void;
}

/** How to open what was chosen: where, which part, with which rights. Only what there is a choice about. */
export function HowFields({ form, read, ways, onChange }: HowFieldsProps) {
  const { kind, mechanism } = ways;
  const { how } = read;
  return (
    <>
      {ways.unsure && (
        <Labelled label="Open as" note="The bytes do not say what it is.">
          {() => (
            <Segmented
              label="Open as"
              value={form.as ?? 'memory'}
              options={[
                { value: 'memory', label: 'Memory' },
                { value: 'event', label: 'Event' },
                { value: 'pool', label: 'Pointer in a pool' },
              ]}
              onChange={(as) => onChange({ as })}
            />
          )}
        </Labelled>
      )}
      {ways.pointer && <PoolPick value={form.poolId} onChange={(poolId) => onChange({ poolId })} />}
      <div className="dlg-row">
        <DevicePick value={how.device} onChange={(device) => onChange({ device })} />
        {kind === 'memory' && (
          <>
            <Field
              label="Offset"
              mono
              placeholder="0"
              value={read.offsetText}
              error={read.offsetProblem}
              onChange={(event) => onChange({ offset: event.target.value })}
            />
            <Field
              label="Length"
              mono
              placeholder="all of it"
              value={read.lengthText}
              error={read.lengthProblem}
              onChange={(event) => onChange({ length: event.target.value })}
            />
          </>
        )}
      </div>
      {kind === 'memory' && (mechanism === 'virtual' || mechanism === 'fabric') && (
        <Labelled
          label="Access"
          note="What this device may do there. With read alone, the driver refuses to write, and a kernel that writes ends its context."
        >
          {() => (
            <Segmented
              label="Access"
              value={how.access}
              options={[
                { value: 'read-write', label: 'Read and write' },
                { value: 'read', label: 'Read' },
              ]}
              onChange={(access) => onChange({ access })}
            />
          )}
        </Labelled>
      )}
      {kind === 'memory' && ways.event && (
        <Checkbox checked={how.withEvent} onChange={(withEvent) => onChange({ withEvent })}>
          Open its event too
        </Checkbox>
      )}
      {kind === 'memory' && mechanism === 'legacy' && (
        <div>
          <Checkbox checked={how.lazy} onChange={(lazy) => onChange({ lazy })}>
            Lazy peer access <span className="dim num">flags {how.lazy ? 1 : 0}</span>
          </Checkbox>
          {!how.lazy && (
            <p className="note">Flags 0: the driver demands lazy peer access and refuses to open it without.</p>
          )}
        </div>
      )}
    </>
  );
}

/** The value for a pointer of this app's own pools. */
const ITS_OWN = '';

/** Which imported pool a pointer belongs to: the bytes do not say it. */
function PoolPick({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const selfId = useSelfId();
  const pools = useLedger((ledger) => ledger.pools);
  const imported = [...pools.values()].filter(
    (pool: Pool) => pool.imported && pool.state === 'live' && pool.peerId === selfId,
  );
  return (
    <Labelled
      label="Pool"
      note={
        imported.length === 0
          ? 'A pointer opens in its pool alone. One of another program has to be imported first: by the descriptor of its pool, under Another process.'
          : 'The pool that the pointer was exported from.'
      }
    >
      {() => (
        <Pick
          look="box"
          label="Pool"
          value={value ?? ITS_OWN}
          options={[
            { value: ITS_OWN, label: 'that of an export of this app' },
            ...imported.map(({ id, label }) => ({ value: id, label: label || id, detail: 'imported' })),
          ]}
          onChange={(id) => onChange(id === ITS_OWN ? undefined : id)}
        />
      )}
    </Labelled>
  );
}
