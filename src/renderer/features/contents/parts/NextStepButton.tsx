import { focusPeer, openBuffer } from '../../../lib/actions';
import { openDialog } from '../../../lib/dialogs';
import { Button } from '../../../ui/Button';
import type { NextStep } from '../explain';

/** The one thing to do next, as a button. */
export function NextStepButton({ step, look = 'primary' }: { step: NextStep; look?: 'primary' | 'line' }) {
  switch (step.kind) {
    case 'open':
      return (
        <Button
          look={look}
          icon="import"
          onClick={() => void openBuffer(step.exportId, step.device, step.label).then(focusMemory)}
        >
          Open in Inspector
        </Button>
      );
    case 'window':
      return (
        <Button look="line" icon="screen" onClick={() => void focusPeer(step.peerId)}>
          Show the window of {step.name}
        </Button>
      );
    case 'import':
      return (
        <Button look={look} icon="import" onClick={() => openDialog({ kind: 'import' })}>
          Import handle
        </Button>
      );
  }
}

/** The button goes with what it explained; the bytes that take its place take the focus, too. */
function focusMemory(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-area="memory"] [role="grid"]')?.focus());
}
