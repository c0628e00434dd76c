/** Open descriptors in words. Pure. */
import type { OpenDescriptor } from '#contract/calls/fds';
import { formatSize } from '#contract/units';
import { count, list } from '../../lib/format';
import { type Groups, liveExport } from '../../lib/groups';
import type { Table } from '../../lib/ledger';

/** What a descriptor stands for: `pool`, `piece of a buffer`, `physical memory`. */
export function standsFor({ kind, objectId }: OpenDescriptor, groups: Groups): string {
  if (kind === 'pool') return 'pool';
  return groups.byId.get(objectId)?.kind === 'memory' ? 'piece of a buffer' : 'physical memory';
}

/** `2.00 MiB`, or what is kept where the bytes cannot be known. */
export const pinsText = ({ pins, kind }: OpenDescriptor): string =>
  pins !== null ? formatSize(pins) : kind === 'pool' ? 'its pool' : 'not known';

/** What closing all descriptors of an export means, and for whom. */
export function closeConsequence(
  descriptors: readonly OpenDescriptor[],
  groups: Groups,
  peers: Table<'peers'>,
): string {
  const [first] = descriptors;
  if (first === undefined) return '';
  const group = groups.of.get(first.objectId);
  const names = [
    ...new Set(
      (group?.children ?? [])
        .filter(({ record }) => record.state === 'open')
        .map(({ record }) => peers.get(record.peerId)?.name ?? record.peerId),
    ),
  ];
  const what =
    descriptors.length === 1
      ? `Descriptor ${first.fd}`
      : `${count(descriptors.length, 'descriptor')} (${list(descriptors.map(({ fd }) => String(fd)))})`;
  const who =
    names.length === 0
      ? 'Nobody in this app has it open.'
      : `${list(names)} ${names.length === 1 ? 'keeps' : 'keep'} what ${names.length === 1 ? 'it has' : 'they have'} open.`;
  const also =
    first.kind === 'pool' && group?.kind === 'pool' && group.allocations.some((each) => liveExport(each) !== undefined)
      ? ' What was exported of the pool cannot be opened anew either.'
      : '';
  return `${what} of ${first.label}: nobody new can open it then, until it is exported again.${also} ${who}`;
}
