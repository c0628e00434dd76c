/** Events and streams. */
import type { Rule } from './rule';

const EVENT_USE = /^cu(Event(Query|Record|Synchronize|Destroy)|StreamWaitEvent)/;
const STREAM_USE = /^cuStream/;

export const eventRules: readonly Rule[] = [
  {
    calls: ['cuEventCreate'],
    results: [1],
    when: ({ flags }) => flags !== undefined && (flags & 4) !== 0 && (flags & 2) === 0,
    say: ({ flags }) => `The flags were ${flags}: INTERPROCESS (4) needs DISABLE_TIMING (2) with it, so 6.`,
  },
  {
    calls: ['cuEventCreate'],
    results: [1],
    say: 'Flags are a sum of BLOCKING_SYNC 1, DISABLE_TIMING 2 and INTERPROCESS 4, and 4 needs 2.',
  },
  {
    calls: ['cuEventElapsedTime'],
    results: [400],
    say: 'Interprocess events have no timing. Use events without DISABLE_TIMING in one process.',
  },
  {
    calls: EVENT_USE,
    results: [400],
    say: 'The event is of another device or context than the stream.',
  },
  {
    calls: EVENT_USE,
    results: [709],
    say: 'The event was destroyed, or the context it was made in.',
  },
  {
    calls: STREAM_USE,
    results: [709],
    say: 'The stream was destroyed, or the context it was made in.',
  },
];
