/**
 * The views of a memory's bytes. A view is a folder `…-view` here with a file `register.ts` whose default export
 * describes it; nothing else has to know it.
 */
import type { ComponentType } from 'react';
import type { Command } from '../../lib/commands';
import type { MemorySession } from './model/memory-session';

export interface ViewProps {
  readonly session: MemorySession;
}

export interface ContentsView {
  readonly id: string;
  /** Name of the tab. */
  readonly title: string;
  /** Place among the tabs, from 1; also its key. */
  readonly order: number;
  /** Choices of this view, for the tool bar. */
  readonly Tools: ComponentType<ViewProps>;
  /** `data-area="memory"` on it lets single-letter commands work inside; `data-entry` marks what takes the focus, or its grid does. */
  readonly Body: ComponentType<ViewProps>;
  /** Stands at the right of the tabs in place of the controls of following. */
  readonly Live?: ComponentType<ViewProps>;
  /**
   * What this view has no use for: `places` (bytes that were read and where the cursor is, back and forward, changes, tools), `map` (the whole
   * memory as a strip) and `value` (the value under the cursor). A view without both of the latter has the whole width.
   */
  readonly without?: ReadonlyArray<'places' | 'map' | 'value'>;
  /** Commands while a memory is on screen, whichever view is open. */
  readonly commands?: (session: MemorySession) => readonly Command[];
}

const folders = import.meta.glob<{ default: ContentsView }>('./*-view/register.ts', { eager: true });

export const views: readonly ContentsView[] = Object.values(folders)
  .map((folder) => folder.default)
  .sort((a, b) => a.order - b.order);
