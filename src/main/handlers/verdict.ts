/** How memory can be shared: what is known, what a trial shows, and what other processes hold open. */
import type { Verdict } from '#contract/calls/sharing';
import { GpuIpcError, type Result } from '#contract/result';
import { descriptorsOf } from '../fd-candidates';
import type { DriverHost } from '../hosts/driver-host';
import { HOST_LOST_HINT } from '../hosts/ending';
import { isRunning } from '../ledger/ledger';
import type { MainHandlers } from '../router';
import type { Services } from './services';

type VerdictCalls = 'sharing.verdict' | 'sharing.try' | 'fds.ofProcess';

export function verdictHandlers(
  services: Pick<Services, 'ledger' | 'supervisor' | 'trials'>,
): Pick<MainHandlers, VerdictCalls> {
  const { ledger, supervisor, trials } = services;

  const hostOf = (peerId: string): DriverHost => {
    const host = supervisor.host(peerId);
    if (host !== undefined) return host;
    const name = ledger.peer(peerId)?.name;
    if (name === undefined) throw new GpuIpcError({ code: 'not-found', message: `This app has no process ${peerId}.` });
    throw new GpuIpcError({ code: 'host-lost', message: `The process of ${name} is gone.`, hint: HOST_LOST_HINT });
  };

  const peerWith = (pid: number): string => {
    const peer = ledger.peers().find((one) => one.pid === pid && one.role !== 'outside' && isRunning(one));
    if (peer !== undefined) return peer.id;
    throw new GpuIpcError({
      code: 'not-found',
      message: `No process of this app has the pid ${pid}.`,
      hint: 'What is at an address can be asked only inside the process that has it.',
    });
  };

  return {
    'sharing.verdict': async ({ id, address, processId }, caller) => {
      const asked = processId === undefined ? caller.peerId() : processId;
      const peerId = id === undefined ? (typeof asked === 'number' ? peerWith(asked) : asked) : peerOf(id);
      const args = id === undefined ? { address: address ?? '0x0' } : { id };
      const result = (await hostOf(peerId).request('sharing.verdict', args)) as Result<Verdict>;
      if (!result.ok) throw new GpuIpcError(result.error);
      return result.value;
    },

    'sharing.try': async ({ id, mechanism }) => {
      const exporter = hostOf(peerOf(id));
      const { kind } = await supervisor.driver();
      return trials.run({ exporter, id, mechanism, driver: kind });
    },

    'fds.ofProcess': ({ pid }) => descriptorsOf(pid),
  };
}

/** `p2.a3` → `p2`: ids begin with that of their process. */
const peerOf = (id: string): string => id.split('.')[0] ?? id;
