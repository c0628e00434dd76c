import { tableSize } from '#contract/tensor/slice';
import { Segmented } from '../../../ui/Segmented';
import { NumberField, wholeBetween } from '../parts/NumberField';
import type { ViewProps } from '../views';
import { useShow, useTensor } from './use-tensor';

/** Which line of the slice is drawn. */
export function LineFields({ session }: ViewProps) {
  const [show, setShow] = useShow(session);
  const [choice, setChoice] = useTensor(session);
  const size = tableSize(choice.layout.shape, choice.slice);
  const across = show.line === 'row' ? 'row' : 'column';
  const most = Math.max(0, (show.line === 'row' ? size.rows : size.columns) - 1);
  return (
    <div className="strip" role="group" aria-label="Line of the plot">
      <Segmented<'row' | 'column'>
        label="The line is"
        size="tiny"
        value={show.line}
        options={[
          { value: 'row', label: 'A row' },
          { value: 'column', label: 'A column' },
        ]}
        onChange={(line) => setShow((before) => ({ ...before, line }))}
      />
      <NumberField
        label={show.line === 'row' ? 'Row' : 'Column'}
        value={choice.cell[across]}
        check={wholeBetween(0, most)}
        onChange={(to) => setChoice((before) => ({ ...before, cell: { ...before.cell, [across]: to } }))}
      />
    </div>
  );
}
