import { openDialog } from '../../lib/dialogs';
import { count } from '../../lib/format';
import { type Child, type Group, liveExport, orphaned } from '../../lib/groups';
import { closeChild, endVerb, openers } from '../../lib/object-menu';
import { Button } from '../../ui/Button';
import { Ownership } from './Ownership';
import { whereAndSize } from './ownership-words';
import { Section } from './Section';

export interface HoldersProps {
  readonly group: Group;
  /** The selected mapping or import, when one is. */
  readonly selectedId: string;
  readonly selfId: string;
}

/** Who exported it and who has it open, with what the Inspector can do about it. */
export function HoldersSection({ group, selectedId, selfId }: HoldersProps) {
  const mine = group.children.filter(({ record }) => record.peerId === selfId && record.state === 'open');
  const child = mine.find(({ record }) => record.id === selectedId) ?? mine[0];
  const orphan = orphaned(group);
  return (
    <Section
      title={orphan && group.kind === 'memory' ? 'Still pinned' : 'Who holds it'}
      aside={orphan && group.kind === 'memory' ? whereAndSize(group) : count(group.references, 'reference')}
      actions={<Actions group={group} child={child} selfId={selfId} />}
    >
      <Ownership group={group} />
      {orphan && group.kind === 'memory' && (
        <p className="note details-note">
          Freed when {group.references === 1 ? 'this reference is' : `these ${group.references} references are`} closed.
        </p>
      )}
    </Section>
  );
}

function Actions({ group, child, selfId }: { group: Group; child: Child | undefined; selfId: string }) {
  const exported = liveExport(group);
  const open = () => {
    if (exported === undefined) return;
    void openers[group.kind](exported.id, group.device, group.label);
  };
  if (group.ownerId === selfId) {
    if (group.owner !== 'live') return null;
    return (
      <Button size="small" onClick={() => openDialog({ kind: 'free', id: group.id })}>
        {endVerb[group.kind]}…
      </Button>
    );
  }
  if (child === undefined) {
    return (
      exported !== undefined && (
        <Button size="small" look="line" icon="import" onClick={open}>
          Open in Inspector
        </Button>
      )
    );
  }
  return (
    <Button size="small" onClick={() => closeChild(child, group.label)}>
      Close in Inspector
    </Button>
  );
}
