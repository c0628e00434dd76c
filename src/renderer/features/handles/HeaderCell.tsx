import { type MouseEvent, type PointerEvent, useRef } from 'react';
import { cx } from '../../ui/cx';
import { Icon } from '../../ui/Icon';
import { type Column, type ColumnId, moveColumn, sortAfterClick, type TableSettings, widthOf } from './columns';

export interface HeaderCellProps {
  readonly column: Column;
  readonly table: TableSettings;
  /** The keyboard is here. */
  readonly active: boolean;
  /** `keep: false` while a width is still being dragged. */
  readonly onChange: (table: TableSettings, keep: boolean) => void;
}

const DRAG_TYPE = 'application/x-handle-column';

/** A column's name: a click sorts, Shift adds a further key, the right edge resizes, dragging it elsewhere reorders. */
export function HeaderCell({ column, table, active, onChange }: HeaderCellProps) {
  const cell = useRef<HTMLDivElement>(null);
  const drag = useRef<{ readonly from: number; readonly width: number } | undefined>(undefined);
  const at = table.sort.findIndex((key) => key.column === column.id);
  const key = table.sort[at];
  const resize = (event: PointerEvent, keep: boolean) => {
    if (drag.current === undefined) return;
    const width = Math.max(column.min, Math.round(drag.current.width + event.clientX - drag.current.from));
    onChange({ ...table, widths: { ...table.widths, [column.id]: width } }, keep);
  };
  const sort = (event: MouseEvent) =>
    onChange({ ...table, sort: sortAfterClick(table.sort, column.id, event.shiftKey) }, true);
  return (
    // The grid has the keyboard and passes it on: see HandleGrid.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter and Space on the grid sort by the active header
    <div
      ref={cell}
      id={`handles-h-${column.id}`}
      role="columnheader"
      aria-sort={at !== 0 ? 'none' : key?.descending ? 'descending' : 'ascending'}
      className={cx(column.right && 'r', active && 'active')}
      title={at > 0 ? `Sorted by this ${at === 1 ? 'second' : 'further'}` : undefined}
      draggable
      onClick={sort}
      onDragStart={(event) => event.dataTransfer.setData(DRAG_TYPE, column.id)}
      onDragOver={(event) => event.dataTransfer.types.includes(DRAG_TYPE) && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const moved = event.dataTransfer.getData(DRAG_TYPE) as ColumnId;
        const step = table.order.indexOf(column.id) - table.order.indexOf(moved);
        if (step !== 0) onChange({ ...table, order: moveColumn(table.order, moved, step) }, true);
      }}
    >
      {column.title}
      {key !== undefined && <Icon name={key.descending ? 'down' : 'up'} size={12} />}
      <span
        className="col-grip"
        aria-hidden="true"
        onClick={(event) => event.stopPropagation()}
        onDoubleClick={() => onChange({ ...table, widths: widthOf(table.widths, column.id, undefined) }, true)}
        draggable
        onDragStart={(event) => {
          event.preventDefault();
          event.stopPropagation();
        }}
        onPointerDown={(event) => {
          event.stopPropagation();
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { from: event.clientX, width: cell.current?.offsetWidth ?? column.min };
        }}
        onPointerMove={(event) => resize(event, false)}
        onPointerUp={(event) => {
          if (event.clientX !== drag.current?.from) resize(event, true);
          drag.current = undefined;
        }}
      />
    </div>
  );
}
