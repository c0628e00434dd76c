import { closeDialog } from '../../lib/dialogs';
import { Button } from '../../ui/Button';

/** Cancel, and the one button that does it. */
export function Footer({ verb, disabled }: { verb: string; disabled: boolean }) {
  return (
    <>
      <Button look="line" onClick={closeDialog}>
        Cancel
      </Button>
      <Button look="primary" type="submit" disabled={disabled}>
        {verb}
      </Button>
    </>
  );
}
