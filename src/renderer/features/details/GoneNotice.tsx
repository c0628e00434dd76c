import type { Peer } from '#contract/records';
import { restartPeer } from '../../lib/actions';
import { count, formatClock } from '../../lib/format';
import type { Group, PoolGroup } from '../../lib/groups';
import { peerEnding, peerRuns } from '../../lib/states';
import { Notice } from '../../ui/Banner';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import { Section } from './Section';

/** Says first what went wrong with the selected object: freed while others hold it, or its exporter is gone. */
export function GoneNotice({ group, exporter }: { group: Group; exporter: Peer | undefined }) {
  if (group.owner !== 'freed' && group.owner !== 'gone') return null;
  const name = exporter?.name ?? 'The exporter';
  const endedAt =
    group.owner === 'gone'
      ? exporter?.endedAt
      : group.kind === 'memory'
        ? group.allocation?.endedAt
        : group.kind === 'event'
          ? group.event?.endedAt
          : group.kind === 'pool'
            ? group.pool?.endedAt
            : group.physical?.endedAt;
  const at = endedAt === undefined ? '' : ` at ${formatClock(endedAt)}`;
  const what =
    group.owner === 'freed'
      ? { memory: 'freed it', event: 'destroyed it', pool: 'destroyed it', physical: 'released it' }[group.kind]
      : exporter === undefined
        ? 'is gone'
        : peerEnding(exporter);
  const restartable =
    group.owner === 'gone' &&
    exporter !== undefined &&
    exporter.role !== 'outside' &&
    exporter.role !== 'inspector' &&
    !peerRuns(exporter) &&
    exporter.replacedBy === undefined;
  return (
    <Notice
      icon={group.owner === 'gone' ? 'broken' : 'half'}
      tone="gone"
      label={group.owner === 'gone' ? 'Exporter gone' : 'Freed by its owner'}
      title={`${name} ${what}${at}`}
      actions={
        restartable && (
          <Button look="line" icon="restart" onClick={() => void restartPeer(exporter.id, exporter.name)}>
            Restart {exporter.name}
          </Button>
        )
      }
    >
      {meaning(group, name)}
    </Notice>
  );
}

function meaning(group: Group, name: string): string {
  if (group.kind === 'pool') return poolMeaning(group, name);
  if (group.kind === 'physical')
    return group.references === 0 && group.places.length === 0
      ? 'It is mapped nowhere, and nobody else has it: the memory is free.'
      : 'The memory is still here: it lives until it is mapped nowhere and the last import is released. It cannot be mapped anew here.';
  if (group.references === 0)
    return group.kind === 'memory' ? 'Nobody has it open: the memory is free.' : 'Nobody has it open.';
  if (group.kind === 'event') {
    return group.owner === 'gone'
      ? 'Whoever has it open can go on with it. If it was not ready, it stays so for ever.'
      : `Whoever has it open can still ask for it, until ${name} makes a new event: that one may get its place.`;
  }
  return group.owner === 'gone'
    ? `The memory is still here: it lives until the last mapping closes. The bytes are as ${name} left them, perhaps half written.`
    : `The memory is still here: it lives until the last mapping closes. Its handle does not open it again, but may open newer memory of ${name}.`;
}

function poolMeaning(group: PoolGroup, name: string): string {
  const open = group.allocations.length;
  if (open > 0)
    return `${count(open, 'allocation')} of it ${open === 1 ? 'is' : 'are'} still open. ${open === 1 ? 'It stays' : 'They stay'} readable until whoever has ${open === 1 ? 'it' : 'them'} open closes ${open === 1 ? 'it' : 'them'}; only then does the device get the memory back.`;
  if (group.references > 0)
    return `No memory of it is open any more. Who imported the pool can destroy the import; it gives nothing new, as ${name} allocates no more.`;
  return 'Nobody has memory of it open.';
}

/** What can still be done with an object whose owner freed it or is gone. */
export function WorksNow({ group, waitedFor }: { group: Group; waitedFor?: string }) {
  if ((group.owner !== 'freed' && group.owner !== 'gone') || group.references === 0) return null;
  if (group.kind === 'pool' || group.kind === 'physical') return null;
  const open = group.children.filter(({ record }) => record.state === 'open').length;
  const memory = group.kind === 'memory';
  return (
    <Section title="What works now">
      <ul className="why">
        <Can yes>
          {memory
            ? `Read and write through the ${open === 1 ? 'open mapping' : count(open, 'open mapping')}`
            : `Ask for it through the ${open === 1 ? 'open import' : count(open, 'open import')}`}
        </Can>
        <Can yes>{open === 1 ? 'Close it' : 'Close them, in any order'}</Can>
        {memory && (
          <Can>
            Open it elsewhere:{' '}
            {group.owner === 'gone' ? (
              <span className="mono">INVALID_HANDLE</span>
            ) : (
              <>
                mostly <span className="mono">INVALID_VALUE</span>; the handle may open newer memory instead
              </>
            )}
          </Can>
        )}
        {group.kind === 'event' && group.event?.status === 'not-ready' && (
          <Can>
            Wait for it: it stays <span className="mono">NOT_READY</span>
          </Can>
        )}
        {waitedFor !== undefined && (
          <Can>
            Wait for <b>{waitedFor}</b>: it stays <span className="mono">NOT_READY</span>
          </Can>
        )}
      </ul>
    </Section>
  );
}

function Can({ yes = false, children }: { yes?: boolean; children: React.ReactNode }) {
  return (
    <li>
      <Icon name={yes ? 'check' : 'minus'} size={14} tone={yes ? undefined : 'dim'} />
      <span className={yes ? undefined : 'soft'}>
        <span className="sr">{yes ? 'Works: ' : 'Does not work: '}</span>
        {children}
      </span>
    </li>
  );
}
