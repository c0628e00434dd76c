import './palette.css';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Peer } from '#contract/records';
import { formatSize } from '#contract/units';
import { type Command, useCommandStore } from '../../lib/commands';
import { closeDialog, useDialog } from '../../lib/dialogs';
import { type Group, groupsOf } from '../../lib/groups';
import { groupIcon, groupWord } from '../../lib/kinds';
import { useLedger } from '../../lib/ledger-store';
import { select, selectObject } from '../../lib/selection-store';
import { groupState } from '../../lib/states';
import { cx } from '../../ui/cx';
import { Icon, type IconName } from '../../ui/Icon';
import { Kbd } from '../../ui/Kbd';
import { type Match, match } from './matching';

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly icon: IconName;
  /** At the right: a key, or what kind of thing it is. */
  readonly keys?: string;
  readonly kind?: string;
  readonly run: () => void;
}

/** More than anybody reads. */
const MOST = 60;

/** Commands, handles and processes in one list. */
export function Palette() {
  const open = useDialog(({ dialog }) => dialog?.kind === 'palette');
  return open ? <OpenPalette /> : null;
}

function OpenPalette() {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const commands = useCommandStore((store) => store.commands);
  const groups = useLedger((ledger) => groupsOf(ledger).list);
  const peers = useLedger((ledger) => ledger.peers);
  const results = useMemo(
    () =>
      search(
        [
          ...commandEntries(commands),
          ...groups.map((group) => groupEntry(group, peers)),
          ...[...peers.values()].map(peerEntry),
        ],
        query,
      ),
    [commands, groups, peers, query],
  );
  const current = Math.min(at, results.length - 1);
  useEffect(() => {
    list.current?.querySelector(`#palette-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    closeDialog();
    // After the dialog has given the focus back: a command may move it.
    setTimeout(entry.run);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((current + step + results.length) % Math.max(1, results.length));
    else if (event.key === 'Enter') run(results[current]?.entry);
    else return;
    event.preventDefault();
  };
  return (
    <BaseDialog.Root open onOpenChange={(next) => !next && closeDialog()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="dlg-back" />
        <BaseDialog.Popup className="float palette" aria-label="Commands" initialFocus={input}>
          <div className="palette-h">
            <Icon name="search" tone="dim" />
            <input
              ref={input}
              role="combobox"
              aria-label="Search commands, handles and processes"
              aria-expanded
              aria-controls="palette-list"
              aria-activedescendant={results.length > 0 ? `palette-${current}` : undefined}
              autoComplete="off"
              spellCheck={false}
              value={query}
              placeholder="Command, handle or process"
              onChange={(event) => {
                setQuery(event.target.value);
                setAt(0);
              }}
              onKeyDown={press}
            />
            <Kbd>Esc</Kbd>
          </div>
          <div ref={list} className="palette-l" id="palette-list" role="listbox" aria-label="Results">
            {results.map(({ entry, found }, index) => (
              // The input has the keyboard and runs the current option on Enter.
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above
              <div
                key={entry.key}
                id={`palette-${index}`}
                role="option"
                aria-selected={index === current}
                className={cx('opt', index === current && 'on')}
                onClick={() => run(entry)}
                onPointerMove={() => setAt(index)}
              >
                <Icon name={entry.icon} />
                <span className="grow cut">
                  {found.parts.map((part) =>
                    part.hit ? <mark key={part.at}>{part.text}</mark> : <span key={part.at}>{part.text}</span>,
                  )}{' '}
                  <span className="dim num">{entry.detail}</span>
                </span>
                {entry.keys !== undefined && <Kbd>{entry.keys}</Kbd>}
                {entry.kind !== undefined && <span className="dim">{entry.kind}</span>}
              </div>
            ))}
          </div>
          {results.length === 0 && <p className="palette-none">Nothing is called “{query.trim()}”.</p>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function search(
  entries: readonly Entry[],
  query: string,
): ReadonlyArray<{ readonly entry: Entry; readonly found: Match }> {
  const found = entries.flatMap((entry) => {
    const result = match(entry.title, query);
    return result === undefined ? [] : [{ entry, found: result }];
  });
  // Without a query the order of registration says more than the length of titles.
  if (query.trim() !== '') found.sort((a, b) => b.found.score - a.found.score);
  return found.slice(0, MOST);
}

const spaced = (chord: string): string => chord.replaceAll('+', ' ');

function commandEntries(commands: readonly Command[]): readonly Entry[] {
  const last = new Map<string, Command>();
  for (const command of commands) last.set(command.id, command);
  return [...last.values()]
    .filter(({ hidden, when }) => hidden !== true && when?.() !== false)
    .map(({ id, title, icon, keys, run }) => ({
      key: id,
      title,
      detail: '',
      icon: icon ?? 'right',
      keys: keys?.[0] === undefined ? undefined : spaced(keys[0]),
      run,
    }));
}

function groupEntry(group: Group, peers: ReadonlyMap<string, Peer>): Entry {
  const owner = group.ownerId === undefined ? '' : (peers.get(group.ownerId)?.name ?? '');
  const what = 'bytes' in group ? formatSize(group.bytes) : groupState(group).word;
  return {
    key: group.id,
    title: group.label,
    detail: [what, owner].filter(Boolean).join(', '),
    icon: groupIcon(group),
    kind: group.kind === 'memory' ? 'handle' : groupWord(group),
    run: () => selectObject(group.id),
  };
}

const peerIcons = { inspector: 'inspector', producer: 'exporter', consumer: 'importer', outside: 'outside' } as const;

const peerEntry = (peer: Peer): Entry => ({
  key: peer.id,
  title: peer.name,
  detail: String(peer.pid ?? ''),
  icon: peerIcons[peer.role],
  kind: 'process',
  run: () => select({ kind: 'peer', id: peer.id }),
});
