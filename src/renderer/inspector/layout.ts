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

/** From the least to the most that the splitter allows. */
export interface Limits {
  readonly min: number;
  readonly max: number;
}
export const railLimits = (window: number): Limits => ({ min: 160, max: window * 0.3 });
export const detailsLimits = (window: number): Limits => ({ min: 280, max: window * 0.5 });
/** In per cent. */
const shareLimits: Limits = { min: 0, max: 75 };

/** What was kept may be from a wider screen, or written by hand. */
export const within = (size: number, { min, max }: Limits): number => Math.max(min, Math.min(max, size));

/** A pane whose size by itself is `own` pixels. */
export function usePaneSize(name: string, own: number, limits: Limits): PaneSize {
  const percent = useSettings(({ layout }) => layout[name]?.[0]);
  const onResize = useCallback(
    (pixels: number, done: boolean) => setLayout(name, [(pixels / own) * 100], { keep: done }),
    [name, own],
  );
  const onReset = useCallback(() => setLayout(name, undefined, { keep: true }), [name]);
  const pixels = percent === undefined ? undefined : Math.round(within((own * percent) / 100, limits));
  return { pixels, onResize, onReset };
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
  return { percent: percent === undefined ? undefined : within(percent, shareLimits), onResize, onReset };
}
