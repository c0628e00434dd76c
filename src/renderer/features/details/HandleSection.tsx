import { useEffect, useState } from 'react';
import type { HandleAnatomy } from '#contract/handle-anatomy';
import { type HandleForm, handleFormNames, handleForms } from '#contract/handle-text';
import type { Export } from '#contract/records';
import { act } from '../../lib/act';
import { exportBuffer, exportEvent } from '../../lib/actions';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { copyHandle } from '../../lib/copy-handle';
import { formatClock } from '../../lib/format';
import type { Group } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { useAnswer } from '../../lib/use-answer';
import { Button } from '../../ui/Button';
import { ErrorText } from '../../ui/ErrorText';
import { Later } from '../../ui/Later';
import { Menu } from '../../ui/Menu';
import { Anatomy } from './Anatomy';
import { Facts, Section } from './Section';

/** For how long a button says that it has copied. */
const SAID_MS = 2000;

/** The newest export of a group: its 64 bytes, masked until revealed, copied on purpose, and what they mean. */
export function HandleSection({ group, own }: { group: Group; own: boolean }) {
  const exported = group.exports.findLast((record) => record.state === 'live') ?? group.exports.at(-1);
  if (exported !== undefined) return <ExportedHandle key={exported.id} exported={exported} />;
  if (!own || group.owner !== 'live') return null;
  const run = group.kind === 'memory' ? exportBuffer : exportEvent;
  return (
    <Section
      title="Handle"
      aside="not exported"
      actions={
        <Button look="line" size="small" icon="key" onClick={() => void run(group.id, group.label)}>
          Export
        </Button>
      }
    >
      <p className="note">
        An export gives 64 bytes. Whoever has them can open this{' '}
        {group.kind === 'memory' ? 'memory and write into it' : 'event'}.
      </p>
    </Section>
  );
}

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

const opaque: HandleAnatomy = { kind: 'unknown', checked: false, note: 'Shown without their meaning.', fields: [] };
