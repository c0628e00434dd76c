import { cx } from '../../../ui/cx';

export interface TableScrollbarProps {
  readonly label: string;
  readonly orientation: 'vertical' | 'horizontal';
  readonly controls: string;
  /** The first row or column in sight, how many are in sight, and how many there are. */
  readonly first: number;
  readonly shown: number;
  readonly total: number;
  readonly onMove: (first: number) => void;
}

/** The scroll bar of a table that is as large as memory: its place is a row or column, not pixels. */
export function TableScrollbar({ label, orientation, controls, first, shown, total, onMove }: TableScrollbarProps) {
  const last = Math.max(0, total - shown);
  const share = total === 0 ? 1 : Math.min(1, shown / total);
  // A thumb that could not be seen or held any more stops getting smaller.
  const size = Math.max(0.06, share);
  const start = last === 0 ? 0 : (first / last) * (1 - size);
  const vertical = orientation === 'vertical';
  return (
    <div
      className={cx('tscroll', orientation)}
      role="scrollbar"
      aria-label={label}
      aria-controls={controls}
      aria-orientation={orientation}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={last === 0 ? 0 : Math.round((first / last) * 100)}
      onPointerDown={(event) => {
        if (event.button !== 0 || share >= 1) return;
        event.preventDefault();
        const track = event.currentTarget;
        const area = track.getBoundingClientRect();
        const length = vertical ? area.height : area.width;
        const at = (moved: { clientX: number; clientY: number }) =>
          (vertical ? moved.clientY - area.top : moved.clientX - area.left) / length;
        const pressed = at(event);
        const grip = pressed >= start && pressed <= start + size ? pressed - start : size / 2;
        const move = (moved: PointerEvent | typeof event) => {
          const to = Math.min(1, Math.max(0, (at(moved) - grip) / (1 - size)));
          onMove(Math.round(to * last));
        };
        track.setPointerCapture(event.pointerId);
        const drop = () => {
          track.removeEventListener('pointermove', move as (event: PointerEvent) => void);
          track.removeEventListener('lostpointercapture', drop);
        };
        track.addEventListener('pointermove', move as (event: PointerEvent) => void);
        track.addEventListener('lostpointercapture', drop);
        move(event);
      }}
    >
      {share < 1 && (
        <div
          className="tthumb"
          style={
            vertical
              ? { top: `${start * 100}%`, height: `${size * 100}%` }
              : { left: `${start * 100}%`, width: `${size * 100}%` }
          }
        />
      )}
    </div>
  );
}
