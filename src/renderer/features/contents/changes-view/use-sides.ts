/** What can be compared now, and the form that says what is: shared by the parts of the view. */
import { useMemo } from 'react';
import * as v from 'valibot';
import { dtypeIds } from '#contract/dtypes';
import { useSelfId } from '../../../lib/app-store';
import { useLedgerStore } from '../../../lib/ledger-store';
import type { MemorySession } from '../model/memory-session';
import { useRemembered } from '../model/remembered';
import { useKept } from '../model/use-kept';
import { useSignal } from '../model/use-signal';
import { type CompareQuestion, parseTolerance } from './comparison';
import { firstPair, pair, type Side, sidesOf } from './sides';
import { snapshots } from './snapshots';

/** How values are compared: as bytes, or as elements of a type. */
export const compareSettings = v.object({
  as: v.optional(v.picklist(['bytes', ...dtypeIds]), 'bytes'),
  absolute: v.optional(v.string(), ''),
  relative: v.optional(v.string(), ''),
});

interface Chosen {
  readonly a: string | undefined;
  readonly b: string | undefined;
}

export interface CompareForm {
  readonly sides: readonly Side[];
  readonly a: Side | undefined;
  readonly b: Side | undefined;
  readonly choose: (change: Partial<Chosen>) => void;
  /** What would be asked; undefined while something is missing or wrong. */
  readonly question: CompareQuestion | undefined;
  /** Why it cannot be asked. */
  readonly problem: string | undefined;
}

export function useCompareForm(session: MemorySession): CompareForm {
  const selfId = useSelfId();
  const taken = useSignal(snapshots.onChange, () => snapshots.taken);
  // Calls change the ledger many times a second; only these tables matter here.
  const peers = useLedgerStore(({ ledger }) => ledger.peers);
  const allocations = useLedgerStore(({ ledger }) => ledger.allocations);
  const mappings = useLedgerStore(({ ledger }) => ledger.mappings);
  const exports = useLedgerStore(({ ledger }) => ledger.exports);
  const sides = useMemo(
    () => sidesOf({ ...useLedgerStore.getState().ledger, peers, allocations, mappings, exports }, taken.list, selfId),
    [peers, allocations, mappings, exports, taken, selfId],
  );
  const [chosen, setChosen] = useKept<Chosen>(session, 'changes.sides', () => ({ a: undefined, b: undefined }));
  const settings = useRemembered('compare', compareSettings);
  const first = firstPair(sides, session.source.id);
  const find = (id: string | undefined, otherwise: string | undefined) =>
    sides.find((side) => side.id === id) ?? sides.find((side) => side.id === otherwise);
  const a = find(chosen.a, first.a);
  const b = find(chosen.b, first.b);
  const choose = (change: Partial<Chosen>) => setChosen((before) => ({ ...before, ...change }));
  const absolute = parseTolerance(settings.absolute);
  const relative = parseTolerance(settings.relative);
  const refuse = (problem: string | undefined): CompareForm => ({ sides, a, b, choose, question: undefined, problem });

  if (a === undefined || b === undefined) return refuse('Take a snapshot first, or choose another buffer or mapping.');
  if (a.id === b.id) return refuse('Both sides are the same.');
  const pairing = pair(a, b);
  if (pairing === undefined) return refuse('The two are different parts of the memory: they have no byte in common.');
  if (settings.as !== 'bytes' && (absolute === undefined || relative === undefined))
    return refuse('A tolerance is a number from 0 on.');
  const question: CompareQuestion = {
    a: a.id,
    b: b.id,
    ...pairing,
    dtype: settings.as === 'bytes' ? undefined : settings.as,
    tolerance: { absolute: absolute ?? 0, relative: relative ?? 0 },
  };
  return { sides, a, b, choose, question, problem: undefined };
}
