import './dialogs.css';
import { useId, useMemo, useState } from 'react';
import { MAX_HANDLE_TEXT } from '#contract/handle-text';
import type { Export } from '#contract/records';
import { formatSize, parseSize } from '#contract/units';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useApp, useSelfId } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { type Group, groupsOf, liveExport } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { selectObject } from '../../lib/selection-store';
import { Button } from '../../ui/Button';
import { cx } from '../../ui/cx';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Field, Labelled } from '../../ui/Field';
import { Icon, type IconName } from '../../ui/Icon';
import { Segmented } from '../../ui/Segmented';
import { Checkbox } from '../../ui/Switch';
import { DevicePick } from './DevicePick';
import { exporterKnown, type Known, type Recognised, recognise } from './recognise';
import { useSubmit } from './use-submit';
import { readOffset } from './write-form';

const LAZY_PEER_ACCESS = 1;

type From = 'list' | 'text';
type Kind = 'memory' | 'event';

interface LiveExport {
  readonly exported: Export;
  readonly group: Group;
}

/** Opens the memory or event behind a handle: a live export of this app, or 64 bytes from anywhere. */
export function ImportDialog() {
  const selfId = useSelfId();
  const groups = useLedger((ledger) => groupsOf(ledger).list);
  const live = useMemo(() => exportsOfOthers(groups, selfId), [groups, selfId]);
  const [from, setFrom] = useState<From>(live.length > 0 ? 'list' : 'text');
  const [chosen, setChosen] = useState<string | undefined>(live[0]?.exported.id);
  const [text, setText] = useState('');
  const [kindChosen, setKindChosen] = useState<Kind | undefined>(undefined);
  const [deviceChosen, setDeviceChosen] = useState<number | undefined>(undefined);
  const [lazy, setLazy] = useState(true);
  const [offsetText, setOffsetText] = useState<string | undefined>(undefined);
  const [lengthText, setLengthText] = useState<string | undefined>(undefined);
  const firstDevice = useApp((store) => store.devices[0]?.ordinal ?? 0);
  const { busy, error, tried, submit } = useSubmit();

  const recognised = useMemo(() => recognise(text), [text]);
  const entry = live.find(({ exported }) => exported.id === chosen);
  const said = from === 'text' && recognised?.ok === true ? recognised : undefined;
  const kind: Kind =
    from === 'list'
      ? entry?.exported.kind === 'event'
        ? 'event'
        : 'memory'
      : (kindChosen ?? (said?.kind === 'event' ? 'event' : 'memory'));
  const device = deviceChosen ?? (from === 'list' ? entry?.group.device : said?.device) ?? firstDevice;
  const offset = readPart(offsetText ?? (said?.offset ? String(said.offset) : ''));
  const length = readPart(lengthText ?? said?.length?.toString() ?? '');
  const flags = lazy ? LAZY_PEER_ACCESS : 0;
  const ready = from === 'list' ? entry !== undefined : said !== undefined;
  const valid = ready && !('problem' in offset) && !('problem' in length);

  const open = () =>
    submit(valid, async () => {
      const source = from === 'list' ? { exportId: entry?.exported.id } : { handle: said?.handle };
      if ('problem' in offset || 'problem' in length) return;
      const label = from === 'list' ? entry?.group.label : undefined;
      const { id } =
        kind === 'event'
          ? await request('events.open', { ...source, device, label })
          : await request('imports.open', {
              ...source,
              device,
              flags,
              offset: offset.bytes,
              length: length.bytes,
              label,
            });
      announce(`The ${kind} is open in Inspector`);
      selectObject(id);
      closeDialog();
    });

  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Import handle"
      width="wide"
      onSubmit={open}
      footer={
        <>
          {kind === 'memory' && (
            <Checkbox checked={lazy} onChange={setLazy}>
              Lazy peer access <span className="dim num">flags {flags}</span>
            </Checkbox>
          )}
          <span className="grow" />
          <Button look="line" onClick={closeDialog}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={busy || !ready}>
            Open
          </Button>
        </>
      }
    >
      <Segmented
        label="Where the handle comes from"
        size="normal"
        value={from}
        options={[
          { value: 'list', label: `Live exports (${live.length})`, disabled: live.length === 0 },
          { value: 'text', label: 'Pasted text' },
        ]}
        onChange={setFrom}
      />
      {from === 'list' ? (
        <ExportList live={live} chosen={chosen} onChoose={setChosen} />
      ) : (
        <PastedText text={text} recognised={recognised} device={device} selfId={selfId} onChange={setText} />
      )}
      {from === 'text' && said !== undefined && (
        <Labelled
          label="Open as"
          note={said.kind === 'unknown' ? 'The bytes do not say whether it is memory or an event.' : undefined}
        >
          {() => (
            <Segmented
              label="Open as"
              value={kind}
              options={[
                { value: 'memory', label: 'Memory' },
                { value: 'event', label: 'Event' },
              ]}
              onChange={setKindChosen}
            />
          )}
        </Labelled>
      )}
      <div className="dlg-row">
        <DevicePick value={device} onChange={setDeviceChosen} />
        {kind === 'memory' && (
          <>
            <Field
              label="Offset"
              mono
              placeholder="0"
              value={offsetText ?? (said?.offset ? String(said.offset) : '')}
              error={'problem' in offset ? offset.problem : undefined}
              onChange={(event) => setOffsetText(event.target.value)}
            />
            <Field
              label="Length"
              mono
              placeholder="all of it"
              value={lengthText ?? said?.length?.toString() ?? ''}
              error={'problem' in length ? length.problem : undefined}
              onChange={(event) => setLengthText(event.target.value)}
            />
          </>
        )}
      </div>
      {kind === 'memory' && !lazy && (
        <p className="note">Flags 0: the driver demands lazy peer access and refuses to open it without.</p>
      )}
      {tried && !ready && <p className="field-s error">Choose a live export or paste a handle.</p>}
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}

