/** Handles as text: found in what somebody pasted, checked, described, and as code for other programs. */
import { MAX_PASTE } from '#contract/calls/handles';
import { printDescriptor, type ShareDescriptor } from '#contract/descriptor';
import type { Device } from '#contract/devices';
import { parsePaste } from '#contract/paste/parse-paste';
import { segmentsDescriptor } from '#contract/paste/segments';
import type { Pasted } from '#contract/paste/types';
import { GpuIpcError, type Result } from '#contract/result';
import { type SnippetLibrary, snippet } from '#contract/snippets/index';
import { formatCount } from '#contract/units';
import { proposedName } from '../contents/save';
import { describeExport, exportNamed, objectOf } from '../describe';
import { readHandleFile, writeDescriptorFile } from '../handle-files';
import { HOST_LOST_HINT } from '../hosts/ending';
import { ImportCheck } from '../import-check';
import type { MainHandlers } from '../router';
import { pressedJustNow } from '../windows/press';
import type { WindowRecord } from '../windows/registry';
import { Asking } from './asking';
import { Opening } from './opening';
import type { Services } from './services';

type HandleCalls =
  | 'handles.parse'
  | 'handles.check'
  | 'handles.describe'
  | 'handles.save'
  | 'handles.readFile'
  | 'handles.fromClipboard'
  | 'handles.snippet';

const DESCRIPTOR_FILES = { name: 'Share descriptor', extensions: ['json'] };
const TEXT_FILES = { name: 'Text', extensions: ['txt', 'log'] };
const ALL_FILES = { name: 'All files', extensions: ['*'] };

export function handleHandlers(
  services: Pick<Services, 'ledger' | 'supervisor' | 'outside' | 'dialogs' | 'clipboardText'>,
): Pick<MainHandlers, HandleCalls> {
  const { ledger, supervisor, dialogs, clipboardText } = services;
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

    'handles.save': async ({ id }, caller) => {
      const descriptor = await described(id, caller);
      const name = proposedName(descriptor.label ?? '', 'descriptor.json');
      const path = await dialogs.save(caller.id, name, [DESCRIPTOR_FILES, ALL_FILES]);
      if (path === undefined) return { path: null };
      await writeDescriptorFile(path, printDescriptor(descriptor));
      return { path };
    },

    'handles.readFile': async (_args, caller) => {
      const filters = [ALL_FILES, DESCRIPTOR_FILES, TEXT_FILES];
      const path = await dialogs.open(caller.id, 'Open a file with a handle or a descriptor', filters);
      return path === undefined ? { path: null, text: '' } : { path, text: await readHandleFile(path) };
    },

    'handles.fromClipboard': async (_args, caller) => {
      if (!pressedJustNow(caller, Date.now())) {
        throw new GpuIpcError({
          code: 'not-allowed',
          message: 'The clipboard is read only when somebody has just pressed a key or a button in the window.',
        });
      }
      const text = await clipboardText();
      if (text.length <= MAX_PASTE) return { text };
      throw new GpuIpcError({
        code: 'out-of-range',
        message: `The text on the clipboard has ${formatCount(text.length)} characters; at most ${formatCount(MAX_PASTE)} are read.`,
        hint: 'Copy the part that the handle or the descriptor is in.',
      });
    },

    'handles.snippet': async ({ id, side, language, library, masked = false }, caller) => {
      const descriptor = await described(id, caller);
      const made = snippet({ descriptor, side, language, library: library as SnippetLibrary, masked });
      if (!made.ok) throw new GpuIpcError({ code: 'unsupported', message: made.why });
      return { code: made.code, notes: [...made.notes], requires: [...made.requires] };
    },
  };
}
