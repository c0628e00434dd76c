/** What a screen reader is told: state changes of the selected object, results of commands. */
import { create } from 'zustand';

/** `turn` changes with every announcement, so that the same words twice are said twice. */
export const useAnnouncement = create<{ readonly text: string; readonly turn: number }>(() => ({ text: '', turn: 0 }));

export function announce(text: string): void {
  useAnnouncement.setState(({ turn }) => ({ text, turn: turn + 1 }));
}
