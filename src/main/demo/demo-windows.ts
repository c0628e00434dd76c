/** Producer and consumer windows: each with an OS process and CUDA context of its own, which may die before it. */
import { GpuIpcError } from '#contract/result';
import type { Supervisor } from '../hosts/supervisor';
import type { Ledger } from '../ledger/ledger';
import type { Question, Windows } from '../windows/windows';
import { stillHeld } from './still-held';

export type DemoRole = 'producer' | 'consumer';

interface DemoWindow {
  readonly windowId: number;
  readonly name: string;
  peerId: string;
  /** A restart that is under way: asking again does not start another process. */
  restarting?: Promise<Started>;
}

export interface Started {
  readonly peerId: string;
  readonly pid: number;
}

export class DemoWindows {
  private readonly demos = new Set<DemoWindow>();
  private readonly counts = { producer: 0, consumer: 0 };

  constructor(
    private readonly windows: Windows,
    private readonly supervisor: Supervisor,
    private readonly ledger: Ledger,
  ) {}

  /**
   * Opens a window and starts its process, side by side. Resolves when the process answers; when it never does, the
   * window stays and offers a restart.
   */
  async open(role: DemoRole, device: number): Promise<Started> {
    this.counts[role] += 1;
    const name = `${role === 'producer' ? 'Producer' : 'Consumer'} ${this.counts[role]}`;
    const { peerId, pid } = await this.supervisor.startDemo(role, name, device);
    const windowId = this.windows.open({
      role,
      name,
      title: name,
      peerId: () => demo.peerId,
      question: () => this.questionBeforeClosing(demo),
      onClosed: () => this.closed(demo),
    });
    const demo: DemoWindow = { windowId, name, peerId };
    this.demos.add(demo);
    return this.whenReady(demo, pid);
  }

  /** SIGKILL to the process. Its window stays. */
  async kill(peerId: string): Promise<void> {
    this.find(peerId);
    await this.supervisor.kill(peerId);
  }

  /** A new process for the window of a process that is gone. */
  restart(peerId: string): Promise<Started> {
    const demo = this.find(peerId);
    if (this.supervisor.host(peerId) !== undefined) {
      throw new GpuIpcError({ code: 'not-allowed', message: `The process of ${demo.name} is running.` });
    }
    demo.restarting ??= this.startAgain(demo).finally(() => {
      demo.restarting = undefined;
    });
    return demo.restarting;
  }

  focus(peerId: string): void {
    this.windows.focus(this.find(peerId).windowId);
  }

  /** Closes all demo windows without a question. Resolves when their processes have released everything and ended. */
  async closeAll(): Promise<void> {
    const demos = [...this.demos];
    for (const { windowId } of demos) this.windows.closeUnasked(windowId);
    await Promise.all(demos.map(({ peerId }) => this.supervisor.close(peerId)));
  }

  private async startAgain(demo: DemoWindow): Promise<Started> {
    const { peerId, pid } = await this.supervisor.restartDemo(demo.peerId);
    demo.peerId = peerId;
    // The window may have been closed meanwhile, when only the process before was known to be its own.
    if (!this.demos.has(demo)) this.closed(demo);
    return this.whenReady(demo, pid);
  }

  private async whenReady(demo: DemoWindow, ready: Promise<number>): Promise<Started> {
    const { peerId } = demo;
    const pid = await ready;
    this.windows.setTitle(demo.windowId, `${demo.name} – pid ${pid}`);
    return { peerId, pid };
  }

  /** Closing ends the process, which frees what it exported. One that is gone has nothing more to free. */
  private questionBeforeClosing({ name, peerId }: DemoWindow): Question | undefined {
    if (this.supervisor.host(peerId) === undefined) return undefined;
    const detail = stillHeld(peerId, this.ledger.imports());
    return detail === undefined ? undefined : { message: `Close ${name}?`, detail };
  }

  private closed(demo: DemoWindow): void {
    this.demos.delete(demo);
    this.ledger.unpinPeer(demo.peerId);
    void this.supervisor.close(demo.peerId);
  }

  private find(peerId: string): DemoWindow {
    for (const demo of this.demos) if (demo.peerId === peerId) return demo;
    throw new GpuIpcError({ code: 'not-found', message: `No open producer or consumer window is of ${peerId}.` });
  }
}
