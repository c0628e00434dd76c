import { useRef, useState } from 'react';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { roundingText, useGranularity } from '../../lib/granularity';
import { selectObject } from '../../lib/selection-store';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { DevicePick } from './DevicePick';
import { Footer } from './Footer';
import { LabelField, labelOf } from './LabelField';
import { SizeFields } from './SizeFields';
import { readSize, type SizeUnit } from './size-form';
import { useFirstDevice } from './use-first-device';
import { useSubmit } from './use-submit';

type Shareable = 'none' | 'fd' | 'fabric';

/** Creates physical memory without an address, or reserves addresses without memory. The size is rounded in sight. */
export function NewVirtualDialog({ what }: { what: 'physical' | 'range' }) {
  const devices = useApp((store) => store.devices);
  const [device, setDevice] = useState(useFirstDevice());
  const [label, setLabel] = useState('');
  const [amount, setAmount] = useState('2');
  const [unit, setUnit] = useState<SizeUnit>('MiB');
  const [shareable, setShareable] = useState<Shareable>('fd');
  const [dtype, setDtype] = useState<DtypeId>('f32');
  const first = useRef<HTMLInputElement>(null);
  const { busy, error, tried, submit } = useSubmit();
  const granularity = useGranularity(devices.length === 0 ? undefined : device);
  const physical = what === 'physical';
  const found = devices.find(({ ordinal }) => ordinal === device);
  const fabric = found?.sharing.fabric;
  // Addresses are there for more than a device has memory.
  const size = readSize(amount, unit, physical ? found?.totalBytes : undefined);
  const create = () =>
    submit(!('problem' in size), async () => {
      if ('problem' in size) return;
      const facts = { device, bytes: size.bytes, label: labelOf(label) };
      const { id } = physical
        ? await request('virtual.create', { ...facts, shareable })
        : await request('virtual.reserve', { ...facts, dtype });
      announce(physical ? 'The physical memory is created' : 'The addresses are reserved');
      selectObject(id);
      closeDialog();
    });
  const minimum = granularity.value?.minimum;
  return (
    <Dialog
      open
      onClose={closeDialog}
      title={physical ? 'New physical memory' : 'Reserve addresses'}
      initialFocus={first}
      onSubmit={create}
      footer={<Footer verb={physical ? 'Create' : 'Reserve'} disabled={busy || devices.length === 0} />}
    >
      <div className="dlg-row of-three">
        <SizeFields
          first={first}
          amount={amount}
          unit={unit}
          size={size}
          tried={tried}
          note={
            'problem' in size
              ? undefined
              : minimum === undefined
                ? 'Asking for the granularity…'
                : roundingText(size.bytes, minimum)
          }
          onChange={(change) => {
            if (change.amount !== undefined) setAmount(change.amount);
            if (change.unit !== undefined) setUnit(change.unit);
          }}
        />
        <DevicePick value={device} onChange={setDevice} />
      </div>
      <div className="dlg-row">
        <LabelField value={label} onChange={setLabel} />
        {physical ? (
          <Labelled
            label="Shareable"
            note={shareable === 'fabric' && fabric?.supported !== true ? fabric?.why : undefined}
          >
            {() => (
              <Pick<Shareable>
                look="box"
                label="Shareable"
                value={shareable}
                options={[
                  { value: 'fd', label: 'File descriptor' },
                  { value: 'none', label: 'Not at all' },
                  { value: 'fabric', label: 'Fabric handle', detail: fabric?.supported === true ? '' : 'not here' },
                ]}
                onChange={setShareable}
              />
            )}
          </Labelled>
        ) : (
          <Labelled label="Element type">
            {() => (
              <Pick
                look="box"
                label="Element type"
                value={dtype}
                options={dtypeIds.map((id) => ({ value: id, label: id, detail: dtypes[id].name }))}
                onChange={setDtype}
              />
            )}
          </Labelled>
        )}
      </div>
      <p className="note">
        {physical
          ? 'Memory without an address. Map it into a range of addresses to use it; it may be mapped more than once. How it can be shared cannot be changed later.'
          : 'Addresses without memory: nothing can be read until physical memory is mapped there and a device has access.'}
      </p>
      {granularity.error !== undefined && <ErrorText error={granularity.error} />}
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
