import './shortcuts.css';
import { useMemo } from 'react';
import { type Command, useCommandStore } from '../../lib/commands';
import { closeDialog, useDialog } from '../../lib/dialogs';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Kbd } from '../../ui/Kbd';

type Line = { readonly keys: readonly string[]; readonly title: string };

/** Keys of the grids: no commands, because they mean nothing outside of a grid. */
const inGrids: readonly Line[] = [
  { keys: ['↑', '↓', 'PageUp', 'PageDown', 'Home', 'End'], title: 'Move and select' },
  { keys: ['←', '→'], title: 'To the memory that a process maps, and to its first process' },
  { keys: ['↑', 'Enter'], title: 'From the first row into the header; sort by the column' },
  { keys: ['Shift+Enter'], title: 'Add the column as a further key' },
  { keys: ['Shift+→', 'Alt+→'], title: 'In the header: resize the column, move it' },
  { keys: ['Ctrl+C'], title: 'Copy the row as shown' },
  { keys: ['Shift+F10'], title: 'Actions for the row' },
];

/** All keys, from the commands that are on screen. */
export function ShortcutsDialog() {
  const open = useDialog(({ dialog }) => dialog?.kind === 'shortcuts');
  const commands = useCommandStore((store) => store.commands);
  const groups = useMemo(() => groupsOf(commands), [commands]);
  if (!open) return null;
  return (
    <Dialog
      open
      width="wide"
      onClose={closeDialog}
      title="Keyboard"
      footer={
        <Button look="primary" onClick={closeDialog}>
          Close
        </Button>
      }
    >
      <div className="keys">
        {[...groups, ['Tables', inGrids] as const].map(([group, lines]) => (
          <section key={group} aria-label={group}>
            <h3 className="keys-h">{group}</h3>
            <dl>
              {lines.map(({ keys, title }) => (
                <div key={title} className="keys-r">
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key}>{key.replaceAll('+', ' ')}</Kbd>
                    ))}
                  </dt>
                  <dd>{title}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function groupsOf(commands: readonly Command[]): ReadonlyArray<readonly [string, readonly Line[]]> {
  const groups = new Map<string, Map<string, Line>>();
  for (const { id, group, keys, title } of commands) {
    if (keys === undefined) continue;
    const lines = groups.get(group) ?? new Map<string, Line>();
    groups.set(group, lines);
    lines.set(id, { keys, title });
  }
  return [...groups].map(([group, lines]) => [group, [...lines.values()]]);
}
