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
import { SharingSection } from './sharing/SharingSection';

/** What the driver says about the memory, through a pointer of this process. */
export function PointerSections({
  target,
  version,
  subject,
}: {
  target: Extract<Target, { kind: 'readable' }>;
  version: string;
  /** What the question of sharing is about: the selected one, which may be a mapping of another process. */
  subject: string | undefined;
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
  const isVirtual =
    target.group.allocation?.memory === 'virtual' ||
    // Of memory from outside of this app only the way that it came is known.
    target.group.children.some(
      ({ type, record }) =>
        type === 'mapping' &&
        record.id === target.id &&
        (record.mechanism === 'virtual' || record.mechanism === 'fabric'),
    );
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
            ['Memory', attributes && memoryText(attributes, isVirtual)],
            // Of imported memory these say nothing of how it came here, only that it cannot go on from here.
            [
              'Legacy capable',
              own && attributes ? (attributeOf(attributes, 'IS_LEGACY_CUDA_IPC_CAPABLE') ?? 'unknown') : undefined,
            ],
            [
              'Handle types',
              own && attributes ? (attributeOf(attributes, 'ALLOWED_HANDLE_TYPES') ?? 'unknown') : undefined,
            ],
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
      {subject !== undefined && (
        <SharingSection
          key={subject}
          id={subject}
          first={own && attributes !== undefined ? verdictsOf(attributes, fabric) : undefined}
        />
      )}
    </>
  );
}
