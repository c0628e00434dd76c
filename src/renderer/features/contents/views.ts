/**
 * The views of a memory's bytes. A view is a folder `…-view` here with a file `register.ts` whose default export
 * describes it; nothing else has to know it.
 */
import type { ComponentType } from 'react';
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
  readonly Body: ComponentType<ViewProps>;
}

const folders = import.meta.glob<{ default: ContentsView }>('./*-view/register.ts', { eager: true });

export const views: readonly ContentsView[] = Object.values(folders)
  .map((folder) => folder.default)
  .sort((a, b) => a.order - b.order);
