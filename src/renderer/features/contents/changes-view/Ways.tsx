import { openBuffer } from '../../../lib/actions';
import { hexOffset } from '../../../lib/bytes-format';
import { selectObject } from '../../../lib/selection-store';
import { Button } from '../../../ui/Button';
import { openView } from '../model/open-view';
import { wishFocus } from '../parts/focus-wish';
import { NextStepButton } from '../parts/NextStepButton';
import { wishPlace } from '../parts/place-wish';
import type { Destination } from './destinations';

/** Shows so many bytes of a place in the memory that has them, which is opened where it is not. */
export function showThere(to: Destination, bytes: number): void {
  if (to.kind === 'step') return;
  const { offset } = to;
  const wish = (id: string): void => {
    wishPlace({ id, offset, bytes });
    wishFocus();
    openView('bytes');
  };
  if (to.kind === 'open') {
    void openBuffer(to.step.exportId, to.step.device, to.label, wish);
    return;
  }
  wish(to.id);
  selectObject(to.id);
}

interface WaysProps {
  readonly others: readonly Destination[];
  /** Of the place. */
  readonly bytes: number;
}

/** The ways from a place to the memory that has its bytes, where that is not the one on screen. */
export function Ways({ others, bytes }: WaysProps) {
  return others.map((to) => {
    if (to.kind === 'step') return <NextStepButton key={JSON.stringify(to.step)} step={to.step} look="line" />;
    const open = to.kind === 'open';
    return (
      <Button
        key={`${to.kind} ${to.label} ${to.offset}`}
        size="small"
        look="line"
        icon={open ? 'import' : undefined}
        title={`${to.label}, ${hexOffset(to.offset)}`}
        onClick={() => showThere(to, bytes)}
      >
        {open ? `Open ${to.label} there` : `Show in ${to.label}`}
      </Button>
    );
  });
}
