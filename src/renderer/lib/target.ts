/** Through which object of this window's own process the bytes of a selected object can be read and written. */
import type { DtypeId } from '#contract/dtypes';
import type { Export } from '#contract/records';
import type { DataDescription } from '#contract/values';
import { groupsOf, liveExport, type MemoryGroup } from './groups';
import type { Ledger } from './ledger';

export type Target =
  /** `id` goes into memory.read and buffers.write. `via` is the mapping's or allocation's address here. */
  | {
      readonly kind: 'readable';
      readonly id: string;
      readonly label: string;
      readonly dtype: DtypeId | undefined;
      /** More than the type, where who opened it said more. */
      readonly data?: DataDescription;
      /** Bytes that can be read from `id`, from offset 0. */
      readonly bytes: number;
      readonly address: string;
      readonly group: MemoryGroup;
    }
  /** Memory that this process has not open. `openable` is the export that would open it. */
  | { readonly kind: 'elsewhere'; readonly group: MemoryGroup; readonly openable: Export | undefined }
  /** It was freed or closed, and there is nothing behind it here any more. */
  | { readonly kind: 'over'; readonly group: MemoryGroup }
  /** An event, or nothing: no bytes. */
  | { readonly kind: 'none' };

/**
 * The bytes behind a selected object. `selfId` is the peer of this window's own process (`app.info().self.peerId`).
 * A selected mapping of another process shows the same memory through our own mapping, if there is one.
 */
export function targetOf(ledger: Ledger, objectId: string | undefined, selfId: string): Target {
  const group = objectId === undefined ? undefined : groupsOf(ledger).of.get(objectId);
  if (group === undefined || group.kind !== 'memory') return { kind: 'none' };
  const dtype = group.allocation?.dtype;
  const own = group.allocation;
  if (own !== undefined && own.peerId === selfId && own.state === 'live') {
    return { kind: 'readable', id: own.id, label: own.label, dtype, bytes: own.bytes, address: own.address, group };
  }
  const mine = group.children.filter(
    ({ type, record }) => type === 'mapping' && record.peerId === selfId && record.state === 'open',
  );
  const child = mine.find(({ record }) => record.id === objectId) ?? mine[0];
  if (child?.type === 'mapping') {
    const { id, bytes, address, label, data } = child.record;
    return {
      kind: 'readable',
      id,
      label: label || group.label,
      // What was said of this view goes before what its owner calls the whole.
      dtype: data?.dtype ?? dtype,
      ...(data === undefined ? {} : { data }),
      bytes,
      address,
      group,
    };
  }
  if (group.endedAt !== undefined) return { kind: 'over', group };
  return { kind: 'elsewhere', group, openable: own?.peerId === selfId ? undefined : liveExport(group) };
}