/** A part of the memory: empty is undefined, all of it. */
function readPart(text: string): { readonly bytes: number | undefined } | { readonly problem: string } {
  if (text.trim() === '') return { bytes: undefined };
  const offset = readOffset(text, 0, Number.MAX_SAFE_INTEGER);
  if ('offset' in offset) return { bytes: offset.offset };
  const size = parseSize(text);
  return size.ok ? { bytes: size.bytes } : { problem: size.problem };
}

/** Live exports of other processes: our own handles cannot be opened here. */
function exportsOfOthers(groups: readonly Group[], selfId: string): readonly LiveExport[] {
  return groups.flatMap((group) => {
    const exported = group.ownerId === selfId ? undefined : liveExport(group);
    return exported === undefined ? [] : [{ exported, group }];
  });
}

function ExportList({
  live,
  chosen,
  onChoose,
}: {
  live: readonly LiveExport[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const peers = useLedger((ledger) => ledger.peers);
  const name = useId();
  return (
    <div className="exports" role="radiogroup" aria-label="Live exports">
      {live.map(({ exported, group }) => (
        <label key={exported.id} className={cx('export', chosen === exported.id && 'on')}>
          <input
            type="radio"
            className="sr"
            name={name}
            checked={chosen === exported.id}
            onChange={() => onChoose(exported.id)}
          />
          <Icon name={exported.kind === 'memory' ? 'buffer' : 'event'} />
          <b className="cut">{group.label}</b>
          <span className="dim num">{group.kind === 'memory' ? formatSize(group.bytes) : 'event'}</span>
          <span className="grow" />
          <span className="soft num cut">
            {peers.get(exported.peerId)?.name} {peers.get(exported.peerId)?.pid}
          </span>
        </label>
      ))}
    </div>
  );
}

const signs: Readonly<Record<Known['sure'], IconName>> = { yes: 'check', no: 'warn', unknown: 'question' };

interface PastedTextProps {
  readonly text: string;
  readonly recognised: Recognised | undefined;
  readonly device: number;
  readonly selfId: string;
  readonly onChange: (text: string) => void;
}

function PastedText({ text, recognised, device, selfId, onChange }: PastedTextProps) {
  const peers = useLedger((ledger) => ledger.peers);
  const id = useId();
  const problem = recognised?.ok === false ? recognised : undefined;
  const known: readonly Known[] =
    recognised?.ok === true
      ? [
          { sure: 'yes', text: recognised.form, detail: recognised.detail },
          exporterKnown(recognised.pid, peers, selfId),
          {
            sure: recognised.device === undefined ? 'unknown' : 'yes',
            text: `GPU ${device}`,
            detail:
              recognised.device === undefined
                ? 'the handle does not say which'
                : 'taken from the tuple; the handle does not say',
          },
        ]
      : [];
  return (
    <div className="field-w">
      <label className="field-l" htmlFor={id}>
        Handle
      </label>
      <textarea
        id={id}
        className={cx('field mono paste', problem !== undefined && 'bad')}
        rows={4}
        // One more than is read: megabytes pasted by mistake are said to be too long, and keep no window waiting.
        maxLength={MAX_HANDLE_TEXT + 1}
        spellCheck={false}
        autoComplete="off"
        placeholder="64 bytes as hex, base64, Python bytes, a C array, or a PyTorch storage tuple"
        value={text}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-s`}
        onChange={(event) => onChange(event.target.value)}
      />
      <div id={`${id}-s`} aria-live="polite">
        {problem !== undefined && (
          <p className="field-s error">
            {problem.problem}{' '}
            {problem.position < text.length && problem.position > 0 && `At character ${problem.position + 1}.`}
          </p>
        )}
        {known.length > 0 && (
          <ul className="known">
            {known.map(({ sure, text: what, detail }) => (
              <li key={what}>
                <Icon
                  name={signs[sure]}
                  size={14}
                  tone={sure === 'unknown' ? 'dim' : sure === 'no' ? 'gone' : undefined}
                />
                <span>
                  {what} <span className="dim num">{detail}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
