/**
 * The handles of all exports, kept in main only. They are capabilities for other people's memory, so the ledger that
 * windows see has none; here they serve to find the export that a mapping was opened from.
 */
import type { Export } from '#contract/records';

type Kind = Export['kind'];

export class HandleIndex {
  private readonly bytesOf = new Map<string, Uint8Array<ArrayBuffer>>();
  private readonly exportOf = new Map<string, string>();

  /** Keeps the 64 bytes of an export. The newest export wins where two have the same bytes. */
  set(exportId: string, kind: Kind, handle: Uint8Array): void {
    this.bytesOf.set(exportId, Uint8Array.from(handle));
    this.exportOf.set(keyOf(kind, handle), exportId);
  }

  /** The export with these bytes, if one of our own processes made it. */
  find(kind: Kind, handle: Uint8Array): string | undefined {
    return this.exportOf.get(keyOf(kind, handle));
  }

  /** A copy of the 64 bytes of an export. */
  bytes(exportId: string): Uint8Array<ArrayBuffer> | undefined {
    const bytes = this.bytesOf.get(exportId);
    return bytes && Uint8Array.from(bytes);
  }

  delete(exportId: string, kind: Kind): void {
    const bytes = this.bytesOf.get(exportId);
    if (bytes === undefined) return;
    this.bytesOf.delete(exportId);
    const key = keyOf(kind, bytes);
    if (this.exportOf.get(key) === exportId) this.exportOf.delete(key);
  }
}

/** Kind and bytes as one string. As secret as the handle: it stays in main. */
export const keyOf = (kind: Kind, handle: Uint8Array): string => `${kind} ${Buffer.from(handle).toString('base64')}`;
