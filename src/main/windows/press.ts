/** Whether a person has just done something in a window: what a page may have of the system only then. Pure. */
import type { WindowRecord } from './registry';

/** As long as a browser takes a click for the reason of what a page does (transient activation). */
const JUST_NOW_MS = 5_000;

const presses: readonly string[] = ['mouseDown', 'rawKeyDown', 'keyDown', 'touchStart', 'gestureTap'];

/** Whether an input event of Electron's presses something: moving over a page asks for nothing. */
export const isPress = (type: string): boolean => presses.includes(type);

/** @param now  milliseconds since 1970 */
export function pressedJustNow({ lastPress }: Pick<WindowRecord, 'lastPress'>, now: number): boolean {
  if (lastPress === undefined) return false;
  const since = now - lastPress;
  // A clock that was set back says nothing.
  return since >= 0 && since < JUST_NOW_MS;
}
