/** Who holds an object, in words. Pure. */
import type { Peer } from '#contract/records';
import { formatSize } from '#contract/units';
import { count, list } from '../../lib/format';
import type { Child, Group } from '../../lib/groups';
import type { Table } from '../../lib/ledger';

/** The picture in words. */
export function sentence(
  group: Group,
  exporter: Peer | undefined,
  open: readonly Child[],
  peers: Table<'peers'>,
): string {
  const name = exporter?.name ?? 'An unknown process';
  const pid = exporter?.pid == null ? '' : `, ${exporter.pid},`;
  const holders = open.map(({ type, record }, index) => {
    const references = type === 'mapping' ? record.references : 1;
    const who = peers.get(record.peerId)?.name ?? record.peerId;
    return `${who} with ${index === 0 ? count(references, 'reference') : references}`;
  });
  const done = { memory: 'freed', event: 'freed', pool: 'destroyed', physical: 'released' }[group.kind];
  const start =
    group.owner === 'gone'
      ? `${name} is gone.`
      : group.owner === 'freed'
        ? `${name} has ${done} it.`
        : group.exports.length > 0 || group.children.length > 0
          ? `${name}${pid} exported ${travels(group)}.`
          : `${name}${pid} has not exported it.`;
  if (holders.length === 0) return group.exports.length > 0 ? `${start} Nobody has it open.` : start;
  const handled = group.kind === 'memory' || group.kind === 'event';
  const lost = group.owner === 'gone' || group.owner === 'freed';
  const verb = !lost ? 'It is open in' : handled ? 'The handle is still open in' : 'It is still open in';
  return `${start} ${verb} ${list(holders)}.`;
}

/** What was given to others: pools and virtual memory have no handle of their own. */
function travels(group: Group): string {
  const mechanism = group.exports.at(-1)?.mechanism;
  if (group.kind === 'pool') return 'a descriptor of it';
  return mechanism === 'virtual' ? 'it by descriptor' : 'one handle';
}

/** `4.00 MiB on GPU 0`. */
export const whereAndSize = (group: Group): string =>
  'bytes' in group ? `${formatSize(group.bytes)} on GPU ${group.device}` : `GPU ${group.device}`;
