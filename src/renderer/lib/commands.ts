/**
 * Commands of a window in one place: the palette lists them, keys run them, the keyboard map shows them. A feature
 * registers its own while it is on screen.
 */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { IconName } from '../ui/icons';

export interface Command {
  /** `handles.filter`: unique. */
  readonly id: string;
  /** As a person would say it: `New buffer…`. */
  readonly title: string;
  /** Heading in the keyboard map. */
  readonly group: string;
  readonly icon?: IconName;
  /** Chords: `Ctrl+K`, `Shift+F6`, `?`, `Space`. The first one is shown. */
  readonly keys?: readonly string[];
  /** Keys work only while the focus is inside `[data-area="…"]`. Single letters need one. */
  readonly area?: string;
  /** Also while a text input has the focus. Chords with Ctrl or Alt and function keys always do. */
  readonly inInputs?: boolean;
  /** Only keys: not worth a line in the palette. */
  readonly hidden?: boolean;
  /** Whether it can be run now. */
  readonly when?: () => boolean;
  readonly run: () => void;
}

export const useCommandStore = create<{ readonly commands: readonly Command[] }>(() => ({ commands: [] }));

/** Adds commands; returns their removal. A later command of the same id stands in for the earlier one. */
export function registerCommands(commands: readonly Command[]): () => void {
  useCommandStore.setState((store) => ({ commands: [...store.commands, ...commands] }));
  return () =>
    useCommandStore.setState((store) => ({
      commands: store.commands.filter((command) => !commands.includes(command)),
    }));
}

/** Registers commands while the component is on screen. `commands` must be memoised. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => registerCommands(commands), [commands]);
}

const named: Record<string, string> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

/** The chord of a key press, as in `Command.keys`. Shift is named only beside keys that it does not change. */
export function chordOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = named[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const letter = /^[A-Z]$/.test(key);
  const parts = [
    (event.ctrlKey || event.metaKey) && 'Ctrl',
    event.altKey && 'Alt',
    event.shiftKey && (letter || event.key.length > 1 || event.key === ' ') && 'Shift',
    key,
  ];
  return parts.filter(Boolean).join('+');
}

/** Whether typing into this element writes text. */
export function isTextInput(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type);
}

/** Runs commands by their keys, window-wide. Returns the end of it. */
export function connectHotkeys(): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const chord = chordOf(event);
    const target = event.target instanceof Element ? event.target : null;
    // An open dialog or menu has the keyboard to itself.
    if (
      target?.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') != null &&
      chord !== 'F6'
    )
      return;
    const typing = isTextInput(event.target);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !/^F\d/.test(event.key);
    const command = useCommandStore
      .getState()
      .commands.findLast(
        ({ keys, area, inInputs, when }) =>
          keys?.includes(chord) === true &&
          (!typing || !plain || inInputs === true) &&
          (area === undefined || target?.closest(`[data-area="${area}"]`) != null) &&
          when?.() !== false,
      );
    if (command === undefined) return;
    event.preventDefault();
    command.run();
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
}
