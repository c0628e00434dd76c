/**
 * Tries whether memory can be shared: its own process exports it, a process made for that opens it, and the bytes of
 * both are compared. Then everything is let go of, whatever happened. The process is in no ledger and has no window.
 */
import type { Trial } from '#contract/calls/sharing';
import type { HostInit } from '#contract/host-protocol';
import { GpuIpcError, type IpcError } from '#contract/result';
import type { TrialCalls, TrialOffer, TrialProgress, TrialStep } from '#contract/trial-protocol';
import type { Mechanism } from '#contract/values';
import { bytesIn, partsToCompare } from '#host/verdict/parts';
import { DriverHost, nobody } from '../hosts/driver-host';
import type { HostTransport } from '../hosts/transport';
import { compare } from './compare';
import { askWithin, hasEnded, type TrialHost, within } from './within';

export interface TrialsOptions {
  readonly startProcess: (serviceName: string) => HostTransport;
  readonly simulatorPath: string;
  /** How long one request may take, in milliseconds; with it a slow disk or GPU is told from a hanging driver. */
  readonly deadlineMs?: number;
}

export interface TrialRequest {
  /** Host of the process that has the memory. */
  readonly exporter: TrialHost;
  readonly id: string;
  readonly mechanism: Mechanism;
  /** The driver that the exporter uses. */
  readonly driver: HostInit['driver'];
}

const DEADLINE_MS = 20_000;

interface Importer {
  readonly host: DriverHost;
  readonly pid: number;
}

export class Trials {
  private readonly running = new Set<DriverHost>();
  private count = 0;
  private last: Promise<unknown> = Promise.resolve();
  private hasStopped = false;
  private readonly deadline: number;

  constructor(private readonly options: TrialsOptions) {
    this.deadline = options.deadlineMs ?? DEADLINE_MS;
  }

  /**
   * One trial after another: each takes a context on the device, some hundred megabytes.
   * @throws GpuIpcError when the memory is not there; what goes wrong later is in the answer
   */
  run(request: TrialRequest): Promise<Trial> {
    const trial = this.last.then(() => this.tryOne(request));
    this.last = trial.catch(() => {});
    return trial;
  }

  private async tryOne(request: TrialRequest): Promise<Trial> {
    this.refuseWhenStopped();
    const began = performance.now();
    const { exporter, id, mechanism } = request;
    const exported = await askWithin(
      this.deadline,
      'The process that has the memory',
      exporter,
      'trial.export',
      { id, mechanism },
      ({ token }) => void exporter.request('trial.end', { token }),
    );
    const report = new Report(exported);
    try {
      if (exported.offer !== null) await this.open(request, exported.offer, exported.token, report);
    } catch (thrown) {
      if (!(thrown instanceof GpuIpcError)) throw thrown;
      report.failed(thrown.error);
    } finally {
      await this.letGo(exporter, exported.token, report);
    }
    return report.trial(mechanism, exported.ofBytes, performance.now() - began);
  }

