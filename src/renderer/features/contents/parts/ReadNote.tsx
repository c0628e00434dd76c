import type { LiveRanges } from '../model/live-ranges';

/** Why what a view shows is not new, when its last read failed. */
export function ReadNote({ live }: { readonly live: LiveRanges }) {
  const { error } = live;
  if (error === undefined) return null;
  return (
    <p className="strip-note error" role="alert">
      {error.message} {error.hint ?? (live.takenAt === undefined ? '' : 'What is shown is what was read last.')}
    </p>
  );
}
