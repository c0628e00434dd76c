import './Splitter.css';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';

export interface SplitterProps {
  /** Accessible name: what it resizes. */
  readonly label: string;
  /** Which way the line runs: a vertical line moves left and right. */
  readonly line: 'vertical' | 'horizontal';
  /** The pane it resizes lies before it (left, above) or after it. */
  readonly pane: 'before' | 'after';
  /** Size of that pane in pixels, now. */
  readonly size: () => number;
  readonly min: number;
  readonly max: () => number;
  /** While it moves, and once more with `done` when it has come to rest. */
  readonly onResize: (pixels: number, done: boolean) => void;
  /** Back to the size it has by itself. */
  readonly onReset: () => void;
}

const STEP = 16;

/** A hairline with a 7 px grip between two panes. Arrows move it, a double click or Home puts it back. */
export function Splitter({ label, line, pane, size, min, max, onResize, onReset }: SplitterProps) {
  const drag = useRef<{ readonly from: number; readonly size: number } | undefined>(undefined);
  const at = (event: PointerEvent) => (line === 'vertical' ? event.clientX : event.clientY);
  const sign = pane === 'before' ? 1 : -1;
  const clamp = (pixels: number) => Math.round(Math.min(Math.max(pixels, min), Math.max(min, max())));
  const moved = (event: PointerEvent, from: { from: number; size: number }) =>
    clamp(from.size + sign * (at(event) - from.from));
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Home') {
      event.preventDefault();
      onReset();
      return;
    }
    const step = { ArrowRight: STEP, ArrowDown: STEP, ArrowLeft: -STEP, ArrowUp: -STEP }[event.key];
    if (step === undefined || (line === 'vertical') !== (event.key === 'ArrowLeft' || event.key === 'ArrowRight'))
      return;
    event.preventDefault();
    onResize(clamp(size() + sign * step), true);
  };
  return (
    <div
      className={`splitter ${line} ${pane}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={line}
      aria-valuenow={Math.round(size())}
      aria-valuemin={min}
      onKeyDown={press}
      onDoubleClick={onReset}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { from: at(event), size: size() };
      }}
      onPointerMove={(event) => {
        if (drag.current !== undefined) onResize(moved(event, drag.current), false);
      }}
      onPointerUp={(event) => {
        // A click without a move is half of a double click, not a size.
        if (drag.current !== undefined && at(event) !== drag.current.from) onResize(moved(event, drag.current), true);
        drag.current = undefined;
      }}
      onPointerCancel={() => {
        drag.current = undefined;
      }}
    />
  );
}
