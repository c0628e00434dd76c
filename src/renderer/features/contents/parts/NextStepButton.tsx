import { focusPeer, openBuffer } from '../../../lib/actions';
import { openDialog } from '../../../lib/dialogs';
import { Button } from '../../../ui/Button';
import type { NextStep } from '../explain';
import { wishFocus } from './focus-wish';

/** The one thing to do next, as a button. */
export function NextStepButton({ step, look = 'primary' }: { step: NextStep; look?: 'primary' | 'line' }) {
  switch (step.kind) {
    case 'open':
      return (
        <Button
          look={look}
          icon="import"
          onClick={() => {
            wishFocus();
            void openBuffer(step.exportId, step.device, step.label);
          }}
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
