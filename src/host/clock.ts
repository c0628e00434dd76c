/**
 * The time of day, finer than Date.now() tells it. What counts fractions runs by itself: it knows nothing of a clock that
 * is set or corrected, nor of a machine that slept, so it is compared with the time of day each time.
 */

/** How far the two may be apart, in milliseconds: Date.now() leaves the fraction out. */
const APART_MS = 2;

let origin = performance.timeOrigin;

/** Milliseconds since 1970, with fraction. */
export function timeOfDay(): number {
  const whole = Date.now();
  const ran = performance.now();
  if (Math.abs(origin + ran - whole) > APART_MS) origin = whole - ran;
  return origin + ran;
}
