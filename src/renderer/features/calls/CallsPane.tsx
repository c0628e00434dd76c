import './calls.css';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import * as v from 'valibot';
import { formatCount } from '#contract/units';
import { useCommands } from '../../lib/commands';
import { useLedger } from '../../lib/ledger-store';
import { useMedia, useNarrow } from '../../lib/media';
import { setSettings, setTable, useSettings } from '../../lib/settings-store';
import { Button, IconButton, LinkButton } from '../../ui/Button';
import { FilterField } from '../../ui/FilterField';
import type { PeerRole } from '../../ui/RoleGlyph';
import { Tooltip } from '../../ui/Tooltip';
import { CallGrid } from './CallGrid';
import { buildCallRows, wordsOf } from './call-rows';
import { useEndings } from './endings';

const savedSchema = v.fallback(v.object({ newestFirst: v.optional(v.boolean(), false) }), { newestFirst: false });

/** What just happened: every driver call of every process of this app. `quiet` folds it until asked for. */
export function CallsPane({ quiet = false }: { quiet?: boolean }) {
  const calls = useDeferredValue(useLedger((ledger) => ledger.calls));
  const total = useLedger((ledger) => ledger.callsTotal);
  const failed = useLedger((ledger) => ledger.callsFailed);
  const peers = useLedger((ledger) => ledger.peers);
  const endings = useEndings();
  const known = useKnownPeers();
  const { newestFirst } = v.parse(savedSchema, useSettings(({ tables }) => tables.calls) ?? {});
  const [text, setText] = useState('');
  const [failedOnly, setFailedOnly] = useState(false);
  const [following, setFollowing] = useState(true);
  const { folded, toggle } = useFold(quiet);
  const narrow = useNarrow();
  const input = useRef<HTMLInputElement>(null);
  const rows = useMemo(
    () =>
      buildCallRows({
        calls,
        endings,
        peers,
        names: new Map([...known].map(([id, { name }]) => [id, name])),
        filter: { words: wordsOf(text), failedOnly },
        newestFirst,
      }),
    [calls, endings, peers, known, text, failedOnly, newestFirst],
  );
  useCommands(
    useMemo(
      () => [
        { id: 'calls.fold', title: 'Fold or unfold the driver calls', group: 'View', keys: ['Ctrl+J'], run: toggle },
        {
          id: 'calls.filter',
          title: 'Filter driver calls',
          group: 'Move',
          keys: ['/'],
          area: 'calls',
          run: () => input.current?.select(),
        },
        {
          id: 'calls.order',
          title: `Show the ${newestFirst ? 'oldest' : 'newest'} calls first`,
          group: 'View',
          run: () => setTable('calls', { newestFirst: !newestFirst }, { keep: true }),
        },
      ],
      [toggle, newestFirst],
    ),
  );
  const filtered = text.trim() !== '' || failedOnly;
  return (
    <section className="pane calls" aria-label="Driver call log" data-area="calls" data-folded={folded || undefined}>
      <header className="calls-h">
        <IconButton
          icon={folded ? 'right' : 'down'}
          iconSize={14}
          label={folded ? 'Unfold the driver calls' : 'Fold the driver calls'}
          aria-expanded={!folded}
          onClick={toggle}
        />
        <h2>Driver calls</h2>
        <span className="dim num">{formatCount(total)}</span>
        <span className="grow" />
        {!folded && (
          <FilterField
            ref={input}
            className="calls-f"
            size="small"
            label="Filter driver calls"
            placeholder="Function, process, argument"
            value={text}
            parts={[{ at: 0, text }]}
            onChange={setText}
          />
        )}
        <Button
          size="small"
          className="num"
          icon={failed > 0 ? 'warn' : 'check'}
          iconTone={failed > 0 ? 'error' : undefined}
          aria-pressed={failedOnly}
          onClick={() => {
            setFailedOnly(!failedOnly);
            if (folded) toggle();
          }}
        >
          {formatCount(failed)} failed
        </Button>
        {!folded && (
          <>
            <Tooltip text={newestFirst ? 'Newest calls are first' : 'Newest calls are last'}>
              <IconButton
                icon={newestFirst ? 'up' : 'down'}
                iconSize={14}
                label={newestFirst ? 'Show the oldest calls first' : 'Show the newest calls first'}
                onClick={() => setTable('calls', { newestFirst: !newestFirst }, { keep: true })}
              />
            </Tooltip>
            <Button size="small" aria-pressed={following} onClick={() => setFollowing(!following)}>
              Newest
            </Button>
          </>
        )}
      </header>
      <CallGrid
        rows={rows}
        peers={known}
        narrow={narrow}
        newestFirst={newestFirst}
        following={following}
        onFollow={setFollowing}
        hidden={folded || rows.length === 0}
      />
      {!folded && rows.length === 0 && (
        <p className="calls-none">
          {filtered ? 'No call matches the filter. ' : 'No driver call yet.'}
          {filtered && (
            <LinkButton
              onClick={() => {
                setText('');
                setFailedOnly(false);
              }}
            >
              Clear it
            </LinkButton>
          )}
        </p>
      )}
    </section>
  );
}

/** Folded by choice, or because there is no room or no need (`quiet`), until somebody unfolds it there. */
function useFold(quiet: boolean): { readonly folded: boolean; readonly toggle: () => void } {
  const chosen = useSettings(({ callsFolded }) => callsFolded);
  const low = useMedia('(max-height: 719px)');
  const byItself = low || quiet;
  const [unfolded, setUnfolded] = useState(false);
  useEffect(() => {
    if (!byItself) setUnfolded(false);
  }, [byItself]);
  const folded = byItself ? !unfolded : chosen;
  const toggle = useCallback(() => {
    if (byItself) setUnfolded((open) => !open);
    else void setSettings({ callsFolded: !folded });
  }, [byItself, folded]);
  return { folded, toggle };
}

/** Names and roles of all processes that there have been, so that old calls keep theirs. */
function useKnownPeers(): ReadonlyMap<string, { readonly name: string; readonly role: PeerRole }> {
  const peers = useLedger((ledger) => ledger.peers);
  const [known, setKnown] = useState<ReadonlyMap<string, { name: string; role: PeerRole }>>(new Map());
  useEffect(() => {
    setKnown((before) => {
      const fresh = [...peers.values()].filter(({ id, name }) => before.get(id)?.name !== name);
      return fresh.length === 0
        ? before
        : new Map([...before, ...fresh.map(({ id, name, role }) => [id, { name, role }] as const)]);
    });
  }, [peers]);
  return known;
}
