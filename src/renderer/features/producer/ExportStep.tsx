import { useEffect, useState } from 'react';
import { type HandleForm, handleFormNames, handleForms } from '#contract/handle-text';
import { request } from '../../lib/api';
import { HEX } from '../../lib/bytes-format';
import { takeHandle } from '../../lib/copy-handle';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
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

/** Step 3: the 64 bytes that others open the memory with. Hidden until revealed: whoever has them can open it. */
export function ExportStep({ state, shown }: { state: StepState; shown: OwnBuffer | undefined }) {
  const exported = shown?.exported;
  const live = shown?.allocation.state === 'live';
  const call = useNewestCallAbout(shown?.allocation.id, 'cuIpcGetMemHandle');
  const { busy, error, run, clear } = useAction();
  const [revealed, setRevealed] = useState<{ of: string; handle: Uint8Array }>();
  const [copied, setCopied] = useState<HandleForm>();
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
      setCopied(form);
    }, `Handle copied as ${handleFormNames[form]}`);
  };

  const openIn = shown?.holders ?? [];
  return (
    <StepCard
      number={3}
      title="Export"
      state={state}
      say={
        exported === undefined
          ? 'make a handle that others can open'
          : openIn.length > 0
            ? `open in ${list(openIn.map((holder) => holder.name))}`
            : live
              ? 'nobody has it open'
              : 'the handle opens this memory no more'
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
          : live && (
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
            {handle === undefined ? (
              <span className="masked" role="img" aria-label="Handle, 64 bytes, hidden" />
            ) : (
              <HandleBytes handle={handle} />
            )}
            <Menu
              label="Copy handle as"
              trigger={
                <Button look="line" icon={copied === undefined ? 'copy' : 'check'} disabled={busy}>
                  {copied === undefined ? 'Copy handle' : `Copied: ${handleFormNames[copied]}`}
                </Button>
              }
              items={handleForms.map((form) => ({ label: handleFormNames[form], onSelect: () => void copy(form) }))}
            />
          </StepRow>
          {handle === undefined ? (
            <CallLine call={call} />
          ) : (
            <StepNote>Whoever has these bytes can open the memory, as long as this process lives.</StepNote>
          )}
        </>
      )}
      <Failure error={error} onDismiss={clear} />
    </StepCard>
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
