import type { Command } from '../../../lib/commands';
import type { MemorySession } from '../model/memory-session';
import { openView } from '../model/open-view';
import { focusSnapshotName } from './SnapshotPart';

export function changesCommands(session: MemorySession): readonly Command[] {
  return [
    {
      id: 'contents.snapshot',
      title: 'Take a snapshot…',
      group: 'Contents',
      icon: 'camera',
      keys: ['S'],
      area: 'memory',
      when: () => !session.ended && !session.editing,
      run: () => {
        openView('changes');
        requestAnimationFrame(() => focusSnapshotName());
      },
    },
  ];
}
