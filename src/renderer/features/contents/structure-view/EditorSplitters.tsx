import type { CSSProperties, RefObject } from 'react';
import { setLayout, useSettings } from '../../../lib/settings-store';
import { Splitter } from '../../../ui/Splitter';

/** Names of the sizes in the settings: of the editor beside the values, and of the one above them. */
const WIDTH = 'structure.width';
const HEIGHT = 'structure.height';

/** The editor, and the values beside or below it, are never smaller than this, in pixels. Also in structure.css. */
const LEAST_WIDTH = 220;
const LEAST_HEIGHT = 90;

interface EditorSize {
  /** Variables for the grid of the view; none where nobody has chosen a size. */
  readonly style: CSSProperties;
  readonly resize: (which: 'width' | 'height', pixels: number, done: boolean) => void;
  readonly reset: (which: 'width' | 'height') => void;
}

/** Sizes of the editor, remembered as shares of the view, so that they hold for every window. */
export function useEditorSize(whole: RefObject<HTMLElement | null>): EditorSize {
  const width = useSettings(({ layout }) => layout[WIDTH]?.[0]);
  const height = useSettings(({ layout }) => layout[HEIGHT]?.[0]);
  return {
    style: {
      ...(width !== undefined && { '--editor-width': `${width}%` }),
      ...(height !== undefined && { '--editor-height': `${height}%` }),
    } as CSSProperties,
    resize: (which, pixels, done) => {
      const { clientWidth = 0, clientHeight = 0 } = whole.current ?? {};
      const all = which === 'width' ? clientWidth : clientHeight;
      if (all > 0) setLayout(which === 'width' ? WIDTH : HEIGHT, [(pixels / all) * 100], { keep: done });
    },
    reset: (which) => setLayout(which === 'width' ? WIDTH : HEIGHT, undefined, { keep: true }),
  };
}

/** The line between the editor and the values: upright where they stand side by side, else level. One of them is shown. */
export function EditorSplitters({ whole, size }: { whole: RefObject<HTMLElement | null>; size: EditorSize }) {
  const editor = (): DOMRect | undefined => whole.current?.querySelector('.fmt')?.getBoundingClientRect();
  return (
    <>
      <Splitter
        label="Width of the format"
        line="vertical"
        pane="before"
        size={() => editor()?.width ?? 0}
        min={LEAST_WIDTH}
        max={() => (whole.current?.clientWidth ?? 0) - LEAST_WIDTH}
        onResize={(pixels, done) => size.resize('width', pixels, done)}
        onReset={() => size.reset('width')}
      />
      <Splitter
        label="Height of the format"
        line="horizontal"
        pane="before"
        size={() => editor()?.height ?? 0}
        min={LEAST_HEIGHT}
        max={() => (whole.current?.clientHeight ?? 0) - LEAST_HEIGHT}
        onResize={(pixels, done) => size.resize('height', pixels, done)}
        onReset={() => size.reset('height')}
      />
    </>
  );
}
