/** Statistics by key: once more; the next value that is not a number. */
import type { Command } from '../../../lib/commands';
import { jumperOf } from '../model/jumper';
import type { MemorySession } from '../model/memory-session';
import { openView } from '../model/open-view';
import { statisticsOf } from './statistics';

export function statisticsCommands(session: MemorySession): readonly Command[] {
  const group = 'Contents';
  const live = () => !session.ended && !session.editing;
  const notFinite = (direction: 1 | -1) => void jumperOf(session).goToNotFinite(session.dtype, direction);
  return [
    {
      id: 'contents.compute',
      title: 'Compute the statistics again',
      group,
      icon: 'restart',
      keys: ['R'],
      area: 'memory',
      when: () => live() && statisticsOf(session).answer !== undefined,
      run: () => {
        const last = statisticsOf(session).answer?.question;
        openView('statistics');
        if (last !== undefined) void statisticsOf(session).ask({ ...last, dtype: session.dtype });
      },
    },
    {
      id: 'contents.next-nan',
      title: 'Go to the next NaN or Inf',
      group,
      icon: 'down',
      keys: ['N'],
      area: 'memory',
      when: live,
      run: () => notFinite(1),
    },
    {
      id: 'contents.previous-nan',
      title: 'Go to the previous NaN or Inf',
      group,
      icon: 'up',
      keys: ['Shift+N'],
      area: 'memory',
      when: live,
      run: () => notFinite(-1),
    },
  ];
}
