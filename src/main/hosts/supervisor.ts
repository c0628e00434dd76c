/**
 * Starts, watches, replaces and ends the driver hosts, and keeps the ledger's record of each: one for the Inspector, on
 * a thread of this process, and one process for every demo window.
 */
import type { DriverInfo } from '#contract/devices';
import type { HostInit, Progress } from '#contract/host-protocol';
import { GpuIpcError, type IpcError } from '#contract/result';
import type { Role } from '#contract/values';
import type { Ledger } from '../ledger/ledger';
import { DriverHost } from './driver-host';
import { HOST_LOST_HINT } from './ending';
import { closeLeftDescriptors } from './left-descriptors';
import type { HostEnding, HostTransport } from './transport';

export interface SupervisorOptions {
  readonly ledger: Ledger;
  readonly startThread: () => HostTransport;
  readonly startProcess: (serviceName: string) => HostTransport;
  /** GPU_IPC_DRIVER. */
  readonly driver: HostInit['driver'];
  readonly simulatorPath: string;
  /** For what hosts keep that is too large for memory. */
  readonly scratchFolder?: string;
  readonly progress?: (peerId: string, progress: Progress) => void;
}

export interface StartedHost {
  readonly peerId: string;
  /** When the process answers; rejects when it never will. */
  readonly pid: Promise<number>;
}

interface Hosted {
  readonly peerId: string;
  readonly role: Role;
  readonly name: string;
  readonly device: number | null;
  readonly host: DriverHost;
  readonly startedAt: number;
  /** Set when this app ends it on purpose: said instead of the exit code. */
  ending?: HostEnding;
}

/** An Inspector host that lived for less than this is not replaced again by itself. */
const TOO_SHORT_MS = 5_000;

export class Supervisor {
  private readonly hosted = new Map<string, Hosted>();
  private nextPeer = 1;
  private inspectorId = '';
  private replacing: Promise<DriverInfo> | undefined;
  private isEnding = false;
  /** A thread that could not be ended keeps this process from ending in the ordinary way. */
  private threadIsStuck = false;

  constructor(private readonly options: SupervisorOptions) {}

  // ---- the Inspector ----------------------------------------------------------------------------------------------

  /** The Inspector's present peer. */
  get inspectorPeerId(): string {
    return this.inspectorId;
  }

  startInspector(): void {
    this.inspectorId = this.start('inspector', 'Inspector', null, this.options.driver, this.options.startThread());
  }

  /** The driver that the Inspector found, which the demo processes use too. Rejects when there is none. */
  driver(): Promise<DriverInfo> {
    const inspector = this.hosted.get(this.inspectorId);
    if (inspector === undefined) return Promise.reject(new GpuIpcError(notRunning(this.inspectorId)));
    return inspector.host.ready();
  }

  /**
   * Has a new process take over from the Inspector's host. A process rather than a thread: what a driver answered once,
   * or a context that it lost, stays with the process that asked.
   */
  replaceInspector(): Promise<DriverInfo> {
    this.replacing ??= this.replace().finally(() => {
      this.replacing = undefined;
    });
    return this.replacing;
  }

  private async replace(): Promise<DriverInfo> {
    const before = this.hosted.get(this.inspectorId);
    if (before !== undefined) {
      before.ending = { state: 'exited', words: 'replaced' };
      await this.end(before);
    }
    if (this.isEnding) throw new GpuIpcError(closing);
    return this.takeOver(this.inspectorId);
  }

  private takeOver(before: string): Promise<DriverInfo> {
    const transport = this.options.startProcess(this.serviceName());
    this.inspectorId = this.start('inspector', 'Inspector', null, this.options.driver, transport);
    this.options.ledger.updatePeer(before, { replacedBy: this.inspectorId });
    this.options.ledger.unpinPeer(before);
    return this.driver();
  }

  // ---- demo processes ---------------------------------------------------------------------------------------------

  /** Starts the process of a producer or consumer, with the Inspector's kind of driver. */
  async startDemo(role: 'producer' | 'consumer', name: string, device: number): Promise<StartedHost> {
    const { kind } = await this.driver();
    if (this.isEnding) throw new GpuIpcError(closing);
    const peerId = this.start(role, name, device, kind, this.options.startProcess(this.serviceName()));
    const pid = this.pidWhenReady(peerId);
    pid.catch(() => {}); // Whoever waits hears of it; the ledger says it too.
    return { peerId, pid };
  }

  /** A new process in place of one that is gone. */
  async restartDemo(before: string): Promise<StartedHost> {
    const peer = this.options.ledger.peer(before);
    if (peer === undefined || peer.device === null || (peer.role !== 'producer' && peer.role !== 'consumer')) {
      throw new GpuIpcError({ code: 'not-found', message: `${before} is no producer or consumer of this app.` });
    }
    const started = await this.startDemo(peer.role, peer.name, peer.device);
    this.options.ledger.updatePeer(before, { replacedBy: started.peerId });
    this.options.ledger.unpinPeer(before);
    return started;
  }

  /** SIGKILL. Resolves when the process is gone, or is not to be waited for, and the ledger says so. */
  async kill(peerId: string): Promise<void> {
    const hosted = this.hosted.get(peerId);
    if (hosted === undefined) throw new GpuIpcError(notRunning(peerId));
    if (!(await hosted.host.kill())) this.abandon(peerId, hosted);
  }

