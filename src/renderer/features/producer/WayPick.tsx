import type { Device } from '#contract/devices';
import { formatSize } from '#contract/units';
import { roundUp, useGranularity } from '../../lib/granularity';
import { type DemoWay, demoWays, supportOf, ways } from '../../ui/demo/mechanism';
import { StepRow } from '../../ui/demo/StepCard';
import { Segmented } from '../../ui/Segmented';

/** Small legacy buffers share a block of this size. */
const BLOCK = 2 ** 21;

export interface WayPickProps {
  readonly value: DemoWay;
  readonly device: Device | undefined;
  /** Size asked for; undefined while it cannot be read. */
  readonly bytes: number | undefined;
  readonly onChange: (way: DemoWay) => void;
}

/** How the buffer will be shared: its kind of memory decides that. What the device cannot is there with the reason. */
export function WayPick({ value, device, bytes, onChange }: WayPickProps) {
  const granularity = useGranularity(value === 'virtual' ? device?.ordinal : undefined).value?.minimum;
  const cannot = demoWays.filter((way) => supportOf(way, device)?.supported === false);
  const fabric = supportOf('fabric', device);
  return (
    <>
      <StepRow className="way">
        <span className="dim">Shared by</span>
        <Segmented<DemoWay | 'fabric'>
          label="Shared by"
          value={value}
          options={[
            ...demoWays.map((way) => ({ value: way, label: ways[way].name, disabled: cannot.includes(way) })),
            { value: 'fabric', label: 'Fabric', disabled: true },
          ]}
          onChange={(way) => way !== 'fabric' && onChange(way)}
        />
      </StepRow>
      <p className="step-note words" id="way-means">
        {ways[value].means}
        {value === 'legacy' && bytes !== undefined && bytes % BLOCK !== 0 && (
          <> Here that is a block of {formatSize(roundUp(bytes, BLOCK))}.</>
        )}
        {value === 'virtual' && granularity !== undefined && bytes !== undefined && bytes % granularity !== 0 && (
          <>
            {' '}
            Here it becomes {formatSize(roundUp(bytes, granularity))}: the step is {formatSize(granularity)}.
          </>
        )}
      </p>
      {cannot.map((way) => (
        <p key={way} className="step-note words">
          {ways[way].name}: {supportOf(way, device)?.why}
        </p>
      ))}
      <p className="step-note words">
        Fabric:{' '}
        {fabric?.supported === true
          ? 'this GPU can. Make such memory in Inspector: its importers may be on other machines.'
          : (fabric?.why ?? 'not known yet.')}
      </p>
    </>
  );
}
