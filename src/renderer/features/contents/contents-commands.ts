/** Commands of the contents: following, places, changes, copying, views. Tools and views add their own. */
import { decodeValues, formatValue } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { act } from '../../lib/act';
import { GLYPHS, hexOffset, hexText } from '../../lib/bytes-format';
import { copyText } from '../../lib/clipboard';
import type { Command } from '../../lib/commands';
import { count } from '../../lib/format';
import { toggleMap } from './model/map-settings';
import type { MemorySession } from './model/memory-session';
import { openView, openViewNow } from './model/open-view';
import { writeTyped } from './parts/EditBar';
import { focusGoto } from './parts/GotoField';
import { views } from './views';

/** More than this is not copied as text. */
const MOST_COPIED = 1024 * 1024;

async function copySelection(session: MemorySession): Promise<void> {
  const { start, end } = session.selection;
  await act(
    'Copy the selection',
    async () => {
      if (end - start > MOST_COPIED)
        throw new Error('At most 1 MiB is copied as text. Save it to a file instead: Ctrl+S.');
      const result = await session.bytesOf({ offset: start, length: end - start });
      if (!result.ok) throw new Error(result.error.message);
      await copyText(textOf(session, start, result.value));
    },
    `${count(end - start, 'byte')} copied`,
  );
}

/** What was selected as it is seen: values where values are, one in a line; characters or hex digits in Bytes. */
function textOf({ dtype, order, side }: MemorySession, offset: number, bytes: Uint8Array): string {
  const view = openViewNow();
  // A place that was jumped to may begin within an element.
  if (view === 'tensor' || (view === 'values' && offset % dtypes[dtype].bytes === 0)) {
    const values = decodeValues(bytes, dtype, order);
    if (values.length > 0) return values.map((value) => formatValue(value, dtype)).join('\n');
  }
  return side === 'text' ? Array.from(bytes, (byte) => GLYPHS[byte]).join('') : hexText(bytes);
}

const copyPlace = (place: string): void => void act('Copy the place', () => copyText(place), `${place} is copied`);

/** What can be done with the memory on screen. `focusView` gives the view that is open the keyboard. */
export function commandsOf(session: MemorySession, focusView: () => void): readonly Command[] {
  const group = 'Contents';
  const live = () => !session.ended;
  const plain = () => !session.editing;
  return [
    {
      id: 'contents.pause',
      title: 'Pause or follow the bytes',
      group,
      icon: 'pause',
      keys: ['Space'],
      area: 'memory',
      when: () => live() && plain(),
      run: () => (session.paused ? session.follow() : session.pause()),
    },
    {
      id: 'contents.step',
      title: 'Read the bytes once',
      group,
      icon: 'step',
      keys: ['.'],
      area: 'memory',
      when: () => live() && plain(),
      run: () => session.step(),
    },
    { id: 'contents.goto', title: 'Go to offset, element or expression', group, keys: ['Ctrl+G'], run: focusGoto },
    {
      id: 'contents.back',
      title: 'Back to the offset before',
      group,
      icon: 'back',
      keys: ['Alt+←'],
      when: () => session.history.canGoBack,
      run: () => session.goBack(),
    },
    {
      id: 'contents.forward',
      title: 'Forward to the next offset',
      group,
      icon: 'fwd',
      keys: ['Alt+→'],
      when: () => session.history.canGoForward,
      run: () => session.goForward(),
    },
    {
      id: 'contents.next-change',
      title: 'Go to the next change',
      group,
      icon: 'down',
      keys: ['C'],
      area: 'memory',
      when: () => session.hasChanges && plain(),
      run: () => session.goToChange(1),
    },
    {
      id: 'contents.previous-change',
      title: 'Go to the previous change',
      group,
      icon: 'up',
      keys: ['Shift+C'],
      area: 'memory',
      when: () => session.hasChanges && plain(),
      run: () => session.goToChange(-1),
    },
    {
      id: 'contents.edit',
      title: 'Edit bytes or values',
      group,
      keys: ['E'],
      area: 'memory',
      when: () => live() && plain(),
      run: () => {
        // Values are typed over in their own view; everything else in the bytes.
        if (document.activeElement?.closest('#view-values, #view-tensor') == null) openView('bytes');
        session.setEditing(true);
        focusView();
      },
    },
    {
      id: 'contents.write',
      title: 'Write what was typed',
      group,
      keys: ['Ctrl+Enter'],
      when: () => live() && session.edits.count > 0,
      run: writeTyped,
    },
    {
      id: 'contents.copy',
      title: 'Copy the selected bytes or values',
      group,
      icon: 'copy',
      keys: ['Ctrl+C'],
      area: 'memory',
      run: () => void copySelection(session),
    },
    {
      id: 'contents.copy-offset',
      title: 'Copy the offset of the cursor or the selection',
      group,
      icon: 'copy',
      keys: ['Alt+C'],
      area: 'memory',
      run: () => copyPlace(hexOffset(session.selection.start)),
    },
    {
      id: 'contents.copy-address',
      title: 'Copy the address of the cursor or the selection',
      group,
      icon: 'copy',
      keys: ['Alt+Shift+C'],
      area: 'memory',
      run: () => copyPlace(hexOffset(BigInt(session.source.address) + BigInt(session.selection.start))),
    },
    {
      id: 'contents.select-all',
      title: 'Select the whole memory',
      group,
      run: () => session.setCursor({ anchor: 0, cursor: session.size - 1 }, 'pointer'),
    },
    {
      id: 'contents.map',
      title: 'Show or hide the map of the whole memory',
      group,
      keys: ['M'],
      area: 'memory',
      when: plain,
      run: toggleMap,
    },
    ...views.map(({ id, title, order }) => ({
      id: `contents.view.${id}`,
      title: `Show ${title.toLowerCase()}`,
      group,
      keys: [String(order)],
      area: 'memory',
      when: plain,
      run: () => {
        openView(id);
        requestAnimationFrame(focusView);
      },
    })),
  ];
}
