import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LedgerPatch, LedgerSnapshot } from '#contract/records';
import type { Result } from '#contract/result';
import { emptyLedger } from './ledger';
import { connectLedger, ledgerNow, useLedgerStore } from './ledger-store';
import { allocation, snapshot } from './testing/records';

/** The bridge's side: answers snapshots when the test says so, pushes patches. */
class Bridge {
  listener: ((patch: LedgerPatch) => void) | undefined;
  readonly asked: Array<(answer: Result<LedgerSnapshot>) => void> = [];
  readonly gpuIpc = {
    ledger: {
      snapshot: () => new Promise<Result<LedgerSnapshot>>((resolve) => this.asked.push(resolve)),
      subscribe: (listener: (patch: LedgerPatch) => void) => {
        this.listener = listener;
        return () => {
          this.listener = undefined;
        };
      },
    },
  };
  push(seq: number, id: string) {
    this.listener?.({
      seq,
      changes: [{ table: 'allocations', put: allocation({ id, peerId: 'p1' }) }],
      calls: [],
      callsTotal: 0,
      callsFailed: 0,
    });
  }
}

const ids = () => [...ledgerNow().allocations.keys()];

describe('the ledger of a window', () => {
  let bridge: Bridge;
  let disconnect: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    bridge = new Bridge();
    vi.stubGlobal('window', { gpuIpc: bridge.gpuIpc });
    useLedgerStore.setState({ ledger: emptyLedger, status: 'loading', error: undefined });
    disconnect = connectLedger();
  });
  afterEach(() => {
    disconnect();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const answer = async (value: LedgerSnapshot) => {
    bridge.asked.shift()?.({ ok: true, value });
    await vi.advanceTimersByTimeAsync(20);
  };

  it('begins with a snapshot and takes the patches that came before it arrived', async () => {
    bridge.push(4, 'old');
    bridge.push(5, 'new');
    await vi.advanceTimersByTimeAsync(20);
    expect(useLedgerStore.getState().status).toBe('loading');
    await answer(snapshot({ seq: 4 }));
    expect(useLedgerStore.getState().status).toBe('ready');
    expect(ids()).toEqual(['new']);
  });

  it('gathers patches into one change', async () => {
    await answer(snapshot({ seq: 0 }));
    const seen = vi.fn();
    const stop = useLedgerStore.subscribe(seen);
    bridge.push(1, 'a');
    bridge.push(2, 'b');
    await vi.advanceTimersByTimeAsync(20);
    stop();
    expect(ids()).toEqual(['a', 'b']);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it('asks for a snapshot again after a gap, and goes on from there', async () => {
    await answer(snapshot({ seq: 0 }));
    bridge.push(3, 'c');
    await vi.advanceTimersByTimeAsync(20);
    expect(bridge.asked).toHaveLength(1);
    await answer(snapshot({ seq: 3, allocations: [allocation({ id: 'all', peerId: 'p1' })] }));
    bridge.push(4, 'd');
    await vi.advanceTimersByTimeAsync(20);
    expect(ids()).toEqual(['all', 'd']);
    expect(bridge.asked).toHaveLength(0);
  });

  it('keeps the reason when there is no snapshot, and tries again with the next patch', async () => {
    bridge.asked.shift()?.({ ok: false, error: { code: 'internal', message: 'broken' } });
    await vi.advanceTimersByTimeAsync(20);
    expect(useLedgerStore.getState()).toMatchObject({ status: 'failed', error: { message: 'broken' } });
    bridge.push(1, 'a');
    await answer(snapshot({ seq: 1, allocations: [allocation({ id: 'a', peerId: 'p1' })] }));
    expect(useLedgerStore.getState()).toMatchObject({ status: 'ready', error: undefined });
    expect(ids()).toEqual(['a']);
  });
});
