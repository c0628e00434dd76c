/**
 * Sizes of the panes. By themselves they are those of the design for the width of the window; a splitter keeps what a
 * person chose in per cent of that, so that it holds for every width.
 */
import { type RefObject, useCallback } from 'react';
import { setLayout, useSettings } from '../lib/settings-store';

/** Widths of the side panes in pixels, by width of the window. Also in inspector.css. */
export function railWidth(window: number): number {
  return window >= 2200 ? 288 : 228;
}
export function detailsWidth(window: number): number {
  return window >= 2200 ? 460 : window < 1180 ? 328 : 352;
}

export interface PaneSize {
  /** For a CSS variable: undefined leaves the size to the style sheet. */
  readonly pixels: number | undefined;
  readonly onResize: (pixels: number, done: boolean) => void;
  readonly onReset: () => void;
}

/** A pane whose size by itself is `own` pixels. */
export function usePaneSize(name: string, own: number): PaneSize {
  const percent = useSettings(({ layout }) => layout[name]?.[0]);
  const onResize = useCallback(
    (pixels: number, done: boolean) => setLayout(name, [(pixels / own) * 100], { keep: done }),
    [name, own],
  );
  const onReset = useCallback(() => setLayout(name, undefined, { keep: true }), [name]);
  return { pixels: percent === undefined ? undefined : Math.round((own * percent) / 100), onResize, onReset };
}

/** A pane whose size is a share of its container, or what its content needs. */
export function useShare(
  name: string,
  container: RefObject<HTMLElement | null>,
): { readonly percent: number | undefined } & Omit<PaneSize, 'pixels'> {
  const percent = useSettings(({ layout }) => layout[name]?.[0]);
  const onResize = useCallback(
    (pixels: number, done: boolean) => {
      const whole = container.current?.clientHeight ?? 0;
      if (whole > 0) setLayout(name, [(pixels / whole) * 100], { keep: done });
    },
    [name, container],
  );
  const onReset = useCallback(() => setLayout(name, undefined, { keep: true }), [name]);
  return { percent, onResize, onReset };
}
