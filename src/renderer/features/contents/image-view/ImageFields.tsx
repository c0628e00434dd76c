import { useState } from 'react';
import { dtypeIds } from '#contract/dtypes';
import { colormaps } from '#contract/tensor/colormaps';
import { type ImageLayout, tightPitch } from '#contract/tensor/image';
import { formatCount } from '#contract/units';
import { IconButton } from '../../../ui/Button';
import { Field } from '../../../ui/Field';
import { Menu } from '../../../ui/Menu';
import { Pick } from '../../../ui/Pick';
import { Switch } from '../../../ui/Switch';
import { NumberField } from '../parts/NumberField';
import { parseOffset } from '../tensor-view/choice';
import type { ViewProps } from '../views';
import { proposedImages } from './proposals';
import { type ImageChoice, useImage, withLayout } from './use-image';

const types = dtypeIds.map((value) => ({ value, label: value }));
const channels = [
  { value: 1, label: '1, grey or colours' },
  { value: 3, label: '3, RGB' },
  { value: 4, label: '4, RGBA' },
] as const;
const orders = [
  { value: 'HWC', label: 'interleaved' },
  { value: 'CHW', label: 'planar' },
] as const;
const maps = colormaps.map(({ id, name }) => ({ value: id, label: name }));
const ranges = [
  { value: 'extremes', label: 'least to greatest' },
  { value: 'percentiles', label: '1 % to 99 %' },
  { value: 'manual', label: 'by hand' },
] as const;

/** Size, channels, type and place of the picture, and how numbers become light. Taken over as they are typed. */
export function ImageFields({ session }: ViewProps) {
  const [choice, setChoice] = useImage(session);
  const [offset, setOffset] = useState<string>();
  const { wanted, error } = choice;
  const lay = (change: Partial<ImageLayout>) => setChoice((before) => withLayout(before, change, session.size));
  const change = (next: Partial<ImageChoice>) => setChoice((before) => ({ ...before, ...next }));
  const read = parseOffset(offset ?? String(wanted.offset));
  return (
    <>
      <div className="strip" role="group" aria-label="Layout of the picture">
        <NumberField label="Width" value={wanted.width} chars={8} onChange={(width) => lay({ width })} />
        <div className="with-menu">
          <NumberField label="Height" value={wanted.height} chars={8} onChange={(height) => lay({ height })} />
          <Menu
            label="Pictures that fit"
            align="start"
            trigger={<IconButton icon="down" iconSize={12} label="Pictures that fit" />}
            items={proposedImages(wanted.dtype, session.size).map((one) => ({
              label: `${formatCount(one.width)} × ${formatCount(one.height)}, ${one.channels === 1 ? '1 channel' : `${one.channels} channels${one.order === 'CHW' ? ', planar' : ''}`}`,
              onSelect: () => lay(one),
            }))}
          />
        </div>
        <Pick<1 | 3 | 4>
          label="Channels"
          value={wanted.channels}
          options={channels}
          onChange={(next) => lay({ channels: next })}
        />
        {wanted.channels > 1 && (
          <Pick<'HWC' | 'CHW'>
            label="Order"
            value={wanted.order}
            options={orders}
            onChange={(order) => lay({ order })}
          />
        )}
        <Pick label="Type" value={wanted.dtype} options={types} onChange={(dtype) => lay({ dtype })} />
        <NumberField
          label="Pitch"
          value={wanted.pitch ?? tightPitch(wanted)}
          chars={7}
          onChange={(pitch) => lay({ pitch: pitch === tightPitch(wanted) ? null : pitch })}
        />
        <Field
          label="Offset"
          size="small"
          mono
          value={offset ?? String(wanted.offset)}
          error={read.ok ? undefined : read.message}
          onChange={(event) => {
            const text = event.currentTarget.value;
            setOffset(text);
            const next = parseOffset(text);
            if (next.ok) lay({ offset: next.value });
          }}
          onBlur={() => setOffset(undefined)}
        />
      </div>
      <div className="strip" role="group" aria-label="Look of the picture">
        <Pick<ImageChoice['range']>
          label="Range"
          value={choice.range}
          options={ranges}
          onChange={(range) => change({ range })}
        />
        <NumberField
          label="from"
          value={choice.low}
          chars={11}
          step={0}
          onChange={(low) => change({ low, range: 'manual' })}
        />
        <NumberField
          label="to"
          value={choice.high}
          chars={11}
          step={0}
          onChange={(high) => change({ high, range: 'manual' })}
        />
        {wanted.channels === 1 && (
          <Pick label="Colours" value={choice.colormap} options={maps} onChange={(colormap) => change({ colormap })} />
        )}
        {wanted.channels === 4 && (
          <Switch checked={choice.alpha} onChange={(alpha) => change({ alpha })}>
            Alpha
          </Switch>
        )}
      </div>
      {error !== undefined && (
        <p className="strip-note error" role="alert">
          {error}
          {choice.layout !== undefined && ' The picture before is shown.'}
        </p>
      )}
    </>
  );
}
