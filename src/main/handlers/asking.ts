/** What the handlers of shared things have in common: the hosts to ask, the exports that are meant, the way between them. */
import type { DescriptorSource, InternalCalls } from '#contract/host-protocol';
import type { Export } from '#contract/records';
import { GpuIpcError, type Result } from '#contract/result';
import type { DriverHost, RequestArgs } from '../hosts/driver-host';
import { HOST_LOST_HINT } from '../hosts/ending';
import type { WindowRecord } from '../windows/registry';
import type { Services } from './services';

/** Asks a host and answers the value; throws the error. */
export async function ask<N extends keyof InternalCalls>(
  host: Pick<DriverHost, 'request'>,
  name: N,
  args: InternalCalls[N]['args'],
): Promise<InternalCalls[N]['value']> {
  const result = (await host.request(name, args as RequestArgs<N>)) as Result<InternalCalls[N]['value']>;
  if (!result.ok) throw new GpuIpcError(result.error);
  return result.value;
}

export class Asking {
  constructor(private readonly services: Pick<Services, 'ledger' | 'supervisor'>) {}

  /** The host of the process of a window. */
  hostOf(caller: WindowRecord): DriverHost {
    return this.host(caller.peerId(), caller.name);
  }

  exportOf(exportId: string): Export {
    const made = this.services.ledger.export(exportId);
    if (made === undefined) throw new GpuIpcError({ code: 'not-found', message: `No export has the id ${exportId}.` });
    return made;
  }

  /** The 64 bytes of an export. */
  bytesOf(made: Export): Uint8Array<ArrayBuffer> {
    const bytes = this.services.ledger.handleOf(made.id);
    if (bytes !== undefined) return bytes;
    throw new GpuIpcError({
      code: 'not-found',
      message: `${this.services.ledger.labelOf(made) || made.id} travels by file descriptor: its export has no 64 bytes.`,
      hint: 'Describe it instead: the text names the descriptors and their process.',
    });
  }

  /** Has the exporter's host give the descriptors of an export to the process of a window, once. */
  async offer(made: Export, caller: WindowRecord): Promise<DescriptorSource> {
    const { ledger } = this.services;
    const exporter = this.host(made.peerId, ledger.peer(made.peerId)?.name ?? made.peerId);
    const toPid = ledger.peer(caller.peerId())?.pid;
    if (toPid == null) throw this.lost(caller.name);
    const { name } = await ask(exporter, 'descriptors.offer', { exportId: made.id, toPid });
    return { kind: 'offer', name };
  }

  host(peerId: string, name: string): DriverHost {
    const host = this.services.supervisor.host(peerId);
    if (host === undefined) throw this.lost(name);
    return host;
  }

  private lost(name: string): GpuIpcError {
    return new GpuIpcError({
      code: 'host-lost',
      message: `The process of ${name} is gone.`,
      hint: HOST_LOST_HINT,
    });
  }
}
