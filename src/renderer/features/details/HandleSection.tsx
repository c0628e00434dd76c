import { useEffect, useState } from 'react';
import type { HandleAnatomy } from '#contract/handle-anatomy';
import { type HandleForm, handleFormNames, handleForms } from '#contract/handle-text';
import type { Export } from '#contract/records';
import { act } from '../../lib/act';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { copyHandle } from '../../lib/copy-handle';
import { formatClock } from '../../lib/format';
import type { Group, MemoryGroup } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { exportable, exportOwn } from '../../lib/object-menu';
import { selectObject } from '../../lib/selection-store';
import { useAnswer } from '../../lib/use-answer';
import { Button, LinkButton } from '../../ui/Button';
import { ErrorText } from '../../ui/ErrorText';
import { Later } from '../../ui/Later';
import { Menu } from '../../ui/Menu';
import { Anatomy } from './Anatomy';
import { DescriptorSection } from './DescriptorSection';
import { Facts, Section } from './Section';

/** For how long a button says that it has copied. */
const SAID_MS = 2000;

/** The newest export of a group: its 64 bytes, masked until revealed, copied on purpose, and what they mean. */
export function HandleSection({ group, own }: { group: Group; own: boolean }) {
  const exported = group.exports.findLast((record) => record.state === 'live') ?? group.exports.at(-1);
  const byDescriptor = exported?.mechanism === 'virtual' || (group.kind === 'memory' && virtual(group));
  if (byDescriptor || (exported === undefined && !exportable(group)))
    return <DescriptorSection group={group} own={own} />;
  if (exported !== undefined) return <ExportedHandle key={exported.id} exported={exported} />;
  if (!own || group.owner !== 'live') return null;
  const pooled = group.kind === 'memory' && group.allocation?.memory === 'pool';
  return (
    <Section
      title="Handle"
      aside="not exported"
      actions={
        <Button look="line" size="small" icon="key" onClick={() => exportOwn(group)}>
          Export
        </Button>
      }
    >
      <p className="note">
        An export gives 64 bytes{pooled && ', and exports its pool by a descriptor'}. Whoever has them
        {pooled && ' both'} can open this {group.kind === 'memory' ? 'memory and write into it' : 'event'}.
      </p>
    </Section>
  );
}

/** A range travels by descriptors, unless its memory was made for the fabric. */
const virtual = ({ allocation, exports }: MemoryGroup): boolean =>
  allocation?.memory === 'virtual' && exports.every(({ mechanism }) => mechanism !== 'fabric');

function ExportedHandle({ exported }: { exported: Export }) {
  const [bytes, setBytes] = useState<Uint8Array | undefined>(undefined);
  const [copied, setCopied] = useState<HandleForm | undefined>(undefined);
  const exporter = useLedger((ledger) => ledger.peers.get(exported.peerId));
  const anatomy = useAnswer(exported.id, () => request('handles.anatomy', { exportId: exported.id }));
  useEffect(() => {
    if (copied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  const reveal = async () => {
    if (bytes !== undefined) {
      setBytes(undefined);
      announce('The handle is hidden');
      return;
    }
    const revealed = await act(
      'Reveal the handle',
      () => request('handles.reveal', { exportId: exported.id }),
      'The handle is shown',
    );
    setBytes(revealed?.handle);
  };
  const copy = async (form: HandleForm) => {
    if (await copyHandle(exported.id, form)) setCopied(form);
  };
  const live = exported.state === 'live';
  return (
    <Section
      title="Handle"
      aside={live ? undefined : 'no longer opens'}
      actions={
        <>
          <Button size="small" icon="eye" aria-pressed={bytes !== undefined} onClick={() => void reveal()}>
            {bytes === undefined ? 'Reveal' : 'Hide'}
          </Button>
          {live && (
            <Menu
              label="Copy as"
              trigger={
                <Button size="small" opens icon={copied === undefined ? 'copy' : 'check'}>
                  {copied === undefined ? 'Copy as' : `Copied ${handleFormNames[copied]}`}
                </Button>
              }
              items={handleForms.map((form) => ({ label: handleFormNames[form], onSelect: () => void copy(form) }))}
            />
          )}
        </>
      }
    >
      {anatomy.value !== undefined && <Anatomy anatomy={anatomy.value} bytes={bytes} />}
      {anatomy.error !== undefined && (
        <>
          <ErrorText error={anatomy.error} />
          {bytes !== undefined && <Anatomy anatomy={opaque} bytes={bytes} />}
        </>
      )}
      {anatomy.value === undefined && anatomy.error === undefined && (
        <Later>
          <p className="note">Checking the layout on handles of this app…</p>
        </Later>
      )}
      {exported.poolExportId !== undefined && <PoolOf exportId={exported.poolExportId} />}
      {!live && (
        <Facts
          facts={[
            ['Exported by', exporter === undefined ? undefined : `${exporter.name}, pid ${exporter.pid ?? 'unknown'}`],
            ['Exported at', formatClock(exported.createdAt)],
          ]}
        />
      )}
    </Section>
  );
}

/** Memory of a pool opens only where the pool was imported before. */
function PoolOf({ exportId }: { exportId: string }) {
  const exported = useLedger((ledger) => ledger.exports.get(exportId));
  const pool = useLedger((ledger) => (exported === undefined ? undefined : ledger.pools.get(exported.objectId)));
  if (exported === undefined) return null;
  const fd = exported.descriptors?.[0]?.fd;
  return (
    <p className="note anat-note">
      Opens only where its pool was imported before:{' '}
      <LinkButton onClick={() => selectObject(exported.objectId)}>{pool?.label ?? exported.objectId}</LinkButton>
      {fd === undefined ? ', whose descriptor is closed.' : `, fd ${fd}.`}
    </p>
  );
}

const opaque: HandleAnatomy = { kind: 'unknown', checked: false, note: 'Shown without their meaning.', fields: [] };
