import type { Command } from '../../../lib/commands';
import type { MemorySession } from '../model/memory-session';
import { focusSearch } from './SearchBar';
import { searchOf } from './search';

export function searchCommands(session: MemorySession): readonly Command[] {
  const group = 'Contents';
  const search = searchOf(session);
  const hasQuery = () => search.current !== undefined && !session.ended;
  return [
    {
      id: 'contents.find',
      title: 'Find bytes, text or values',
      group,
      icon: 'search',
      keys: ['Ctrl+F'],
      run: () => (search.isOpen ? focusSearch() : search.open()),
    },
    {
      id: 'contents.find-next',
      title: 'Go to the next hit',
      group,
      icon: 'down',
      keys: ['F3'],
      when: hasQuery,
      run: () => void search.next(1),
    },
    {
      id: 'contents.find-previous',
      title: 'Go to the previous hit',
      group,
      icon: 'up',
      keys: ['Shift+F3'],
      when: hasQuery,
      run: () => void search.next(-1),
    },
  ];
}
