import { useState } from 'react';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { openDialog } from '../../lib/dialogs';
import type { Target } from '../../lib/target';
import { useAnswer } from '../../lib/use-answer';
import { Button } from '../../ui/Button';
import { ErrorText } from '../../ui/ErrorText';
import { allAttributes, attributeOf, memoryText, rangeText, verdictsOf } from './pointer-facts';
import { Facts, Section } from './Section';
import { Verdicts } from './Verdicts';

/** What the driver says about the memory, through a pointer of this process, and how it can be shared because of that. */
export function PointerSections({
  target,
  version,
}: {
  target: Extract<Target, { kind: 'readable' }>;
  version: string;
}) {
  const [all, setAll] = useState(false);
  const answer = useAnswer(`${target.id} ${target.address} ${version}`, () =>
    request('memory.attributes', { id: target.id }),
  );
  const fabric = useApp(
    (store) => store.devices.find(({ ordinal }) => ordinal === target.group.device)?.sharing.fabric,
  );
  const attributes = answer.value;
  const own = target.group.allocation?.id === target.id;
  return (
    <>
      <Section
        title="Pointer"
        actions={
          <>
            {own && (
              <Button size="small" onClick={() => openDialog({ kind: 'fill', id: target.id })}>
                Fill…
              </Button>
            )}
            <Button size="small" onClick={() => openDialog({ kind: 'write', id: target.id })}>
              Write…
            </Button>
          </>
        }
      >
        <Facts
          facts={[
            [
              'Address',
              <span key="a" className="mono">
                {target.address}
              </span>,
            ],
            ['Range', attributes && rangeText(attributes)],
            ['Buffer id', attributes && attributeOf(attributes, 'BUFFER_ID')],
            ['Memory', attributes && memoryText(attributes)],
            ['Legacy capable', attributes && (attributeOf(attributes, 'IS_LEGACY_CUDA_IPC_CAPABLE') ?? 'unknown')],
            ['Handle types', attributes && (attributeOf(attributes, 'ALLOWED_HANDLE_TYPES') ?? 'unknown')],
          ]}
        />
        {answer.error !== undefined && <ErrorText error={answer.error} />}
        {attributes !== undefined && (
          <Button
            size="small"
            className="details-more"
            icon={all ? 'down' : 'right'}
            aria-expanded={all}
            onClick={() => setAll(!all)}
          >
            All {attributes.length} attributes
          </Button>
        )}
        {all && attributes !== undefined && <Facts facts={allAttributes(attributes)} />}
      </Section>
      {!own && (
        <Section title="How it can be shared">
          <p className="note">By the handle of its exporter. Imported memory cannot be exported again from here.</p>
        </Section>
      )}
      {own && attributes !== undefined && (
        <Section title="How it can be shared">
          <Verdicts verdicts={verdictsOf(attributes, fabric)} />
        </Section>
      )}
    </>
  );
}
