/** What freeing or destroying an object means, in words. Pure. */
import { count, list } from '../../lib/format';
import type { Group } from '../../lib/groups';
import type { Table } from '../../lib/ledger';

/** Who holds it, and what freeing means for them. */
export function consequence(group: Group, peers: Table<'peers'>): string {
  const open = group.children.filter(({ record }) => record.state === 'open');
  const names = [...new Set(open.map(({ record }) => peers.get(record.peerId)?.name ?? record.peerId))];
  const memory = group.kind === 'memory';
  if (names.length > 0) {
    const they = names.length === 1 ? 'It keeps' : 'They keep';
    const close = names.length === 1 ? 'it closes' : 'they close';
    const held = `${list(names)} ${names.length === 1 ? 'holds' : 'hold'} ${count(group.references, 'reference')}.`;
    return memory
      ? `${held} ${they} the bytes until ${close}. The handle does not open them again, but may open newer memory of the same process.`
      : `${held} ${they} the event until ${close}, but your next event may get its place, also for ${names.length === 1 ? 'it' : 'them'}.`;
  }
  if (group.exports.length > 0)
    return memory
      ? 'Nobody in this app has it open. Its handle was exported: it does not open these bytes again, but may open newer memory of the same process. Who has it open outside of this app keeps the bytes until it closes.'
      : 'Nobody in this app has it open. Its handle was exported: the driver still opens it, and your next event may be what it finds.';
  return memory ? 'Nobody else can have it open: it was never exported. Its bytes are lost.' : 'It was never exported.';
}
