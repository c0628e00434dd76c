/** Handles as text: found in what somebody pasted, checked, described, and as code for other programs. */
import { printDescriptor, type ShareDescriptor } from '#contract/descriptor';
import type { Device } from '#contract/devices';
import { parsePaste } from '#contract/paste/parse-paste';
import { segmentsDescriptor } from '#contract/paste/segments';
import type { Pasted } from '#contract/paste/types';
import { GpuIpcError, type Result } from '#contract/result';
import { type SnippetLibrary, snippet } from '#contract/snippets/index';
import { describeExport, exportNamed, objectOf } from '../describe';
import { HOST_LOST_HINT } from '../hosts/ending';
import { ImportCheck } from '../import-check';
import type { MainHandlers } from '../router';
import type { WindowRecord } from '../windows/registry';
import { Asking } from './asking';
import { Opening } from './opening';
import type { Services } from './services';

type HandleCalls = 'handles.parse' | 'handles.check' | 'handles.describe' | 'handles.snippet';

export function handleHandlers(
  services: Pick<Services, 'ledger' | 'supervisor' | 'outside'>,
): Pick<MainHandlers, HandleCalls> {
  const { ledger, supervisor } = services;
  const asking = new Asking(services);
  const check = new ImportCheck(services, asking, new Opening(services, asking));

  const devicesOf = async (peerId: string): Promise<readonly Device[]> => {
    const host = supervisor.host(peerId);
    if (host === undefined) {
      const name = ledger.peer(peerId)?.name ?? peerId;
      throw new GpuIpcError({ code: 'host-lost', message: `The process of ${name} is gone.`, hint: HOST_LOST_HINT });
    }
    const result = (await host.request('devices.list', {})) as Result<readonly Device[]>;
    if (!result.ok) throw new GpuIpcError(result.error);
    return result.value;
  };

  /** A producer may have its own exports described only, as it may reveal only those. */
  const described = async (id: string, caller: WindowRecord): Promise<ShareDescriptor> => {
    const made = exportNamed(ledger, id);
    if (caller.role !== 'inspector' && made.peerId !== caller.peerId()) {
      throw new GpuIpcError({ code: 'not-allowed', message: `${made.id} is an export of another process.` });
    }
    const devices = await devicesOf(made.peerId);
    const ordinal = objectOf(ledger, made)?.device ?? 0;
    const uuid = devices.find((device) => device.ordinal === ordinal)?.uuid;
    if (uuid === undefined) throw new GpuIpcError({ code: 'not-found', message: `There is no device ${ordinal}.` });
    return describeExport(ledger, made, uuid);
  };

  /**
   * With descriptors for what PyTorch prints of expandable segments. They say no device: it is the one that the text says,
   * as the process of the window counts, or else the first.
   */
  const openable = async (pasted: Pasted, caller: WindowRecord): Promise<Pasted> => {
    if (!pasted.items.some(({ kind }) => kind === 'pytorch-expandable')) return pasted;
    // Without its process a window opens nothing; what is in the text can be read all the same.
    const devices = supervisor.host(caller.peerId()) === undefined ? [] : await devicesOf(caller.peerId());
    const items = pasted.items.map((item) => {
      const { uuid } = devices.find(({ ordinal }) => ordinal === item.device) ?? devices[0] ?? {};
      const descriptor = uuid === undefined ? undefined : segmentsDescriptor(item, uuid);
      return descriptor === undefined ? item : { ...item, descriptor };
    });
    return { ...pasted, items };
  };

  return {
    'handles.parse': ({ text }, caller) => openable(parsePaste(text), caller),

    'handles.check': async (args, caller) => ({ findings: await check.findings(args, caller) }),

    'handles.describe': async ({ id }, caller) => ({ descriptor: printDescriptor(await described(id, caller)) }),

    'handles.snippet': async ({ id, side, language, library, masked = false }, caller) => {
      const descriptor = await described(id, caller);
      const made = snippet({ descriptor, side, language, library: library as SnippetLibrary, masked });
      if (!made.ok) throw new GpuIpcError({ code: 'unsupported', message: made.why });
      return { code: made.code, notes: [...made.notes], requires: [...made.requires] };
    },
  };
}
