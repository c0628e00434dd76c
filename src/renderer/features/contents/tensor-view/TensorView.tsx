import '../parts/strip.css';
import './tensor.css';
import { useEffect } from 'react';
import { dtypes } from '#contract/dtypes';
import { cellPlace, tableSize } from '#contract/tensor/slice';
import { useEditedElement } from '../model/edited-element';
import { useJumps } from '../model/use-jumps';
import type { ViewProps } from '../views';
import { cellAfter, cellOfByte, indexOfByte } from './cell-of-byte';
import { withSlice } from './choice';
import { HeatFields } from './HeatFields';
import { LayoutFields } from './LayoutFields';
import { LineFields } from './LineFields';
import { LinePlot } from './LinePlot';
import { SlicePicker } from './SlicePicker';
import { SliceTable } from './SliceTable';
import { useShow, useTensor } from './use-tensor';

/** The memory as a tensor: its layout, a slice of it, and that slice as a table or as a line. */
export function TensorView({ session }: ViewProps) {
  const [choice, setChoice] = useTensor(session);
  const [show] = useShow(session);
  const { layout, slice, cell } = choice;

  // Where a place was jumped to, the cell there gets the cursor; if the slice has none there, another one is shown.
  useJumps(session, 'tensor', (offset) => {
    const found = cellOfByte(layout, slice, offset);
    if (found !== undefined) {
      setChoice((before) => ({ ...before, cell: found }));
      return;
    }
    const index = indexOfByte(layout, offset);
    if (index === undefined) return;
    const along = (dimension: number | null) => (dimension === null ? 0 : (index[dimension] ?? 0));
    setChoice((before) => ({
      ...withSlice(before, { ...slice, at: index }),
      cell: { row: along(slice.rows), column: along(slice.columns) },
    }));
  });

  // The value under the cursor is read by the session, as in every other view.
  const { byte } = cellPlace(layout, slice, cell.row, cell.column);
  const { bytes } = dtypes[layout.dtype];
  useEffect(() => {
    if (byte < 0 || byte + bytes > session.size) return;
    session.setVisible({ offset: byte, length: bytes });
  }, [session, byte, bytes]);

  // What is typed goes into the cell under the cursor, and on to the one beside it.
  const [, setElement] = useEditedElement(session);
  const isEmpty = layout.shape.includes(0);
  useEffect(() => {
    if (isEmpty) return;
    const { lane } = cellPlace(layout, slice, cell.row, cell.column);
    const next = () => {
      const to = cellAfter(tableSize(layout.shape, slice), cell);
      setChoice((before) => ({ ...before, cell: to }));
      const place = cellPlace(layout, slice, to.row, to.column).byte;
      session.setCursor({ cursor: place, anchor: place + bytes - 1 }, 'pointer');
    };
    setElement(() => ({ offset: byte, dtype: layout.dtype, lane, next }));
    return () => setElement(() => undefined);
  }, [session, layout, slice, cell, byte, bytes, isEmpty, setChoice, setElement]);

  return (
    <div className="tensor">
      <LayoutFields session={session} />
      {layout.shape.length > 0 && <SlicePicker session={session} />}
      {show.as === 'table' ? <HeatFields session={session} /> : <LineFields session={session} />}
      {isEmpty ? (
        <p className="tensor-empty dim">The slice has no elements.</p>
      ) : show.as === 'table' ? (
        <SliceTable session={session} />
      ) : (
        <LinePlot session={session} />
      )}
    </div>
  );
}
