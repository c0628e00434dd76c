import { Segmented } from '../../../ui/Segmented';
import type { ViewProps } from '../views';
import { useShow } from './use-tensor';

/** Numbers as a table or as a line. */
export function TensorTools({ session }: ViewProps) {
  const [show, setShow] = useShow(session);
  return (
    <Segmented<'table' | 'plot'>
      label="Show the slice as"
      size="tiny"
      value={show.as}
      options={[
        { value: 'table', label: 'Table' },
        { value: 'plot', label: 'Plot' },
      ]}
      onChange={(as) => setShow((before) => ({ ...before, as }))}
    />
  );
}
