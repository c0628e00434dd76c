/** Progress through numbered steps. */

/** `now`: the one step to do next. */
export type StepState = 'todo' | 'now' | 'done';

/**
 * The state of each step from what is done. The current one is the first that is not done from `from` on; where all
 * are done there is none.
 */
export function stepStates(done: readonly boolean[], from = 0): StepState[] {
  const now = done.findIndex((isDone, index) => index >= from && !isDone);
  return done.map((isDone, index) => (isDone ? 'done' : index === now ? 'now' : 'todo'));
}
