import { useEffect, useState } from 'react';
import { type HandleForm, handleFormNames, handleForms, handleFormWords } from '#contract/handle-text';
import type { Export } from '#contract/records';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { HEX } from '../../lib/bytes-format';
import { copyText } from '../../lib/clipboard';
import { takeHandle } from '../../lib/copy-handle';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { ways, whatTravels } from '../../ui/demo/mechanism';
import { StepCard, StepNote, StepRow } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCallAbout } from '../../ui/demo/use-calls';
import { list } from '../../ui/demo/words';
import { Menu } from '../../ui/Menu';
import type { OwnBuffer } from './producer-model';

const ROW = 16;
/** How long the button says that the handle was copied. */
const COPIED_MS = 2000;

/**
 * Step 3: what others open the memory with: 64 bytes, file descriptors, or both. The bytes are hidden until revealed:
 * whoever has them can open it.
 */
export function ExportStep({ state, shown }: { state: StepState; shown: OwnBuffer | undefined }) {
  const exported = shown?.exported;
  const live = shown?.allocation.state === 'live';
  const way = shown?.way ?? 'legacy';
  // Virtual memory is exported piece by piece: the call is about its physical memory.
  const about = way === 'virtual' ? shown?.allocation.chunks?.[0]?.physicalId : shown?.allocation.id;
  const call = useNewestCallAbout(about, ...ways[way].calls.export);
  const { busy, error, run, clear } = useAction();
  const [revealed, setRevealed] = useState<{ of: string; handle: Uint8Array }>();
  const [copied, setCopied] = useState<string>();
  const [savedTo, setSavedTo] = useState<{ of: string; path: string }>();
  const handle = exported !== undefined && revealed?.of === exported.id ? revealed.handle : undefined;

  useEffect(() => {
    if (copied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  const reveal = async () => {
    if (exported === undefined) return;
    if (handle !== undefined) return setRevealed(undefined);
    const got = await run(() => request('handles.reveal', { exportId: exported.id }), 'Handle revealed');
    if (got !== undefined) setRevealed({ of: exported.id, handle: got.handle });
  };
  const copy = async (form: HandleForm) => {
    if (exported === undefined) return;
    await run(async () => {
      await takeHandle(exported.id, form);
      setCopied(handleFormNames[form]);
    }, `Handle copied as ${handleFormWords[form]}`);
  };
  const copyDescriptor = async () => {
    if (exported === undefined) return;
    await run(async () => {
      await copyText((await request('handles.describe', { id: exported.id })).descriptor);
      setCopied('descriptor');
    }, 'Descriptor copied');
  };

  const saveDescriptor = async () => {
    if (exported === undefined) return;
    const saved = await run(() => request('handles.save', { id: exported.id }));
    if (saved == null || saved.path === null) return;
    setSavedTo({ of: exported.id, path: saved.path });
    announce(`Descriptor saved to ${saved.path}`);
  };

  const openIn = shown?.holders ?? [];
  return (
    <StepCard
      number={3}
      title="Export"
      state={state}
      say={
        exported === undefined
          ? way === 'virtual'
            ? 'make a descriptor that others can open'
            : 'make a handle that others can open'
          : openIn.length > 0
            ? `open in ${list(openIn.map((holder) => holder.name))}`
            : live
              ? 'nobody has it open'
              : `the ${way === 'virtual' ? 'descriptor' : 'handle'} opens this memory no more`
      }
      action={
        exported === undefined
          ? live && (
              <Button
                look={state === 'now' ? 'primary' : 'line'}
                icon="key"
                disabled={busy}
                onClick={() => void run(() => request('buffers.export', { id: shown.allocation.id }), 'Exported')}
              >
                Export
              </Button>
            )
          : live &&
            way !== 'virtual' && (
              <Button
                size="small"
                icon="eye"
                aria-pressed={handle !== undefined}
                disabled={busy}
                onClick={() => void reveal()}
              >
                {handle === undefined ? 'Reveal' : 'Hide'}
              </Button>
            )
      }
    >
      {exported !== undefined && live && (
        <>
          <StepRow className={handle === undefined ? undefined : 'top'}>
            {way === 'virtual' ? (
              <Descriptors exported={exported} />
            ) : handle === undefined ? (
              <span className="masked" role="img" aria-label="Handle, 64 bytes, hidden" />
            ) : (
              <HandleBytes handle={handle} />
            )}
            <Menu
              label="Copy handle as"
              trigger={
                <Button look="line" icon={copied === undefined ? 'copy' : 'check'} disabled={busy}>
                  {copied !== undefined ? `Copied: ${copied}` : way === 'virtual' ? 'Copy' : 'Copy handle'}
                </Button>
              }
              items={[
                ...(way === 'virtual'
                  ? []
                  : handleForms.map((form) => ({ label: handleFormNames[form], onSelect: () => void copy(form) }))),
                { label: 'Share descriptor', onSelect: () => void copyDescriptor() },
                { label: 'Save descriptor to a file…', onSelect: () => void saveDescriptor() },
              ]}
            />
          </StepRow>
          {handle === undefined ? (
            <CallLine call={call} />
          ) : (
            <StepNote>
              {way === 'pool'
                ? 'With these bytes and its pool’s descriptor the memory can be opened, as long as this process lives.'
                : 'Whoever has these bytes can open the memory, as long as this process lives.'}
            </StepNote>
          )}
          {savedTo?.of === exported.id && (
            <StepNote>Saved to {savedTo.path}. Only your user may read that file.</StepNote>
          )}
          <p className="step-note words">{whatTravels(exported, shown.poolExport)}</p>
        </>
      )}
      <Failure error={error} onDismiss={clear} />
    </StepCard>
  );
}

/** The descriptors of virtual memory, as this process counts them. */
function Descriptors({ exported }: { exported: Export }) {
  const fds = (exported.descriptors ?? []).map(({ fd }) => fd);
  return (
    <span className="descriptors num cut">
      {fds.length === 1 ? 'descriptor' : 'descriptors'} <b className="mono">{fds.join(', ')}</b> of this process
    </span>
  );
}

/** The 64 bytes as four rows of sixteen, in words of four. */
function HandleBytes({ handle }: { handle: Uint8Array }) {
  const rows = Array.from({ length: handle.length / ROW }, (_, row) =>
    Array.from(handle.subarray(row * ROW, (row + 1) * ROW), (byte) => HEX[byte])
      .join('')
      .replace(/.{8}(?=.)/g, '$& '),
  );
  return (
    <pre className="handle mono selectable" role="group" aria-label="Handle, 64 bytes">
      {rows.join('\n')}
    </pre>
  );
}
