import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { hexOffset } from '../../../lib/bytes-format';
import type { MemorySession } from '../model/memory-session';
import { useSignal } from '../model/use-signal';

/** Places are taken at multiples of this. */
const GRID = 16;

/**
 * Makes an element a slider over a whole memory: a click goes there, dragging scrubs, arrows go by hundredths, pages by
 * tenths. One jump for the way back, however far it is dragged.
 */
export function useMapKeys(session: MemorySession, orientation: 'horizontal' | 'vertical') {
  const cursor = useSignal(session.onCursor, () => session.cursor.cursor);
  const dragging = useRef(false);
  const last = session.size - 1;
  const snapped = (offset: number) => {
    const inside = Math.min(last, Math.max(0, Math.round(offset)));
    return inside - (inside % GRID);
  };
  const place = (event: PointerEvent): number => {
    const area = event.currentTarget.getBoundingClientRect();
    const share =
      orientation === 'vertical' ? (event.clientY - area.top) / area.height : (event.clientX - area.left) / area.width;
    return snapped(Math.min(1, Math.max(0, share)) * last);
  };
  return {
    'aria-valuenow': cursor,
    tabIndex: 0,
    'aria-orientation': orientation,
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuetext': `${hexOffset(cursor)}, ${last === 0 ? 0 : Math.round((cursor / last) * 100)} %`,
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      dragging.current = true;
      session.goTo(place(event));
    },
    onPointerMove: (event: PointerEvent) => {
      if (dragging.current) session.scrub(place(event));
    },
    onLostPointerCapture: () => {
      dragging.current = false;
    },
    onKeyDown: (event: KeyboardEvent) => {
      const share = {
        ArrowUp: -0.01,
        ArrowLeft: -0.01,
        ArrowDown: 0.01,
        ArrowRight: 0.01,
        PageUp: -0.1,
        PageDown: 0.1,
        Home: -1,
        End: 1,
      }[event.key];
      if (share === undefined || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      const step = Math.sign(share) * Math.max(GRID, Math.abs(share) * last);
      session.goTo(event.key === 'End' ? last : snapped(cursor + step));
    },
  } as const;
}
