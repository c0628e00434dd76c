/** Memory read as a format says, again and again while it is followed. The last good answer stays until the next one. */
import { useEffect, useState } from 'react';
import type { ByteOrder } from '#contract/decode-values';
import type { IpcError } from '#contract/result';
import type { StructureNode } from '#contract/structure/decode';
import { useSettings } from '../../../lib/settings-store';
import type { MemorySession } from '../model/memory-session';
import { useKept } from '../model/use-kept';
import { useSignal } from '../model/use-signal';
import { type PathKey, pathOf } from './rows';

export interface Decoded {
  readonly root: StructureNode;
  readonly parts: ReadonlyMap<PathKey, StructureNode>;
  /** The part of an array that the table asked for. */
  readonly table: { readonly key: PathKey; readonly node: StructureNode } | undefined;
  /** What it was decoded by. */
  readonly format: string;
  readonly offset: number;
  readonly order: ByteOrder;
  readonly takenAt: number;
  /** Counts the answers. */
  readonly version: number;
}

export interface DecodeWish {
  /** The text to read by; undefined while it is none. */
  readonly format: string | undefined;
  readonly offset: number;
  readonly order: ByteOrder;
  /** Nodes to ask for by themselves, with the first element to show. */
  readonly parts: ReadonlyMap<PathKey, number>;
  /** The part of an array that a table shows. */
  readonly table: TableWish | undefined;
}

export interface TableWish {
  readonly key: PathKey;
  readonly from: number;
  /** At most 256. */
  readonly elements: number;
}

/** Nobody reads a tree that changes more often. */
const MOST_HZ = 4;
const RETRY_MS = 1000;

export function useDecoded(session: MemorySession, wish: DecodeWish) {
  const [decoded, setDecoded] = useKept<Decoded | undefined>(session, 'structure decoded', () => undefined);
  const [error, setError] = useState<IpcError>();
  const hz = useSettings(({ followHz }) => followHz);
  const still = useSignal(session.onStatus, () => session.paused || session.ended);
  const { format, offset, order } = wish;
  const parts = JSON.stringify([...wish.parts]);
  const table = JSON.stringify(wish.table);

  useEffect(() => {
    if (format === undefined || session.ended) return;
    let over = false;
    let busy = false;
    let again = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wanted = JSON.parse(parts) as [PathKey, number][];
    const part = table === undefined ? undefined : (JSON.parse(table) as TableWish);
    const read = async () => {
      clearTimeout(timer);
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      again = false;
      const common = { id: session.source.id, offset, format, byteOrder: order };
      const answer = await window.gpuIpc.contents.decode(common);
      const found = new Map<PathKey, StructureNode>();
      let shown: Decoded['table'];
      if (answer.ok) {
        for (const [key, from] of wanted) {
          const part = await window.gpuIpc.contents.decode({ ...common, path: pathOf(key), from });
          if (part.ok) found.set(key, part.value.root);
          if (over) return;
        }
        if (part !== undefined) {
          const { key, from, elements } = part;
          const array = await window.gpuIpc.contents.decode({ ...common, path: pathOf(key), from, elements });
          if (array.ok) shown = { key, node: array.value.root };
          if (over) return;
        }
      }
      busy = false;
      if (over) return;
      if (answer.ok) {
        const { root, takenAt } = answer.value;
        const next = { root, parts: found, table: shown, format, offset, order, takenAt };
        setDecoded((before) => ({ ...next, version: (before?.version ?? 0) + 1 }));
        setError(undefined);
      } else setError(answer.error);
      if (again) void read();
      else if (!still) {
        const period = Math.max(1000 / Math.min(hz, MOST_HZ), document.hidden ? 2000 : 0);
        timer = setTimeout(() => void read(), answer.ok ? period : Math.max(RETRY_MS, period));
      }
    };
    void read();
    const unsubscribe = session.onStep.subscribe(() => void read());
    return () => {
      over = true;
      clearTimeout(timer);
      unsubscribe();
    };
  }, [session, format, offset, order, parts, table, hz, still, setDecoded]);
  return { decoded, error };
}
