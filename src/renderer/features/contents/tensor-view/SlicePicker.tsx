import type { CSSProperties } from 'react';
import { tableSize } from '#contract/tensor/slice';
import { formatCount } from '#contract/units';
import { IconButton } from '../../../ui/Button';
import { Field } from '../../../ui/Field';
import { Pick } from '../../../ui/Pick';
import { NumberField, wholeBetween } from '../parts/NumberField';
import type { ViewProps } from '../views';
import { sliceShown, withAxis, withSlice, withSliceText } from './choice';
import { useTensor } from './use-tensor';

/** Which dimensions are rows and columns, and where all others stand; as fields and as NumPy writes it. */
export function SlicePicker({ session }: ViewProps) {
  const [choice, setChoice] = useTensor(session);
  const { layout, slice, sliceTyped } = choice;
  const { shape } = layout;
  const size = tableSize(shape, slice);
  const dimensions = shape.map((length, i) => ({ value: i, label: `${i} of ${formatCount(length)}` }));
  const none = { value: -1, label: 'none' };
  const step = (dimension: number, to: number) => {
    const index = Math.min((shape[dimension] as number) - 1, Math.max(0, to));
    setChoice((before) =>
      withSlice(before, { ...before.slice, at: before.slice.at.map((at, i) => (i === dimension ? index : at)) }),
    );
  };
  return (
    <div className="strip" role="group" aria-label="Slice of the tensor">
      <div style={{ '--field': '128px' } as CSSProperties}>
        <Field
          label="Slice"
          size="small"
          mono
          value={sliceShown(choice)}
          error={sliceTyped?.message}
          onChange={(event) => {
            const text = event.currentTarget.value;
            setChoice((before) => withSliceText(before, text));
          }}
        />
      </div>
      {shape.length > 1 && (
        <>
          <Pick
            label="Rows"
            value={slice.rows ?? -1}
            options={[none, ...dimensions]}
            onChange={(next) => setChoice((before) => withAxis(before, 'rows', next < 0 ? null : next))}
          />
          <Pick
            label="Columns"
            value={slice.columns ?? -1}
            options={slice.rows === null ? [none, ...dimensions] : dimensions}
            onChange={(next) => setChoice((before) => withAxis(before, 'columns', next < 0 ? null : next))}
          />
        </>
      )}
      {shape.map((length, dimension) =>
        dimension === slice.rows || dimension === slice.columns ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the dimension
          <span key={dimension} className="stepper">
            <NumberField
              label={`Dimension ${dimension}`}
              value={slice.at[dimension] as number}
              chars={4}
              check={wholeBetween(0, length - 1)}
              onChange={(to) => step(dimension, to)}
            />
            <IconButton
              icon="minus"
              iconSize={12}
              label={`Dimension ${dimension}: one back`}
              disabled={slice.at[dimension] === 0}
              onClick={() => step(dimension, (slice.at[dimension] as number) - 1)}
            />
            <IconButton
              icon="plus"
              iconSize={12}
              label={`Dimension ${dimension}: one on`}
              disabled={slice.at[dimension] === length - 1}
              onClick={() => step(dimension, (slice.at[dimension] as number) + 1)}
            />
          </span>
        ),
      )}
      <span className="dim num">
        {formatCount(size.rows)} × {formatCount(size.columns)}
      </span>
    </div>
  );
}
