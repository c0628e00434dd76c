import './changes.css';
import type { ViewProps } from '../views';
import { ComparePart } from './ComparePart';
import { comparisonOf } from './comparison';
import { SnapshotPart } from './SnapshotPart';
import { firstPair, pair } from './sides';
import { useCompareForm } from './use-sides';

/** How the memory was before, and what another process has: snapshots, and comparing. */
export function ChangesView({ session }: ViewProps) {
  const form = useCompareForm(session);
  const compareNow = (id: string) => {
    const { sides, question } = form;
    const snapshot = sides.find((side) => side.id === id);
    // With the memory it was taken of, when that is still there; else with the one on screen.
    const live =
      sides.find((side) => side.kind === 'memory' && side.readable && side.root === snapshot?.root) ??
      sides.find((side) => side.id === firstPair(sides, session.source.id).b);
    if (snapshot === undefined || live === undefined) return;
    form.choose({ a: snapshot.id, b: live.id });
    const pairing = pair(snapshot, live);
    if (pairing === undefined) return;
    void comparisonOf(session).ask({
      a: snapshot.id,
      b: live.id,
      ...pairing,
      dtype: question?.dtype,
      tolerance: question?.tolerance ?? { absolute: 0, relative: 0 },
    });
  };
  return (
    <div className="changes" data-area="memory">
      <SnapshotPart session={session} onCompare={compareNow} />
      <ComparePart session={session} form={form} />
    </div>
  );
}
