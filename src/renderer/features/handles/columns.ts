/** The columns of the handle table. Widths are those of the design; a person's own widths are kept in settings. */
import * as v from 'valibot';

export const columnIds = ['label', 'process', 'gpu', 'size', 'address', 'refs', 'state', 'age'] as const;
export type ColumnId = (typeof columnIds)[number];

export interface Column {
  readonly id: ColumnId;
  readonly title: string;
  /** Track of the grid as long as nobody has changed it. */
  readonly track: string;
  readonly min: number;
  readonly right?: boolean;
  /** Left out in narrow windows: Details repeats it. */
  readonly optional?: boolean;
}

export const columns: readonly Column[] = [
  { id: 'label', title: 'Label', track: 'minmax(96px, 1fr)', min: 96 },
  { id: 'process', title: 'Process', track: 'minmax(144px, .5fr)', min: 72 },
  { id: 'gpu', title: 'GPU', track: '42px', min: 36, optional: true },
  { id: 'size', title: 'Size', track: '76px', min: 60, right: true },
  { id: 'address', title: 'Address', track: '112px', min: 64, optional: true },
  { id: 'refs', title: 'Refs', track: '34px', min: 34, right: true },
  { id: 'state', title: 'State', track: 'minmax(116px, .4fr)', min: 64 },
  { id: 'age', title: 'Age', track: '48px', min: 40, right: true, optional: true },
];

const columnSchema = v.picklist(columnIds);

/** What settings keep of the table. What does not fit is left out, never an error. */
const tableSchema = v.object({
  widths: v.optional(v.record(v.string(), v.pipe(v.number(), v.minValue(24), v.maxValue(2000))), {}),
  order: v.optional(v.array(columnSchema), [...columnIds]),
  sort: v.optional(v.array(v.object({ column: columnSchema, descending: v.boolean() })), [
    { column: 'label', descending: false },
  ]),
});
export type TableSettings = v.InferOutput<typeof tableSchema>;
export type SortKey = TableSettings['sort'][number];

export function readTableSettings(value: unknown): TableSettings {
  const read = v.safeParse(tableSchema, value ?? {});
  const settings = read.success ? read.output : v.parse(tableSchema, {});
  // Columns that a newer version added go to the end; none is lost.
  const order = [...new Set([...settings.order, ...columnIds])];
  return { ...settings, order };
}

/** The columns on screen, in the order chosen. */
export function shownColumns({ order }: TableSettings, narrow: boolean): readonly Column[] {
  return order
    .map((id) => columns.find((column) => column.id === id))
    .filter((column): column is Column => column !== undefined && !(narrow && column.optional === true));
}

/** grid-template-columns for them. */
export function tracks(shown: readonly Column[], { widths }: TableSettings): string {
  return shown.map(({ id, track }) => (widths[id] === undefined ? track : `${widths[id]}px`)).join(' ');
}

/**
 * The sort after a click on a header: a new column sorts ascending, the same one turns round. With `add` (Shift) the
 * column becomes a further key, or turns round where it already is one.
 */
export function sortAfterClick(sort: readonly SortKey[], column: ColumnId, add: boolean): SortKey[] {
  const at = sort.findIndex((key) => key.column === column);
  const turned = { column, descending: at >= 0 && !sort[at]?.descending };
  if (!add) return [turned];
  return at < 0 ? [...sort, turned] : sort.map((key, index) => (index === at ? turned : key));
}

/** The order after moving a column one place. */
export function moveColumn(order: readonly ColumnId[], column: ColumnId, step: number): ColumnId[] {
  const from = order.indexOf(column);
  const to = Math.min(Math.max(from + step, 0), order.length - 1);
  const next = order.filter((id) => id !== column);
  next.splice(to, 0, column);
  return next;
}

/** The widths with one changed, or back to what it has by itself. */
export function widthOf(
  widths: TableSettings['widths'],
  column: ColumnId,
  width: number | undefined,
): TableSettings['widths'] {
  const { [column]: _before, ...others } = widths;
  return width === undefined ? others : { ...others, [column]: width };
}
