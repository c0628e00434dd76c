/** What freeing or destroying an object means, in words. Pure. */
import { count, list } from '../../lib/format';
import type { Group, PhysicalGroup, PoolGroup } from '../../lib/groups';
import type { Table } from '../../lib/ledger';

/** Who holds it, and what freeing means for them. */
export function consequence(group: Group, peers: Table<'peers'>): string {
  if (group.kind === 'pool') return poolConsequence(group, peers);
  if (group.kind === 'physical') return physicalConsequence(group, peers);
  const open = group.children.filter(({ record }) => record.state === 'open');
  const names = [...new Set(open.map(({ record }) => peers.get(record.peerId)?.name ?? record.peerId))];
  const memory = group.kind === 'memory';
  const byDescriptor =
    group.kind === 'memory' && group.exports.at(-1)?.mechanism !== 'legacy' && group.exports.length > 0;
  if (names.length > 0) {
    const they = names.length === 1 ? 'It keeps' : 'They keep';
    const close = names.length === 1 ? 'it closes' : 'they close';
    const held = `${list(names)} ${names.length === 1 ? 'holds' : 'hold'} ${count(group.references, 'reference')}.`;
    if (byDescriptor) return `${held} ${they} the bytes until ${close}. Nobody else can open it any more.`;
    return memory
      ? `${held} ${they} the bytes until ${close}. The handle does not open them again, but may open newer memory of the same process.`
      : `${held} ${they} the event until ${close}, but your next event may get its place, also for ${names.length === 1 ? 'it' : 'them'}.`;
  }
  if (byDescriptor)
    return 'Nobody in this app has it open. It was exported: whoever has a copy of its descriptor outside of this app keeps the memory until it closes that.';
  if (group.exports.length > 0)
    return memory
      ? 'Nobody in this app has it open. Its handle was exported: it does not open these bytes again, but may open newer memory of the same process. Whoever has it open outside of this app keeps the bytes until it closes.'
      : 'Nobody in this app has it open. Its handle was exported: the driver still opens it, and your next event may be what it finds.';
  if (group.kind === 'memory' && group.allocation?.memory === 'virtual' && group.physical === undefined)
    return 'Its addresses are given back, and what is mapped there is unmapped. Physical memory that was created by itself stays.';
  return memory ? 'Nobody else can have it open: it was never exported. Its bytes are lost.' : 'It was never exported.';
}

const namesOf = (group: Group, peers: Table<'peers'>): string[] => [
  ...new Set(
    group.children
      .filter(({ record }) => record.state === 'open')
      .map(({ record }) => peers.get(record.peerId)?.name ?? record.peerId),
  ),
];

/** The driver keeps a destroyed pool until the last of its memory is freed: which memory that is. */
function poolConsequence(group: PoolGroup, peers: Table<'peers'>): string {
  const open = group.allocations;
  const names = namesOf(group, peers);
  const parts: string[] = [];
  if (open.length > 0)
    parts.push(
      `${count(open.length, 'allocation')} of it ${open.length === 1 ? 'is' : 'are'} open: ${list(open.map(({ label }) => label))}. ${open.length === 1 ? 'It stays' : 'They stay'} usable, and the device gets the memory back when ${open.length === 1 ? 'it is' : 'the last of them is'} freed.`,
    );
  else parts.push('Nothing is allocated in it.');
  if (names.length > 0)
    parts.push(`${list(names)} imported it and ${names.length === 1 ? 'keeps' : 'keep'} what is open of it.`);
  if (group.exports.some(({ state }) => state === 'live'))
    parts.push('Its descriptor is closed: nobody can import it any more.');
  return parts.join(' ');
}

/** Released memory stays where it is mapped and with who imported it. */
function physicalConsequence(group: PhysicalGroup, peers: Table<'peers'>): string {
  const names = namesOf(group, peers);
  const parts: string[] = [];
  if (group.places.length > 0)
    parts.push(
      `It is mapped at ${count(group.places.length, 'place')} (${list([...new Set(group.places.map(({ label }) => label))])}) and stays there until it is unmapped.`,
    );
  if (names.length > 0)
    parts.push(
      `${list(names)} imported it and ${names.length === 1 ? 'keeps' : 'keep'} it until ${names.length === 1 ? 'it releases' : 'they release'} it.`,
    );
  if (parts.length === 0) parts.push('It is mapped nowhere, and nobody else has it: the memory is gone.');
  else parts.push('It cannot be mapped or exported again from here.');
  return parts.join(' ');
}
