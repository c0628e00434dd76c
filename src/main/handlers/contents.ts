/** Calls about whole contents that reach further than one process: comparing, files, and ending what runs. */
import { GpuIpcError } from '#contract/result';
import { compareAcross } from '../contents/compare';
import { load } from '../contents/load';
import { checkedRange } from '../contents/reading';
import { planSave, proposedName, save } from '../contents/save';
import type { MainHandlers } from '../router';
import { Asking, ask } from './asking';
import type { Services } from './services';

type ContentCalls = 'contents.compare' | 'contents.cancel' | 'contents.save' | 'contents.load';

const FILTERS = {
  raw: [{ name: 'Raw bytes', extensions: ['bin'] }],
  npy: [{ name: 'NumPy array', extensions: ['npy'] }],
  csv: [{ name: 'CSV', extensions: ['csv'] }],
};
const ALL_FILES = { name: 'All files', extensions: ['*'] };

export function contentHandlers(
  services: Pick<Services, 'ledger' | 'supervisor' | 'work' | 'dialogs'>,
): Pick<MainHandlers, ContentCalls> {
  const { ledger, work, dialogs } = services;
  const asking = new Asking(services);

  /** The host of the process that an id belongs to: `p2.a3` is of peer p2. */
  const ownerOf = (id: string) => {
    const peerId = id.split('.')[0] ?? '';
    const peer = ledger.peer(peerId);
    if (peer === undefined) throw new GpuIpcError({ code: 'not-found', message: `No process here has made ${id}.` });
    return asking.host(peerId, peer.name);
  };

  return {
    'contents.compare': async (args, caller) => {
      const { a, b, aOffset, bOffset, length, job } = args;
      const [left, right] = [ownerOf(a), ownerOf(b)];
      return work.run(caller, job, async (running) => {
        if (left === right) {
          return work.lend(left, running, (name) => ask(left, 'contents.compareHere', { ...args, job: name }));
        }
        const [one, other] = await running.unlessEnded(
          Promise.all([ask(left, 'contents.describe', { id: a }), ask(right, 'contents.describe', { id: b })]),
        );
        return compareAcross(
          { host: left, id: a, label: one.label, ...checkedRange(one, aOffset, length) },
          { host: right, id: b, label: other.label, ...checkedRange(other, bOffset, length) },
          args,
          running,
        );
      });
    },

    'contents.cancel': async ({ job }, caller) => {
      work.cancel(caller, job);
      // A process that is gone has no job.
      await services.supervisor.host(caller.peerId())?.request('contents.endJob', { job });
      return undefined;
    },

    'contents.save': async (args, caller) => {
      const host = asking.hostOf(caller);
      const described = await ask(host, 'contents.describe', { id: args.id });
      const plan = planSave(described, args);
      const filters = [...FILTERS[args.as], ALL_FILES];
      const path = await dialogs.save(
        caller.id,
        proposedName(described.label, args.as === 'raw' ? 'bin' : args.as),
        filters,
      );
      if (path === undefined) return { path: null, bytes: 0 };
      const { offset, length, note } = plan;
      const part = { host, id: args.id, label: described.label, offset, length };
      const bytes = await work.run(caller, args.job, (running) => save(part, plan, path, running));
      return { path, bytes, ...(note !== undefined && { note }) };
    },

    'contents.load': async ({ id, offset = 0, job }, caller) => {
      const host = asking.hostOf(caller);
      const described = await ask(host, 'contents.describe', { id });
      if (described.kind !== 'allocation') {
        const what = described.kind === 'mapping' ? 'imported memory' : 'a snapshot';
        throw new GpuIpcError({
          code: 'not-allowed',
          message: `${described.label} is ${what}: a file is loaded into own memory only.`,
          hint: described.kind === 'mapping' ? 'Load it in the process that has exported the memory.' : undefined,
        });
      }
      checkedRange(described, offset);
      const filters = [ALL_FILES, ...FILTERS.npy, ...FILTERS.raw];
      const path = await dialogs.open(caller.id, `Load into ${described.label}`, filters);
      if (path === undefined) return { path: null, bytes: 0 };
      const target = { host, id, label: described.label, bytes: described.bytes, dtype: described.dtype };
      const { bytes, note } = await work.run(caller, job, (running) => load(path, target, offset, running));
      return { path, bytes, ...(note !== undefined && { note }) };
    },
  };
}
