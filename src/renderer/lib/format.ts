/** How values are written for people, beyond sizes, durations and numbers (those are in contract/units). */
import { formatCount } from '#contract/units';

const two = (n: number) => String(n).padStart(2, '0');

/** A running time as `m:ss`, from an hour on `h:mm:ss`, from a day on `3 d`. Milliseconds in; negative is 0:00. */
export function formatTimer(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} d`;
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Local time of day, `14:07:36`, with `millis` `14:07:36.020`. */
export function formatClock(at: number, millis = false): string {
  const date = new Date(at);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return millis ? `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}` : clock;
}

/** A driver result as people see it: `SUCCESS`, `NOT_READY`, `INVALID_CONTEXT 201`. The full name goes in a tooltip. */
export function shortResult(name: string, result: number): string {
  const short = name.replace(/^CUDA_(ERROR_)?/, '');
  return result === 0 || result === 600 ? short : `${short} ${result}`;
}

/** `1 mapping`, `3 mappings`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

/** `A`, `A and B`, `A, B and C`. */
export function list(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
