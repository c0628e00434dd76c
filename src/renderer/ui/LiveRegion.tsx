import { useAnnouncement } from '../lib/announce';

/** Says to screen readers what `announce` was told. Once in each window. */
export function LiveRegion() {
  const { text, turn } = useAnnouncement();
  return (
    <div className="sr" role="status" aria-live="polite" aria-label="Announcements">
      <span key={turn}>{text}</span>
    </div>
  );
}
