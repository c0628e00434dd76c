import { useState } from 'react';
import { type IpcError, toIpcError } from '#contract/result';
import { announce } from '../../lib/announce';
import { lookAgain, useApp } from '../../lib/app-store';
import { Banner } from '../../ui/Banner';
import { Button } from '../../ui/Button';
import { ErrorText } from '../../ui/ErrorText';

/** Says that the GPU is simulated and why; looks for a real driver again when asked to. */
export function SimulatedBanner() {
  const driver = useApp((store) => store.info?.driver);
  const [looking, setLooking] = useState(false);
  const [error, setError] = useState<IpcError | undefined>(undefined);
  if (driver?.kind !== 'simulator') return null;
  const look = async () => {
    setLooking(true);
    setError(undefined);
    try {
      const found = await lookAgain();
      announce(found.kind === 'real' ? 'A real GPU was found' : `Still simulated. ${found.reason ?? ''}`);
    } catch (thrown) {
      setError(toIpcError(thrown));
    } finally {
      setLooking(false);
    }
  };
  return (
    <Banner
      icon="gpu"
      tone="simulated"
      title="Simulated GPU"
      action={
        <Button look="line" icon="restart" disabled={looking} onClick={() => void look()}>
          Look again
        </Button>
      }
    >
      {driver.reason === undefined ? '' : `${driver.reason.replace(/\.?$/, '.')} `}Processes, handles and bytes are
      real, in shared memory; the GPU and its driver are simulated, and may differ from NVIDIA’s.
      {error !== undefined && <ErrorText error={error} />}
    </Banner>
  );
}
