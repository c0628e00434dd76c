/** The ledger as a window holds it: tables by id, made from a snapshot and patches. Pure. */
import type { Call, LedgerPatch, LedgerSnapshot, TableName, Tables } from '#contract/records';

export type Table<T extends TableName> = ReadonlyMap<string, Tables[T]>;

export interface Ledger extends Readonly<{ [T in TableName]: Table<T> }> {
  /** That of the last patch in it; -1 before the first snapshot. */
  readonly seq: number;
  /** The newest calls, oldest first, at most KEPT_CALLS. */
  readonly calls: readonly Call[];
  readonly callsTotal: number;
  readonly callsFailed: number;
}

/** How many calls a window keeps; older ones are still counted in `callsTotal`. */
export const KEPT_CALLS = 5000;

const tableNames: readonly TableName[] = [
  'peers',
  'allocations',
  'exports',
  'mappings',
  'events',
  'eventImports',
  'pools',
  'physicals',
];

export const emptyLedger: Ledger = {
  seq: -1,
  peers: new Map(),
  allocations: new Map(),
  exports: new Map(),
  mappings: new Map(),
  events: new Map(),
  eventImports: new Map(),
  pools: new Map(),
  physicals: new Map(),
  calls: [],
  callsTotal: 0,
  callsFailed: 0,
};

const byId = <R extends { readonly id: string }>(records: readonly R[]): ReadonlyMap<string, R> =>
  new Map(records.map((record) => [record.id, record]));

export function fromSnapshot(snapshot: LedgerSnapshot): Ledger {
  return {
    seq: snapshot.seq,
    peers: byId(snapshot.peers),
    allocations: byId(snapshot.allocations),
    exports: byId(snapshot.exports),
    mappings: byId(snapshot.mappings),
    events: byId(snapshot.events),
    eventImports: byId(snapshot.eventImports),
    pools: byId(snapshot.pools),
    physicals: byId(snapshot.physicals),
    calls: snapshot.calls.slice(-KEPT_CALLS),
    callsTotal: snapshot.callsTotal,
    callsFailed: snapshot.callsFailed,
  };
}

/**
 * The ledger after these patches, in order. `undefined` means a gap: take a new snapshot. Patches that the ledger
 * already contains are skipped. Tables that did not change stay the same objects.
 */
export function applyPatches(ledger: Ledger, patches: readonly LedgerPatch[]): Ledger | undefined {
  let { seq, calls, callsTotal, callsFailed } = ledger;
  const changed: Partial<Record<TableName, Map<string, { id: string }>>> = {};
  let newCalls: Call[] | undefined;
  for (const patch of patches) {
    if (patch.seq <= seq) continue;
    if (patch.seq !== seq + 1) return undefined;
    seq = patch.seq;
    callsTotal = patch.callsTotal;
    callsFailed = patch.callsFailed;
    for (const change of patch.changes) {
      changed[change.table] ??= new Map<string, { id: string }>(ledger[change.table]);
      const table = changed[change.table];
      if ('put' in change) table?.set(change.put.id, change.put);
      else table?.delete(change.remove);
    }
    if (patch.calls.length > 0) {
      newCalls ??= [...calls];
      for (const call of patch.calls) putCall(newCalls, call);
    }
  }
  if (newCalls !== undefined) calls = newCalls.length > KEPT_CALLS ? newCalls.slice(-KEPT_CALLS) : newCalls;
  const tables = Object.fromEntries(tableNames.map((name) => [name, changed[name] ?? ledger[name]])) as unknown as Pick<
    Ledger,
    TableName
  >;
  return { ...tables, seq, calls, callsTotal, callsFailed };
}

/** Appends a call, or puts it over the older state of the same one. Calls are in order of `seq`. */
function putCall(calls: Call[], call: Call): void {
  for (let at = calls.length - 1; at >= 0; at--) {
    const seq = calls[at]?.seq ?? -1;
    if (seq === call.seq) {
      calls[at] = call;
      return;
    }
    if (seq < call.seq) {
      calls.splice(at + 1, 0, call);
      return;
    }
  }
  calls.unshift(call);
}
