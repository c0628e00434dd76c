import type { Peer } from '#contract/records';
import type { Child, Group } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { select, selectObject } from '../../lib/selection-store';
import { peerState } from '../../lib/states';
import { cx } from '../../ui/cx';
import { Icon } from '../../ui/Icon';
import { RoleGlyph } from '../../ui/RoleGlyph';
import { sentence } from './ownership-words';

const NODE = 44;
const GAP = 6;
/** With more importers than this, the first ones are drawn and the rest is a number. */
const MOST = 5;
const DRAWN = 4;
const WIDTH = 320;

/** Exporter → handle → importers, as a picture whose nodes are links, with the same in words for screen readers. */
export function Ownership({ group }: { group: Group }) {
  const peers = useLedger((ledger) => ledger.peers);
  const exporter = group.ownerId === undefined ? undefined : peers.get(group.ownerId);
  const open = group.children.filter(({ record }) => record.state === 'open');
  const drawn = open.length > MOST ? open.slice(0, DRAWN) : open;
  const more = open.length - drawn.length;
  const rows = Math.max(1, drawn.length + (more > 0 ? 1 : 0));
  const height = rows * NODE + (rows - 1) * GAP;
  const middle = height / 2;
  const lost = group.owner === 'gone' || group.owner === 'freed';
  const exported = group.exports.length > 0 || group.children.length > 0;
  return (
    <figure className="hold" aria-label={sentence(group, exporter, open, peers)}>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {exported && <path className={cx('hold-x', lost && 'lost')} d={`M116 ${middle}H126`} />}
        {Array.from({ length: open.length === 0 ? 0 : rows }, (_, index) => {
          const y = index * (NODE + GAP) + NODE / 2;
          return <path key={y} className="hold-m" d={`M160 ${middle} C 169 ${middle}, 160 ${y}, 170 ${y}`} />;
        })}
      </svg>
      <Exporter group={group} exporter={exporter} lost={lost} />
      <span
        className={cx('keyn', !exported && 'none')}
        data-word={byDescriptor(group) ? 'fd' : 'handle'}
        title={exported ? undefined : 'not exported'}
      >
        <Icon name={byDescriptor(group) ? 'fd' : 'key'} />
      </span>
      <div className="nodes">
        {drawn.map((child) => (
          <Importer key={child.record.id} child={child} peer={peers.get(child.record.peerId)} />
        ))}
        {more > 0 && <div className="node more num">{more} more</div>}
        {open.length === 0 && (
          <p className="note">{exported ? 'Nobody has it open.' : 'Not exported: nobody else can open it.'}</p>
        )}
      </div>
    </figure>
  );
}

/** Whether a descriptor goes from one to the other, and no 64 bytes. */
function byDescriptor(group: Group): boolean {
  if (group.kind === 'event') return false;
  const mechanism = group.exports.at(-1)?.mechanism;
  if (mechanism !== undefined) return group.kind === 'pool' || mechanism === 'virtual';
  return group.kind !== 'memory' || group.allocation?.memory === 'virtual';
}

function Exporter({ group, exporter, lost }: { group: Group; exporter: Peer | undefined; lost: boolean }) {
  if (exporter === undefined) {
    return (
      <div className="node x num">
        <Icon name="outside" size={14} tone="exporter" />
        <b>unknown</b>
        <p>not known here</p>
      </div>
    );
  }
  const state = group.owner === 'freed' ? 'freed it' : peerState(exporter).word;
  return (
    <button
      type="button"
      className={cx('node x num', lost && 'lost')}
      onClick={() => select({ kind: 'peer', id: exporter.id })}
    >
      <RoleGlyph role={exporter.role} />
      <b className="cut">{exporter.name}</b>
      <p className="cut">{lost ? state : `pid ${exporter.pid ?? 'unknown'}`}</p>
    </button>
  );
}

/** What an importer has of it, in a word or two. */
function heldAs({ type, record }: Child): string {
  switch (type) {
    case 'mapping':
      return record.address;
    case 'eventImport':
      return record.waiting === undefined ? 'event open' : 'waits for it';
    case 'poolImport':
      return 'pool imported';
    case 'physicalImport':
      return record.physical.state === 'live' ? 'memory imported' : 'released, mapped';
  }
}

function Importer({ child, peer }: { child: Child; peer: Peer | undefined }) {
  const { type, record } = child;
  return (
    <button type="button" className="node m num" onClick={() => selectObject(record.id)}>
      <RoleGlyph role={peer?.role ?? 'outside'} />
      <b className="cut">{peer?.name ?? record.peerId}</b>
      <span className="count">× {type === 'mapping' ? record.references : 1}</span>
      <p className="cut">{heldAs(child)}</p>
    </button>
  );
}
