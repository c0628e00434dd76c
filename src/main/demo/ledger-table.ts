/** The ledger as text tables, for a terminal. */
import type { LedgerSnapshot, Peer } from '#contract/records';
import { formatSize } from '#contract/units';

/** Processes, then objects with who holds them: one line each, columns aligned. */
export function ledgerTable(snapshot: LedgerSnapshot): string {
  return `${processes(snapshot)}\n\n${objects(snapshot)}`;
}

function processes({ peers, mappings, allocations }: LedgerSnapshot): string {
  const rows = peers.map((peer) => [
    peer.name,
    peer.pid === null ? '' : String(peer.pid),
    peer.ending === undefined ? peer.state : `${peer.state}, ${peer.ending}`,
    String(allocations.filter((row) => row.peerId === peer.id && row.state === 'live').length),
    String(mappings.filter((row) => row.peerId === peer.id && row.state === 'open').length),
  ]);
  return table(['process', 'pid', 'state', 'buffers', 'mappings'], rows);
}

function objects(snapshot: LedgerSnapshot): string {
  const { allocations, events, mappings, eventImports, exports } = snapshot;
  const name = nameOf(snapshot.peers);
  const rows: string[][] = [];
  for (const row of allocations) {
    const ids = exports.filter((made) => made.objectId === row.id).map((made) => made.id);
    const holders = mappings.filter((held) => held.exportId !== null && ids.includes(held.exportId));
    const references = holders.reduce((sum, held) => sum + held.references, 0);
    rows.push(['buffer', row.label, name(row.peerId), formatSize(row.bytes), String(references), row.state]);
    for (const held of holders) {
      const size = `= ${formatSize(held.bytes)}`;
      const state = held.state === 'open' ? `open, exporter ${held.exporter}` : 'closed';
      rows.push(['  mapping', held.label, name(held.peerId), size, String(held.references), state]);
    }
  }
  for (const row of events) {
    const ids = exports.filter((made) => made.objectId === row.id).map((made) => made.id);
    const holders = eventImports.filter((held) => held.exportId !== null && ids.includes(held.exportId));
    const open = holders.filter((held) => held.state === 'open').length;
    const state = row.status === null ? row.state : `${row.state}, ${row.status}`;
    rows.push(['event', row.label, name(row.peerId), '', String(open), state]);
    for (const held of holders) {
      const status = held.status === null ? held.state : `${held.state}, ${held.status}`;
      rows.push(['  import', held.label, name(held.peerId), '', held.state === 'open' ? '1' : '0', status]);
    }
  }
  return rows.length === 0 ? 'no objects' : table(['object', 'label', 'process', 'size', 'references', 'state'], rows);
}

const nameOf = (peers: readonly Peer[]) => {
  const names = new Map(peers.map((peer) => [peer.id, peer.name]));
  return (id: string) => names.get(id) ?? id;
};

/** Columns as wide as their widest cell, two spaces apart. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}
