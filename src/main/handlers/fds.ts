/** File descriptors that processes of this app hold open for their exports. */
import type { OpenDescriptor } from '#contract/calls/fds';
import type { HeldDescriptor } from '#contract/host-protocol';
import type { Export, Peer } from '#contract/records';
import { GpuIpcError, type Result } from '#contract/result';
import { isRunning } from '../ledger/ledger';
import type { MainHandlers } from '../router';
import { Asking, ask } from './asking';
import type { Services } from './services';

/** A host that hangs in the driver does not say what it has open; the ledger does, without the names of the files. */
const PATIENCE_MS = 500;

export function fdHandlers(
  services: Pick<Services, 'ledger' | 'supervisor'>,
): Pick<MainHandlers, 'fds.list' | 'fds.close'> {
  const { ledger, supervisor } = services;
  const asking = new Asking(services);

  const heldBy = async (peer: Peer): Promise<readonly HeldDescriptor[]> => {
    const host = supervisor.host(peer.id);
    if (host === undefined) return [];
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS).unref());
    const result = (await Promise.race([host.request('descriptors.list', {}), late])) as
      | Result<readonly HeldDescriptor[]>
      | undefined;
    return result?.ok === true ? result.value : asInLedger(peer.id);
  };

  const asInLedger = (peerId: string): HeldDescriptor[] =>
    ledger
      .records('exports')
      .filter((made) => made.peerId === peerId && isRunning(ledger.peer(peerId) as Peer))
      .flatMap(({ id, descriptors = [] }) => descriptors.map((one) => ({ ...one, exportId: id, file: null })));

  const described = ({ id, pid }: Peer, { exportId, fd, bytes, file }: HeldDescriptor): OpenDescriptor[] => {
    const made = ledger.export(exportId);
    if (made === undefined || pid === null) return [];
    const kind = made.kind === 'pool' ? 'pool' : 'physical';
    const { objectId, createdAt } = made;
    const label = ledger.labelOf(made);
    return [{ peerId: id, pid, fd, exportId, kind, objectId, label, file, openedAt: createdAt, pins: bytes }];
  };

  return {
    'fds.list': async (_args, caller) => {
      const all = ledger.peers().filter((peer) => peer.role !== 'outside' && isRunning(peer));
      const peers = caller.role === 'inspector' ? all : all.filter(({ id }) => id === caller.peerId());
      const lists = await Promise.all(
        peers.map(async (peer) => (await heldBy(peer)).flatMap((held) => described(peer, held))),
      );
      return { descriptors: lists.flat() };
    },

    'fds.close': async ({ exportId }, caller) => {
      const made: Export = asking.exportOf(exportId);
      if (caller.role !== 'inspector' && made.peerId !== caller.peerId()) {
        throw new GpuIpcError({ code: 'not-allowed', message: `${exportId} is an export of another process.` });
      }
      const host = asking.host(made.peerId, ledger.peer(made.peerId)?.name ?? made.peerId);
      await ask(host, 'descriptors.close', { exportId });
      return undefined;
    },
  };
}
