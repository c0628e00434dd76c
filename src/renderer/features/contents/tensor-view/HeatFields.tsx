import { colormaps } from '#contract/tensor/colormaps';
import { Button } from '../../../ui/Button';
import { Pick } from '../../../ui/Pick';
import { Switch } from '../../../ui/Switch';
import { useSignal } from '../model/use-signal';
import { NumberField } from '../parts/NumberField';
import type { ViewProps } from '../views';
import type { HeatChoice } from './choice';
import { sliceRanges } from './slice-range';
import { useHeat, useTensor } from './use-tensor';

const maps = colormaps.map(({ id, name }) => ({ value: id, label: name }));
const ranges = [
  { value: 'visible', label: 'in sight' },
  { value: 'slice', label: 'whole slice' },
  { value: 'manual', label: 'by hand' },
] as const;

/** Numbers as colours: on or off, between which numbers, in which colours. */
export function HeatFields({ session }: ViewProps) {
  const [choice] = useTensor(session);
  const [heat, setHeat] = useHeat(session);
  const range = sliceRanges.of(session);
  const error = useSignal(range.onChange, () => range.failureOf(choice)?.message);
  const asking = useSignal(range.onChange, () => range.isAsking(choice));
  const change = (next: Partial<HeatChoice>) => setHeat((before) => ({ ...before, ...next }));
  const takeRange = async (hand: HeatChoice['range']) => {
    change({ range: hand });
    if (hand !== 'slice') return;
    const found = await range.ask(choice);
    if (found !== undefined) change(found);
  };
  return (
    <>
      <div className="strip" role="group" aria-label="Heat map">
        <Switch checked={heat.on} onChange={(on) => change({ on })}>
          Heat map
        </Switch>
        {heat.on && (
          <>
            <Pick<HeatChoice['range']>
              label="Range"
              value={heat.range}
              options={ranges}
              onChange={(next) => void takeRange(next)}
            />
            <NumberField
              label="from"
              value={heat.low}
              chars={9}
              step={0}
              onChange={(low) => change({ low, range: 'manual' })}
            />
            <NumberField
              label="to"
              value={heat.high}
              chars={9}
              step={0}
              onChange={(high) => change({ high, range: 'manual' })}
            />
            {heat.range === 'slice' && (
              <Button size="small" icon="restart" disabled={asking} onClick={() => void takeRange('slice')}>
                Fit again
              </Button>
            )}
            <Pick label="Colours" value={heat.colormap} options={maps} onChange={(colormap) => change({ colormap })} />
          </>
        )}
      </div>
      {heat.on && heat.range === 'slice' && error !== undefined && (
        <p className="strip-note error" role="alert">
          The range of the whole slice is not known: {error}
        </p>
      )}
    </>
  );
}
