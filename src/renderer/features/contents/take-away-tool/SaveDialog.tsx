import { useState } from 'react';
import type { DtypeId } from '#contract/dtypes';
import { dtypeIds, dtypes, elementsInBytes } from '#contract/dtypes';
import { elementCount, parseShape, shapeText } from '#contract/tensor/shape';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { Button } from '../../../ui/Button';
import { Dialog } from '../../../ui/Dialog';
import { Field, Labelled } from '../../../ui/Field';
import { Pick } from '../../../ui/Pick';
import { Segmented } from '../../../ui/Segmented';
import type { MemorySession } from '../model/memory-session';
import { transferOf } from './transfer';

type As = 'raw' | 'npy' | 'csv';

/** As many elements as a CSV file may have: beyond, no program that reads it is of use. */
const MOST_CSV = 5_000_000;
const types = dtypeIds.map((value) => ({ value, label: value, detail: dtypes[value].name }));

/** What to save, as what; where to is asked by the system. */
export function SaveDialog({ session, onClose }: { session: MemorySession; onClose: () => void }) {
  const { start, end } = session.selection;
  const selected = end - start;
  const [what, setWhat] = useState<'selection' | 'all'>(session.isStretched ? 'selection' : 'all');
  const [as, setAs] = useState<As>('raw');
  const [dtype, setDtype] = useState<DtypeId>(session.dtype);
  const [shape, setShape] = useState<string>();
  const offset = what === 'all' ? 0 : start;
  const room = what === 'all' ? session.size : selected;
  const unit = dtypes[dtype].bytes;
  const length = as === 'raw' ? room : room - (room % unit);
  const elements = elementsInBytes(length, dtype);
  const read = shape === undefined || shape.trim() === '' ? undefined : parseShape(shape);
  const shapeError =
    as === 'raw' || read === undefined
      ? undefined
      : !read.ok
        ? read.message
        : elementCount(read.value) !== elements
          ? `${shapeText(read.value)} has ${formatCount(elementCount(read.value))} elements; there are ${formatCount(elements)}.`
          : undefined;
  const problem =
    length === 0
      ? `One ${dtype} has ${unit} bytes; ${room} are selected.`
      : as === 'csv' && elements > MOST_CSV
        ? `${formatCount(elements)} elements; a CSV file holds at most ${formatCount(MOST_CSV)} of them here. Save as .npy or raw.`
        : undefined;
  const canSave = problem === undefined && shapeError === undefined;
  const save = () => {
    if (!canSave) return;
    onClose();
    void transferOf(session).save({
      as,
      offset,
      length,
      ...(as === 'raw' ? {} : { dtype, ...(read?.ok === true && read.value.length > 0 ? { shape: read.value } : {}) }),
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save bytes"
      onSubmit={save}
      footer={
        <>
          <Button look="line" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={!canSave}>
            Save…
          </Button>
        </>
      }
    >
      <div className="take-away-form">
        <Labelled label="What">
          {() => (
            <Segmented<'selection' | 'all'>
              label="What"
              value={what}
              options={[
                { value: 'selection', label: `Selection, ${formatSize(selected)}` },
                { value: 'all', label: `All, ${formatSize(session.size)}` },
              ]}
              onChange={setWhat}
            />
          )}
        </Labelled>
        <Labelled label="As">
          {() => (
            <Segmented<As>
              label="As"
              value={as}
              options={[
                { value: 'raw', label: 'Raw bytes' },
                { value: 'npy', label: '.npy' },
                { value: 'csv', label: 'CSV' },
              ]}
              onChange={setAs}
            />
          )}
        </Labelled>
        {as !== 'raw' && (
          <>
            <Labelled label="Type">
              {() => <Pick label="Type" look="box" value={dtype} options={types} onChange={setDtype} />}
            </Labelled>
            <Field
              label="Shape"
              mono
              value={shape ?? ''}
              placeholder={shapeText([elements])}
              error={shapeError}
              onChange={(event) => setShape(event.currentTarget.value)}
            />
          </>
        )}
        <p className={problem === undefined ? 'note' : 'error'} role="status">
          {problem ??
            `${formatBytes(length)} from ${hexOffset(offset)}${as === 'raw' ? '' : `, ${formatCount(elements)} elements`}${
              length < room ? `; the last ${room - length} bytes are no whole ${dtype} and are left out` : ''
            }.`}
        </p>
      </div>
    </Dialog>
  );
}
