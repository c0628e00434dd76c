import './devices.css';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { askAgain, useApp } from '../../lib/app-store';
import { openDialog } from '../../lib/dialogs';
import { useLedger } from '../../lib/ledger-store';
import { useSelection } from '../../lib/selection-store';
import { Button } from '../../ui/Button';
import { ErrorText } from '../../ui/ErrorText';
import { Icon } from '../../ui/Icon';
import { Kbd } from '../../ui/Kbd';
import { Later } from '../../ui/Later';
import { DeviceCard } from './DeviceCard';
import { PeerCard } from './PeerCard';

const roleOrder = { inspector: 0, producer: 1, consumer: 2, outside: 3 } as const;

/** Up and down go from card to card, right to the buttons of one, left back to the card. */
function cardAfterKey(key: string, nav: HTMLElement | null, from: Element | null): HTMLElement | undefined {
  const card = from?.closest('li.device, li.peer');
  if (nav === null || card == null) return undefined;
  const cards = [...nav.querySelectorAll<HTMLElement>('[data-rail-item]')];
  const at = cards.findIndex((item) => card.contains(item));
  if (key === 'ArrowDown') return cards[at + 1];
  if (key === 'ArrowUp') return cards[at - 1];
  const inside = [...card.querySelectorAll<HTMLElement>('button')];
  const place = inside.indexOf(from as HTMLElement);
  if (key === 'ArrowRight') return inside[place + 1];
  return key === 'ArrowLeft' ? inside[place - 1] : undefined;
}

/** The devices of this machine and the processes that share their memory. Arrow keys go from card to card. */
export function Rail() {
  const nav = useRef<HTMLElement>(null);
  const { devices, devicesStatus, error } = useApp();
  const peerTable = useLedger((ledger) => ledger.peers);
  const selection = useSelection((store) => store.selection);
  const peers = useMemo(
    () => [...peerTable.values()].sort((a, b) => roleOrder[a.role] - roleOrder[b.role] || a.startedAt - b.startedAt),
    [peerTable],
  );
  // One tab stop for all cards: the selected one, otherwise the first.
  const stop =
    selection?.kind === 'peer' && peerTable.has(selection.id)
      ? selection.id
      : selection?.kind === 'device'
        ? selection.ordinal
        : devices[0]?.ordinal;
  // For the benchmark of starting: the first list of devices is in the page.
  const listed = devices.length > 0;
  useEffect(() => {
    if (listed) performance.mark('devices-shown');
  }, [listed]);
  const move = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey) return;
    const next = cardAfterKey(event.key, nav.current, document.activeElement);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <nav ref={nav} className="rail" aria-label="Devices" data-area="rail" onKeyDown={move}>
      <header className="bar">
        <h1 className="brand">
          <Icon name="logo" tone="accent" />
          <span className="brand-w">GPU IPC Inspector</span>
        </h1>
        <span className="grow" />
        <Button
          size="small"
          className="rail-k"
          aria-label="Search or run a command (Ctrl+K)"
          onClick={() => openDialog({ kind: 'palette' })}
        >
          <Kbd>Ctrl K</Kbd>
        </Button>
      </header>
      <section aria-labelledby="rail-devices">
        <h2 className="rail-h" id="rail-devices">
          Devices<span className="num">{devices.length}</span>
        </h2>
        {devicesStatus === 'loading' && (
          <Later>
            <p className="rail-p dim">Asking the driver…</p>
          </Later>
        )}
        {devicesStatus === 'failed' && error !== undefined && (
          <div className="rail-p">
            <ErrorText error={error} />
            <Button look="line" size="small" icon="restart" onClick={() => void askAgain()}>
              Ask again
            </Button>
          </div>
        )}
        <ul>
          {devices.map((device) => (
            <DeviceCard
              key={device.uuid}
              device={device}
              tabStop={stop === device.ordinal}
              selected={selection?.kind === 'device' && selection.ordinal === device.ordinal}
            />
          ))}
        </ul>
      </section>
      <section aria-labelledby="rail-processes">
        <h2 className="rail-h" id="rail-processes">
          Processes<span className="num">{peers.length}</span>
        </h2>
        <ul>
          {peers.map((peer) => (
            <PeerCard
              key={peer.id}
              peer={peer}
              tabStop={stop === peer.id}
              selected={selection?.kind === 'peer' && selection.id === peer.id}
            />
          ))}
        </ul>
      </section>
    </nav>
  );
}
