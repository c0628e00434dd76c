/** About the app and the driver it runs on, and the snapshot of the ledger. */
import { GpuIpcError } from '#contract/result';
import { isRunning } from '../ledger/ledger';
import type { MainHandlers } from '../router';
import type { Services } from './services';

export function appHandlers(services: Services): Pick<MainHandlers, 'app.info' | 'app.lookAgain' | 'ledger.snapshot'> {
  const { ledger, supervisor } = services;
  return {
    'app.info': async (_args, caller) => {
      const driver = await supervisor.driver();
      const peerId = caller.peerId();
      return {
        version: services.version,
        electron: services.electron,
        driver,
        platform: process.platform,
        self: { role: caller.role, peerId, pid: ledger.peer(peerId)?.pid ?? null, name: caller.name },
      };
    },

    'app.lookAgain': async () => {
      const held = ledger.holdings(supervisor.inspectorPeerId);
      if (held > 0) throw refused(`The Inspector holds ${held} ${held === 1 ? 'object' : 'objects'}.`);
      // They run on the driver that is in use now; what they share could not be opened with another one.
      const demo = ledger
        .peers()
        .find((peer) => peer.role !== 'inspector' && peer.role !== 'outside' && isRunning(peer));
      if (demo !== undefined) throw refused(`${demo.name} is running on the present driver.`);
      return supervisor.replaceInspector();
    },

    'ledger.snapshot': (_args, caller) => {
      const snapshot = ledger.snapshot();
      caller.hearsLedger = true;
      return snapshot;
    },
  };
}

const refused = (message: string): GpuIpcError =>
  new GpuIpcError({ code: 'not-allowed', message, hint: 'Close or free it first, then look again.' });
