/** What a pasted text holds, and what can be known about it before the driver is asked. Pure. */
import { guessHandleKind, handlePid } from '#contract/handle-layout';
import { handleFormNames, parseHandle } from '#contract/handle-text';
import type { Peer } from '#contract/records';
import { formatCount } from '#contract/units';
import type { Table } from '../../lib/ledger';
import { peerRuns } from '../../lib/states';

export interface RecognisedHandle {
  readonly ok: true;
  readonly handle: Uint8Array<ArrayBuffer>;
  /** `Hex`, `PyTorch storage`. */
  readonly form: string;
  /** Quieter words beside it. */
  readonly detail: string;
  readonly kind: 'memory' | 'event' | 'unknown';
  readonly pid: number | undefined;
  /** From a tuple that says more than the handle. */
  readonly device?: number;
  readonly offset?: number;
  readonly length?: number;
}

export type Recognised = RecognisedHandle | { readonly ok: false; readonly problem: string; readonly position: number };

/** `(0, '0263…', 1200000, 0, …)`: what PyTorch's storage._share_cuda_() gives, printed. */
const TORCH = /^\s*[[(]\s*(\d+)\s*,\s*(b?(?:'[^']*'|"[^"]*"))\s*,\s*(\d+)\s*,\s*(\d+)\s*(,[\s\S]*)?[\])]\s*$/;

/** Undefined for an empty text. */
export function recognise(text: string): Recognised | undefined {
  if (text.trim() === '') return undefined;
  const torch = TORCH.exec(text);
  if (torch !== null) return recogniseTorch(text, torch);
  const reading = parseHandle(text);
  if (!reading.ok) return { ok: false, problem: reading.problem, position: reading.position };
  return {
    ok: true,
    handle: reading.handle,
    form: handleFormNames[reading.form],
    detail:
      reading.prefix === undefined ? '64 bytes' : `64 bytes after the two that ${reading.prefix} puts before them`,
    kind: guessHandleKind(reading.handle),
    pid: handlePid(reading.handle),
  };
}

function recogniseTorch(text: string, [, device, quoted, size, offset, rest]: RegExpExecArray): Recognised {
  const inner = quoted?.startsWith('b') ? quoted : (quoted?.slice(1, -1) ?? '');
  const reading = parseHandle(inner ?? '');
  if (!reading.ok)
    return { ok: false, problem: `In the tuple: ${reading.problem}`, position: text.indexOf(inner) + reading.position };
  const event = rest?.includes('True') === true ? ', with an event' : '';
  return {
    ok: true,
    handle: reading.handle,
    form: 'PyTorch storage',
    detail: `${formatCount(Number(size))} bytes at offset ${formatCount(Number(offset))}${event}`,
    kind: guessHandleKind(reading.handle),
    pid: handlePid(reading.handle),
    device: Number(device),
    offset: Number(offset),
    length: Number(size),
  };
}

export interface Known {
  readonly sure: 'yes' | 'no' | 'unknown';
  readonly text: string;
  readonly detail: string;
}

/** What the handle's pid means here. `selfId` is the process that would open it. */
export function exporterKnown(pid: number | undefined, peers: Table<'peers'>, selfId: string): Known {
  if (pid === undefined)
    return { sure: 'unknown', text: 'Exporter unknown', detail: 'the bytes do not have the layout that is known' };
  const same = [...peers.values()].filter((peer: Peer) => peer.pid === pid);
  const peer = same.find(peerRuns) ?? same.at(-1);
  if (peer === undefined) return { sure: 'unknown', text: `pid ${pid}`, detail: 'a process outside of this app' };
  if (peer.id === selfId)
    return { sure: 'no', text: `pid ${pid}`, detail: 'this process: the driver refuses to open it here' };
  if (!peerRuns(peer)) return { sure: 'no', text: `pid ${pid}`, detail: `${peer.name}, which is gone` };
  return { sure: 'yes', text: `pid ${pid}`, detail: `${peer.name}, alive, not this process` };
}
