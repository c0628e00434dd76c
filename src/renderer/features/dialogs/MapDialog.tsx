import { useRef, useState } from 'react';
import type { Allocation, Physical } from '#contract/records';
import { formatCount, formatSize, parseSize } from '#contract/units';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useSelfId } from '../../lib/app-store';
import { closeDialog, openDialog } from '../../lib/dialogs';
import { useGranularity } from '../../lib/granularity';
import { useLedger } from '../../lib/ledger-store';
import { selectObject } from '../../lib/selection-store';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Field, Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { Checkbox } from '../../ui/Switch';
import { Footer } from './Footer';
import { firstRoom, mapProblem } from './map-form';
import { useSubmit } from './use-submit';

export interface MapDialogProps {
  readonly rangeId?: string;
  readonly physicalId?: string;
  readonly offset?: number;
}

/** Maps physical memory of this process into a range of it, and gives access when asked. */
export function MapDialog(given: MapDialogProps) {
  const selfId = useSelfId();
  const allocations = useLedger((ledger) => ledger.allocations);
  const table = useLedger((ledger) => ledger.physicals);
  const ranges = [...allocations.values()].filter(
    ({ peerId, memory, state }) => peerId === selfId && memory === 'virtual' && state === 'live',
  );
  const physicals = [...table.values()].filter(({ peerId, state }) => peerId === selfId && state === 'live');
  const [rangeId, setRangeId] = useState(given.rangeId ?? ranges.find(hasRoom)?.id ?? ranges[0]?.id);
  const [physicalId, setPhysicalId] = useState(given.physicalId ?? physicals.at(-1)?.id);
  const range = ranges.find(({ id }) => id === rangeId);
  const physical = physicals.find(({ id }) => id === physicalId);
  if (range === undefined || physical === undefined)
    return <Missing what={range === undefined ? 'range' : 'physical'} />;
  return (
    <MapForm
      range={range}
      physical={physical}
      ranges={ranges}
      physicals={physicals}
      offset={given.offset}
      onRange={setRangeId}
      onPhysical={setPhysicalId}
    />
  );
}

const hasRoom = (range: Allocation): boolean => firstRoom(range, 1) !== undefined;

/** Says which of the two sides is not there yet, and makes it. */
function Missing({ what }: { what: 'range' | 'physical' }) {
  const range = what === 'range';
  return (
    <Dialog
      open
      width="narrow"
      onClose={closeDialog}
      title={range ? 'No addresses to map it at' : 'No memory to map'}
      footer={
        <>
          <Button look="line" onClick={closeDialog}>
            Cancel
          </Button>
          <Button look="primary" onClick={() => openDialog({ kind: range ? 'reserve' : 'new-physical' })}>
            {range ? 'Reserve addresses…' : 'New physical memory…'}
          </Button>
        </>
      }
    >
      <p>
        {range
          ? 'Physical memory is mapped into a range of addresses of this process. There is none yet.'
          : 'This process has no physical memory that it could map: none was created or imported, or all was released.'}
      </p>
    </Dialog>
  );
}

interface MapFormProps {
  readonly range: Allocation;
  readonly physical: Physical;
  readonly ranges: readonly Allocation[];
  readonly physicals: readonly Physical[];
  readonly offset: number | undefined;
  readonly onRange: (id: string) => void;
  readonly onPhysical: (id: string) => void;
}

function MapForm({ range, physical, ranges, physicals, offset: given, onRange, onPhysical }: MapFormProps) {
  const [text, setText] = useState<string | undefined>(given === undefined ? undefined : formatCount(given));
  const [access, setAccess] = useState(true);
  const first = useRef<HTMLInputElement>(null);
  const granularity = useGranularity(range.device);
  const { busy, error, submit } = useSubmit();
  const shown = text ?? String(firstRoom(range, physical.bytes) ?? 0);
  const read = shown.trim() === '' ? { ok: true as const, bytes: 0 } : parseSize(shown);
  const problem = read.ok ? mapProblem(range, physical, read.bytes, granularity.value?.minimum) : read.problem;
  const map = () =>
    submit(problem === undefined, async () => {
      if (!read.ok) return;
      await request('virtual.map', { id: range.id, physicalId: physical.id, offset: read.bytes });
      announce(`${physical.label} is mapped in ${range.label}`);
      if (access) await request('virtual.access', { id: range.id, access: 'read-write' });
      selectObject(range.id);
      closeDialog();
    });
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Map physical memory"
      initialFocus={first}
      onSubmit={map}
      footer={<Footer verb="Map" disabled={busy || problem !== undefined} />}
    >
      <div className="dlg-row">
        <Labelled label="Physical memory" note={`${formatSize(physical.bytes)}, mapped as a whole`}>
          {() => (
            <Pick
              look="box"
              label="Physical memory"
              value={physical.id}
              options={physicals.map(({ id, label, bytes }) => ({ value: id, label, detail: formatSize(bytes) }))}
              onChange={onPhysical}
            />
          )}
        </Labelled>
        <Labelled label="Range of addresses" note={`${formatSize(range.bytes)} at ${range.address}`}>
          {() => (
            <Pick
              look="box"
              label="Range of addresses"
              value={range.id}
              options={ranges.map(({ id, label, bytes }) => ({ value: id, label, detail: formatSize(bytes) }))}
              onChange={onRange}
            />
          )}
        </Labelled>
      </div>
      <Field
        ref={first}
        label="Offset in the range"
        mono
        value={shown}
        error={problem}
        note="In bytes, or with a unit: 2 MiB."
        onChange={(event) => setText(event.target.value)}
      />
      <Checkbox checked={access} onChange={setAccess}>
        Give device {range.device} read and write access <span className="dim">to all that is mapped in the range</span>
      </Checkbox>
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
