/**
 * Exporters that are no part of this app: which process made a handle that somebody pasted, and whether it still runs.
 * The pid in a handle is undocumented, so it is used only where the layout was checked on handles of our own, and
 * believed only of a process that has a CUDA driver loaded. Everything else stays unknown.
 */
import { handlePid } from '#contract/handle-layout';
import type { InternalCalls } from '#contract/host-protocol';
import type { Result } from '#contract/result';
import { liveness, type ProcessFacts, type ProcessIdentity, processFacts } from '#native/posix/process';
import type { ImportTable } from './kinds';
import type { Ledger } from './ledger';

/** What is needed of a driver host. */
interface AnatomyHost {
  request(name: 'handles.anatomy', args: InternalCalls['handles.anatomy']['args']): Promise<Result<unknown>>;
}

/** What is asked of the operating system. */
export interface ProcessSource {
  facts(pid: number): ProcessFacts | undefined;
  isAlive(identity: ProcessIdentity): boolean;
}

const proc: ProcessSource = { facts: processFacts, isAlive: (identity) => liveness(identity) !== 'gone' };

export class OutsideExporters {
  private readonly watched = new Map<string, ProcessIdentity>();
  private nextPeer = 1;

  constructor(
    private readonly ledger: Ledger,
    private readonly processes: ProcessSource = proc,
  ) {}

  /** Finds out who made the handle of an import that is not of one of our own exports, and puts it into the ledger. */
  async identify(
    table: 'mappings' | 'eventImports',
    importId: string,
    handle: Uint8Array,
    host: AnatomyHost,
  ): Promise<void> {
    if (this.ledger.isExporterKnown(table, importId)) return;
    const kind = table === 'mappings' ? 'memory' : 'event';
    const pid = handlePid(handle);
    if (pid === undefined || !(await isLayoutChecked(host, handle, kind))) return;
    const peerId = this.peerOf(pid);
    if (peerId !== undefined) this.ledger.setOutsideExporter(table, importId, peerId);
  }

  /** The same for what was taken from a process that is known by its pid, because its descriptors were copied from there. */
  identifyProcess(table: ImportTable, importId: string, pid: number): void {
    if (this.ledger.isExporterKnown(table, importId)) return;
    const peerId = this.peerOf(pid, true);
    if (peerId !== undefined) this.ledger.setOutsideExporter(table, importId, peerId);
  }

  /** Looks whether the known exporters still run. To be called about once a second. */
  look(): void {
    for (const [peerId, identity] of this.watched) {
      if (!this.processes.isAlive(identity)) {
        this.watched.delete(peerId);
        this.ledger.endPeer(peerId, 'exited', 'ended');
      } else if (!this.ledger.isReferenced(peerId)) {
        this.watched.delete(peerId);
        this.ledger.removePeer(peerId);
      }
    }
  }

  /**
   * The peer of a process, a new one when it is seen for the first time.
   * @param certain its pid is of this namespace and it did share; otherwise the pid comes from a handle
   */
  private peerOf(pid: number, certain = false): string | undefined {
    const own = this.ledger
      .peers()
      .find((peer) => peer.pid === pid && peer.role !== 'outside' && peer.state === 'alive');
    if (own !== undefined) return own.id;
    const facts = this.processes.facts(pid);
    if (facts === undefined) return undefined;
    if (!certain && facts.cuda !== 'driver' && facts.cuda !== 'simulator') return undefined;
    // A process of an inner pid namespace wrote its inner pid into the handle: ours only looks the same by chance.
    if (!certain && facts.innerPid !== undefined && facts.innerPid !== pid) return undefined;
    for (const [peerId, identity] of this.watched) {
      if (identity.pid === pid && identity.startTicks === facts.startTicks) return peerId;
    }
    const id = `o${this.nextPeer}`;
    this.nextPeer += 1;
    this.watched.set(id, { pid, startTicks: facts.startTicks });
    this.ledger.addPeer({
      id,
      role: 'outside',
      name: facts.name === '' ? `pid ${pid}` : facts.name,
      pid,
      device: null,
      state: 'alive',
      startedAt: Date.now(),
    });
    return id;
  }
}

async function isLayoutChecked(host: AnatomyHost, handle: Uint8Array, kind: 'memory' | 'event'): Promise<boolean> {
  const result = (await host.request('handles.anatomy', { handle, kind })) as Result<
    InternalCalls['handles.anatomy']['value']
  >;
  return result.ok && result.value.checked;
}
