import type { CSSProperties } from 'react';
import { dtypeIds, elementsInBytes } from '#contract/dtypes';
import { contiguity, contiguousStrides, elementCount, shapeText } from '#contract/tensor/shape';
import { formatCount } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { IconButton } from '../../../ui/Button';
import { Field } from '../../../ui/Field';
import { Menu } from '../../../ui/Menu';
import { Pick } from '../../../ui/Pick';
import { Tooltip } from '../../../ui/Tooltip';
import type { ViewProps } from '../views';
import { parseOffset, proposedShapes, proposedStrides, type TensorTexts, withTexts } from './choice';
import { useTensor } from './use-tensor';

const types = dtypeIds.map((value) => ({ value, label: value }));

/** Type, shape, strides and offset, taken over as they are typed. */
export function LayoutFields({ session }: ViewProps) {
  const [choice, setChoice] = useTensor(session);
  const { texts, error, layout } = choice;
  const take = (change: Partial<TensorTexts>) => setChoice((before) => withTexts(before, change, session.size));
  const errorOf = (field: 'shape' | 'strides' | 'offset') => (error?.field === field ? error.message : undefined);
  const offset = parseOffset(texts.offset);
  const room = Math.max(0, session.size - (offset.ok ? offset.value : 0));
  const tight = contiguity(layout);
  return (
    <div className="strip" role="group" aria-label="Layout of the tensor">
      <Pick
        label="Type"
        value={texts.dtype}
        options={types}
        onChange={(dtype) => {
          session.setDtype(dtype);
          // The whole memory stays the whole memory; any other shape was chosen and stays as it is.
          const whole = texts.shape === shapeText([elementsInBytes(room, texts.dtype)]);
          take(whole ? { dtype, shape: shapeText([elementsInBytes(room, dtype)]) } : { dtype });
        }}
      />
      <div className="with-menu" style={{ '--field': '148px' } as CSSProperties}>
        <Field
          label="Shape"
          size="small"
          mono
          value={texts.shape}
          error={errorOf('shape')}
          onChange={(event) => take({ shape: event.currentTarget.value })}
        />
        <Menu
          label="Shapes that fit"
          align="start"
          trigger={<IconButton icon="down" iconSize={12} label="Shapes that fit" />}
          items={proposedShapes(elementsInBytes(room, texts.dtype)).map((shape) => ({
            label: shapeText(shape),
            onSelect: () => take({ shape: shapeText(shape), strides: '' }),
          }))}
        />
      </div>
      <div className="with-menu" style={{ '--field': '112px' } as CSSProperties}>
        <Field
          label="Strides"
          size="small"
          mono
          value={texts.strides}
          placeholder={shapeText(contiguousStrides(layout.shape))}
          error={errorOf('strides')}
          onChange={(event) => take({ strides: event.currentTarget.value })}
        />
        <Menu
          label="Orders in memory"
          align="start"
          trigger={<IconButton icon="down" iconSize={12} label="Orders in memory" />}
          items={proposedStrides(layout.shape).map(({ label, strides }, i) => ({
            label,
            detail: shapeText(strides),
            onSelect: () => take({ strides: i === 0 ? '' : shapeText(strides) }),
          }))}
        />
      </div>
      <div className="with-menu">
        <Field
          label="Offset"
          size="small"
          mono
          value={texts.offset}
          error={errorOf('offset')}
          onChange={(event) => take({ offset: event.currentTarget.value })}
        />
        <Tooltip text="Begin at the cursor">
          <IconButton
            icon="fwd"
            iconSize={14}
            label="Begin at the cursor"
            onClick={() => take({ offset: hexOffset(session.selection.start) })}
          />
        </Tooltip>
      </div>
      <span className="dim num">
        {formatCount(elementCount(layout.shape))} elements
        {tight === null ? ', with gaps' : tight === 'F' && layout.shape.length > 1 ? ', column by column' : ''}
      </span>
    </div>
  );
}
