/** Opening, ending and restarting producers and consumers. */
import { GpuIpcError } from '#contract/result';
import type { MainHandlers } from '../router';
import type { Services } from './services';

type DemoCalls = 'demo.open' | 'demo.kill' | 'demo.crash' | 'demo.restart' | 'demo.focus' | 'demo.play';

export function demoHandlers({ demos, supervisor, ledger, playDemo }: Services): Pick<MainHandlers, DemoCalls> {
  return {
    'demo.open': ({ role, device }) => demos.open(role, device),
    'demo.kill': async ({ peerId }) => {
      await demos.kill(peerId);
      return undefined;
    },
    'demo.crash': async (_args, caller) => {
      await demos.kill(caller.peerId());
      return undefined;
    },
    'demo.restart': async ({ peerId }, caller) => {
      const own = caller.role === 'inspector' ? undefined : caller.peerId();
      const target = peerId ?? own;
      if (target === undefined) {
        throw new GpuIpcError({ code: 'invalid-argument', message: 'peerId: say which process to restart' });
      }
      if (own !== undefined && target !== own) {
        throw new GpuIpcError({ code: 'not-allowed', message: `${target} is not the process of this window.` });
      }
      if (target !== supervisor.inspectorPeerId) return demos.restart(target);
      if (supervisor.host(target) !== undefined) {
        throw new GpuIpcError({ code: 'not-allowed', message: "The Inspector's process is running." });
      }
      await supervisor.replaceInspector();
      const next = supervisor.inspectorPeerId;
      return { peerId: next, pid: ledger.peer(next)?.pid ?? process.pid };
    },
    'demo.focus': ({ peerId }) => {
      demos.focus(peerId);
      return undefined;
    },
    'demo.play': async () => {
      await playDemo();
      return undefined;
    },
  };
}
