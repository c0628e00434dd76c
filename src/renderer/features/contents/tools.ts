/**
 * Tools that work in every view: search, bookmarks, and what comes. A tool is a folder `…-tool` here with a file
 * `register.ts` whose default export describes it; nothing else has to know it.
 */
import type { ComponentType } from 'react';
import type { Command } from '../../lib/commands';
import type { MemorySession } from './model/memory-session';

export interface ToolProps {
  readonly session: MemorySession;
  /** The view that is open. */
  readonly viewId: string;
  /** Gives the view the keyboard: for when the tool is done. */
  readonly focusView: () => void;
}

export interface ContentsTool {
  readonly id: string;
  /** Place among the buttons, from the left, and among the bars, from the top. */
  readonly order: number;
  /** In the tool bar of views that have places. */
  readonly Button?: ComponentType<ToolProps>;
  /** Between the tool bar and the view; renders nothing while it is not wanted. */
  readonly Bar?: ComponentType<ToolProps>;
  readonly commands?: (session: MemorySession, focusView: () => void) => readonly Command[];
}

const folders = import.meta.glob<{ default: ContentsTool }>('./*-tool/register.ts', { eager: true });

export const tools: readonly ContentsTool[] = Object.values(folders)
  .map((folder) => folder.default)
  .sort((a, b) => a.order - b.order);