  /** Ends the processes of trials that are running, for the end of the app. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    await Promise.all([...this.running].map((host) => host.kill()));
  }

  private refuseWhenStopped(): void {
    if (this.hasStopped) throw new GpuIpcError({ code: 'cancelled', message: 'The app is closing.' });
  }

  private async open({ exporter, driver }: TrialRequest, offer: TrialOffer, exporting: string, report: Report) {
    const parts = partsToCompare(offer.pieces);
    const importer = await this.start(driver, report);
    try {
      const opened = await this.openIn(importer, exporter, exporting, offer);
      report.add(opened);
      const { token } = opened;
      if (token === null) return;
      report.opened = true;
      const read = (who: string, host: TrialHost, of: string) => () =>
        this.ask(who, host, 'trial.checksum', { token: of, parts });
      const compared = await compare(
        bytesIn(parts),
        read('The process that has the memory', exporter, exporting),
        read('The process made for the trial', importer.host, token),
      ).catch((thrown: unknown) => {
        if (!(thrown instanceof GpuIpcError)) throw thrown;
        report.failed(thrown.error);
        return undefined;
      });
      if (compared !== undefined) report.compared(compared, bytesIn(parts));
      report.add(await this.ask('The process made for the trial', importer.host, 'trial.end', { token }));
    } finally {
      await this.end(importer.host, report);
    }
  }

  private async openIn(importer: Importer, exporter: TrialHost, token: string, offer: TrialOffer) {
    const offered =
      offer.descriptors === 0
        ? undefined
        : await this.ask('The process that has the memory', exporter, 'trial.offer', { token, toPid: importer.pid });
    const args = { offer, socket: offered?.name ?? null };
    return this.ask('The process made for the trial', importer.host, 'trial.open', args);
  }

  private async start(driver: HostInit['driver'], report: Report): Promise<Importer> {
    // The app may have begun to close while the exporter was at it.
    this.refuseWhenStopped();
    const began = performance.now();
    this.count += 1;
    const transport = this.options.startProcess(`GPU IPC Inspector trial ${this.count}`);
    const { simulatorPath } = this.options;
    const init: HostInit = { kind: 'init', peerId: `t${this.count}`, role: 'consumer', driver, simulatorPath };
    let pid = 0;
    const ready = (of: number): void => {
      pid = of;
    };
    const host = new DriverHost(transport, init, { ...nobody, ready });
    this.running.add(host);
    try {
      await within(this.deadline, host.ready(), () => notStarted(this.deadline));
    } catch (thrown) {
      const isLost = host.hasEnded && thrown instanceof GpuIpcError && thrown.error.code === 'host-lost';
      await this.end(host, report);
      throw isLost ? new GpuIpcError(hasEnded('The process made for the trial')) : thrown;
    }
    const us = (performance.now() - began) * 1000;
    report.step({ what: 'process', ok: true, detail: `pid ${pid}, made for this trial`, us });
    return { host, pid };
  }

  /** Asked at first; one that hangs is killed. */
  private async end(host: DriverHost, report: Report): Promise<void> {
    const began = performance.now();
    const ended = await host.shutdown();
    this.running.delete(host);
    const us = (performance.now() - began) * 1000;
    const detail = ended ? 'the process made for the trial has ended' : 'the process was killed and is not gone yet';
    report.step({ what: 'end', ok: ended, detail, us });
  }

  private async letGo(exporter: TrialHost, token: string, report: Report): Promise<void> {
    try {
      report.add(await this.ask('The process that has the memory', exporter, 'trial.end', { token }));
    } catch (thrown) {
      if (!(thrown instanceof GpuIpcError)) throw thrown;
      // Its end lets go of it; a host that hangs does it when it hears of it again.
      report.lostExporter(thrown.error);
    }
  }

  private ask<C extends keyof TrialCalls>(who: string, host: TrialHost, name: C, args: TrialCalls[C]['args']) {
    return askWithin(this.deadline, who, host, name, args);
  }
}

/** What a trial found out so far. */
class Report {
  private readonly steps: TrialStep[] = [];
  private error: IpcError | undefined;
  private checksums: Pick<Trial, 'exporterChecksum' | 'importerChecksum'> = {
    exporterChecksum: null,
    importerChecksum: null,
  };
  private comparedBytes = 0;
  private fits = true;
  opened = false;

  constructor(progress: TrialProgress) {
    this.add(progress);
  }

  step(step: TrialStep): void {
    this.steps.push(step);
  }

  add({ steps, error }: TrialProgress): void {
    this.steps.push(...steps);
    this.error ??= error;
  }

  /** A request that failed as a whole. */
  failed(error: IpcError): void {
    const detail = error.cuda === undefined ? error.message : `${error.cuda.name}: ${error.cuda.text}`;
    this.steps.push({ what: error.call ?? 'the trial', ok: false, detail });
    this.error ??= error;
  }

  /** What the driver answered about memory of a process that is gone is not what it would have answered before. */
  lostExporter(error: IpcError): void {
    if (error.code === 'host-lost' && this.error?.code === 'driver-error') this.error = undefined;
    this.failed(error);
  }

  compared({ step, fits, exporter, importer }: Awaited<ReturnType<typeof compare>>, bytes: number): void {
    this.steps.push(step);
    this.fits = fits;
    this.checksums = { exporterChecksum: exporter, importerChecksum: importer };
    this.comparedBytes = exporter === null ? 0 : bytes;
  }

  trial(mechanism: Mechanism, ofBytes: number, tookMs: number): Trial {
    const { error } = this;
    return {
      mechanism,
      worked: this.opened && this.fits,
      steps: this.steps,
      ...this.checksums,
      comparedBytes: this.comparedBytes,
      ofBytes,
      ...(error === undefined ? {} : { error }),
      tookMs,
    };
  }
}

const notStarted = (ms: number): IpcError => ({
  code: 'host-lost',
  message: `The process made for the trial did not start within ${ms / 1000} s.`,
});
