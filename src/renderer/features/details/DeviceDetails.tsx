import { useState } from 'react';
import type { Device, Sharing } from '#contract/devices';
import { formatSize } from '#contract/units';
import { act } from '../../lib/act';
import { lookAgain, useApp } from '../../lib/app-store';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Icon } from '../../ui/Icon';
import { Header } from './Header';
import type { Verdict } from './pointer-facts';
import { Facts, Section } from './Section';
import { Verdicts } from './Verdicts';

const ways: ReadonlyArray<readonly [keyof Sharing, string]> = [
  ['legacyMemory', 'Legacy memory'],
  ['events', 'Events'],
  ['poolFd', 'Pools, fd'],
  ['vmmFd', 'Virtual, fd'],
  ['fabric', 'Fabric'],
];

const computeModes = {
  default: 'default mode',
  prohibited: 'prohibited: no process can use it',
  'exclusive-process': 'exclusive: one process at a time',
  unknown: 'mode unknown',
};

function memory({ totalBytes, freeBytes }: Device): string {
  if (freeBytes === null) return `${formatSize(totalBytes)}, free unknown`;
  return `${formatSize(totalBytes)}, ${freeBytes === totalBytes ? 'all' : formatSize(freeBytes)} free`;
}

/** Which other devices can read this one's memory directly. */
function peersText(device: Device, devices: readonly Device[]): string {
  if (devices.length < 2) return 'none: one device';
  return device.peers
    .filter(({ ordinal }) => ordinal !== device.ordinal)
    .map(({ ordinal, access }) => `GPU ${ordinal} ${access === null ? 'unknown' : access ? 'yes' : 'no'}`)
    .join(', ');
}

/** The file of a path; words as they are. */
const baseName = (what: string): string => (what.startsWith('/') ? (what.split('/').at(-1) ?? what) : what);

/** What a device is, what can be shared from it, and why it is simulated if it is. */
export function DeviceDetails({ device }: { device: Device }) {
  const { info, devices } = useApp();
  const [all, setAll] = useState(false);
  const driver = info?.driver;
  const simulated = driver?.kind === 'simulator';
  const verdicts: readonly Verdict[] = ways.map(([id, name]) => ({
    name,
    can: device.sharing[id].supported,
    why: device.sharing[id].why,
  }));
  const attributes = Object.entries(device.attributes);
  return (
    <>
      <Header
        icon="gpu"
        title={`GPU ${device.ordinal}`}
        kind="device"
        end={simulated && <Chip tone="simulated">simulated</Chip>}
      />
      <Section title="Device">
        <Facts
          facts={[
            ['Name', device.name],
            [
              'UUID',
              <span key="u" className="mono" title={device.uuid}>
                {device.uuid}
              </span>,
            ],
            [
              'PCI address',
              <span key="p" className="mono">
                {device.pciBusId}
              </span>,
            ],
            ['Memory', memory(device)],
            ['Compute', `${device.computeCapability}, ${computeModes[device.computeMode]}`],
            ['Peers', peersText(device, devices)],
            ['Driver', driver && [driver.release, `CUDA ${driver.version}`].filter(Boolean).join(', ')],
            [
              'Library',
              driver && (
                <span key="l" className="mono" title={driver.path}>
                  {driver.path}
                </span>
              ),
            ],
          ]}
        />
      </Section>
      <Section title="What it can share">
        <Verdicts verdicts={verdicts} />
      </Section>
      {simulated && driver !== undefined && (
        <>
          <Section
            title="Why it is simulated"
            actions={
              <Button size="small" icon="restart" onClick={() => void act('Look for a real driver', lookAgain)}>
                Look again
              </Button>
            }
          >
            <ul className="why">
              {driver.attempts.map(({ what, ok, detail }) => (
                <li key={`${what} ${detail}`}>
                  <Icon
                    name={ok === null ? 'minus' : ok ? 'check' : 'cross'}
                    size={14}
                    tone={ok === true ? undefined : 'dim'}
                  />
                  <span title={what}>
                    {baseName(what)} <span className="dim">{detail}</span>
                  </span>
                </li>
              ))}
            </ul>
            <p className="note details-note">
              Install the NVIDIA driver, then choose Look again. To insist on one of them, start with{' '}
              <span className="mono soft">GPU_IPC_DRIVER=real</span> or <span className="mono soft">simulator</span>.
            </p>
          </Section>
          <Section title="What is the same">
            <p className="soft details-p">
              Processes, handles, results and errors are real; timings and memory speed are not. Other programs on this
              machine can join through the simulated library.
            </p>
          </Section>
        </>
      )}
      {driver?.kind === 'real' && (
        <Section title="Simulator">
          <p className="soft details-p">
            {driver.noSimulator === undefined ? (
              <>
                To use simulated GPUs instead, start with <span className="mono">GPU_IPC_DRIVER=simulator</span>.
              </>
            ) : (
              `Not available on this machine. ${driver.noSimulator}`
            )}
          </p>
        </Section>
      )}
      <Section title="Attributes" aside={attributes.length}>
        <Button
          size="small"
          className="details-more"
          icon={all ? 'down' : 'right'}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Hide them' : 'Show them'}
        </Button>
        {all && (
          <Facts
            facts={attributes.map(([name, value]) => [
              name.toLowerCase().replaceAll('_', ' '),
              value ?? 'unknown to this driver',
            ])}
          />
        )}
      </Section>
    </>
  );
}