  /** Has the host release everything and end, for a window that was closed. */
  async close(peerId: string): Promise<void> {
    const hosted = this.hosted.get(peerId);
    if (hosted === undefined) return;
    hosted.ending = { state: 'exited', words: 'closed' };
    await this.end(hosted);
  }

  // ---- all --------------------------------------------------------------------------------------------------------

  /** The host of a running peer. */
  host(peerId: string): DriverHost | undefined {
    return this.hosted.get(peerId)?.host;
  }

  /** Ends all hosts, side by side. False when one of them is stuck: only the end of this process ends it. */
  async shutdown(): Promise<boolean> {
    this.isEnding = true;
    await Promise.all([...this.hosted.keys()].map((peerId) => this.close(peerId)));
    return !this.threadIsStuck;
  }

  private start(
    role: Role,
    name: string,
    device: number | null,
    driver: HostInit['driver'],
    transport: HostTransport,
  ): string {
    const { ledger, simulatorPath, scratchFolder, progress } = this.options;
    const peerId = `p${this.nextPeer}`;
    this.nextPeer += 1;
    const startedAt = Date.now();
    const pid = transport.placement === 'thread' ? process.pid : null;
    ledger.addPeer({ id: peerId, role, name, pid, device, state: 'starting', startedAt });
    ledger.pinPeer(peerId);

    const init: HostInit = {
      kind: 'init',
      peerId,
      role,
      driver,
      simulatorPath,
      ...(scratchFolder !== undefined && { scratchFolder }),
    };
    const host = new DriverHost(transport, init, {
      ready: (pid) => ledger.updatePeer(peerId, { state: 'alive', pid }),
      ledger: (changes, calls) => ledger.apply(peerId, changes, calls),
      answering: () => ledger.changesSent(),
      hanging: (hanging) => ledger.updatePeer(peerId, { hanging }),
      progress: (told) => progress?.(peerId, told),
      failed: (error) => this.failed(peerId, error),
      contextLost: (error) => this.contextLost(peerId, error),
      ended: (ending) => this.ended(peerId, ending),
    });
    this.hosted.set(peerId, { peerId, role, name, device, host, startedAt });
    return peerId;
  }

  private async pidWhenReady(peerId: string): Promise<number> {
    await this.host(peerId)?.ready();
    const pid = this.options.ledger.peer(peerId)?.pid;
    if (pid == null) throw new GpuIpcError(notRunning(peerId));
    return pid;
  }

  /** Without a driver the Inspector lives on and says so; a demo process would be of no use. */
  private failed(peerId: string, error: IpcError): void {
    const hosted = this.hosted.get(peerId);
    if (hosted === undefined) return;
    if (hosted.role === 'inspector') {
      this.options.ledger.updatePeer(peerId, { state: 'alive' });
      return;
    }
    hosted.ending = { state: 'lost', words: error.message };
    void this.end(hosted);
  }

  /** The context of a process is dead for good, and every later call in it fails: only a new process helps. */
  private contextLost(peerId: string, error: IpcError): void {
    const hosted = this.hosted.get(peerId);
    if (hosted === undefined) return;
    hosted.ending = { state: 'lost', words: `context lost, ${error.cuda?.name ?? error.message}` };
    void hosted.host.kill().then((ended) => {
      if (!ended) this.abandon(peerId, hosted);
    });
  }

  private async end(hosted: Hosted): Promise<void> {
    if (!(await hosted.host.shutdown())) this.abandon(hosted.peerId, hosted);
  }

  /**
   * A thread inside a driver call cannot be ended; it counts as gone, and this process ends by force when it quits. A
   * killed process may hang in the kernel's part of the driver; it ends when that returns.
   */
  private abandon(peerId: string, hosted: Hosted): void {
    if (hosted.host.placement === 'thread') this.threadIsStuck = true;
    this.ended(peerId, { state: 'lost', words: 'does not return from a driver call' });
  }

  private ended(peerId: string, ending: HostEnding): void {
    const hosted = this.hosted.get(peerId);
    if (hosted === undefined) return;
    this.hosted.delete(peerId);
    if (hosted.host.placement === 'thread' && !this.threadIsStuck) closeLeftDescriptors(this.options.ledger, peerId);
    const { state, words } = hosted.ending ?? ending;
    this.options.ledger.endPeer(peerId, state, words);
    this.options.ledger.flush();

    const wasLost = hosted.role === 'inspector' && peerId === this.inspectorId && state === 'lost';
    if (wasLost && !this.isEnding && Date.now() - hosted.startedAt >= TOO_SHORT_MS) {
      this.takeOver(peerId).catch((error: unknown) => console.error('The Inspector has no driver host:', error));
    }
  }

  private serviceName(): string {
    return `GPU IPC Inspector driver host ${this.nextPeer}`;
  }
}

const closing: IpcError = { code: 'cancelled', message: 'The app is closing.' };

function notRunning(peerId: string): IpcError {
  return {
    code: 'host-lost',
    message: `The process of ${peerId} is not running.`,
    hint: HOST_LOST_HINT,
  };
}
