import '../dialogs.css';
import './import.css';
import { useEffect, useId, useState } from 'react';
import type { Mechanism } from '#contract/values';
import { announce } from '../../../lib/announce';
import { useApp, useSelfId } from '../../../lib/app-store';
import { closeDialog } from '../../../lib/dialogs';
import { selectObject } from '../../../lib/selection-store';
import { Button } from '../../../ui/Button';
import { Dialog } from '../../../ui/Dialog';
import { ErrorText } from '../../../ui/ErrorText';
import { Segmented } from '../../../ui/Segmented';
import { useSubmit } from '../use-submit';
import { FindingList } from './FindingList';
import { ForeignProcess } from './ForeignProcess';
import { blocks } from './findings';
import { emptyForeign, type ForeignForm, readForeign } from './foreign';
import { HowFields, type HowForm, readHow } from './HowFields';
import { descriptorOf, wayOfItem } from './item-facts';
import { LiveExports } from './LiveExports';
import { checkOf, eventOf, isEvent, isPool, make, type Subject } from './make';
import { PastedText } from './PastedText';
import { keyOf, useFindings } from './use-findings';
import { useInSight } from './use-in-sight';
import { useLiveExports } from './use-live-exports';
import { useParsed } from './use-parsed';
import { WhyOff } from './WhyOff';

type From = Subject['from'];

/** An answer below what is in view would be missed. Once, when it appears: always the same function. */
const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** Opens memory, an event or a pool of another process: a live export of this app, what any text holds, or a descriptor. */
export function ImportDialog({ first }: { first: From | undefined }) {
  const selfId = useSelfId();
  const devices = useApp((store) => store.devices);
  const live = useLiveExports(selfId);
  const [from, setFrom] = useState<From>(first ?? (live.length > 0 ? 'list' : 'text'));
  const [chosen, setChosen] = useState<string | undefined>(live[0]?.exported.id);
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const [foreign, setForeign] = useState(emptyForeign);
  const [how, setHow] = useState<HowForm>({});
  const [anyway, setAnyway] = useState(false);
  const [known, setKnown] = useState<HTMLElement | null>(null);
  const [refusal, setRefusal] = useState<HTMLElement | null>(null);
  const whole = useInSight(known);
  const said = useInSight(refusal);
  const id = useId();
  const { busy, error, tried, submit } = useSubmit();
  const parsed = useParsed(text);

  const entry = live.find(({ exported }) => exported.id === chosen);
  const item = parsed.text === text ? (parsed.items[index] ?? parsed.items[0]) : undefined;
  const described = item && descriptorOf(item);
  const suggested =
    from === 'list'
      ? entry?.device
      : from === 'text'
        ? (devices.find(({ uuid }) => uuid === described?.device.uuid)?.ordinal ?? item?.device)
        : undefined;
  const device =
    how.device ??
    (devices.some(({ ordinal }) => ordinal === suggested) ? suggested : undefined) ??
    devices[0]?.ordinal ??
    0;
  const reading = readForeign(foreign, devices.find(({ ordinal }) => ordinal === device)?.uuid ?? '');

  const subject = ((): Subject | undefined => {
    if (from === 'list') return entry && { from, live: entry };
    if (from === 'process')
      return reading.ok ? { from, reading, name: `pid ${reading.pid}, fd ${reading.fd}` } : undefined;
    if (item === undefined) return undefined;
    const way = wayOfItem(item);
    const as = way === 'event' || (way === 'unknown' && how.as === 'event') ? 'event' : 'memory';
    const pointer = item.kind === 'cuda-pool-pointer' || (way === 'unknown' && how.as === 'pool');
    return { from, item, as, pointer, ...(pointer && how.poolId !== undefined ? { poolId: how.poolId } : {}) };
  })();
  const ways = { ...waysOf(subject), ...(subject && eventOf(subject) !== undefined ? { event: true } : {}) };
  const read = readHow(how, { device, offset: item?.offset, length: item?.size, text: from === 'text' });
  const check = subject !== undefined && read.ok ? checkOf(subject, read.how) : undefined;
  const pool = subject?.from === 'text' ? subject.poolId : undefined;
  // Its pool is imported: that was the question.
  const findings = useFindings(check).filter(({ code }) => pool === undefined || code !== 'needs-pool');
  const checkKey = check && keyOf(check);
  // Another thing to open: what was wanted in spite of a refusal was about the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when
  useEffect(() => setAnyway(false), [checkKey]);

  const change = (next: Partial<HowForm>) => setHow((before) => ({ ...before, ...next }));
  // What was filled in for one thing is not right for another.
  const another = () => setHow(({ device }) => (device === undefined ? {} : { device }));
  const blocked = blocks(findings, anyway);

  const open = () =>
    submit(subject !== undefined && read.ok && !blocked, async () => {
      if (subject === undefined || !read.ok) return;
      const id = await make(subject, read.how, anyway);
      announce(
        `${isEvent(subject) ? 'The event is' : isPool(subject) ? 'The pool is' : 'The memory is'} open in Inspector`,
      );
      selectObject(id);
      closeDialog();
    });

  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Import handle"
      width="wide"
      steady
      onSubmit={open}
      footer={
        <>
          <WhyOff
            findings={findings}
            anyway={anyway}
            id={`${id}-why`}
            said={said}
            whole={whole}
            onShow={() => known?.focus()}
          />
          <Button look="line" onClick={closeDialog}>
            Cancel
          </Button>
          <Button
            look="primary"
            type="submit"
            aria-describedby={blocked ? `${id}-why` : undefined}
            disabled={busy || (subject === undefined && from !== 'process') || blocked}
          >
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
          { value: 'process', label: 'Another process' },
        ]}
        onChange={(next) => {
          setFrom(next);
          another();
        }}
      />
      {from === 'list' && (
        <LiveExports
          live={live}
          chosen={chosen}
          onChoose={(id) => {
            setChosen(id);
            another();
          }}
        />
      )}
      {from === 'text' && (
        <PastedText
          text={text}
          parsed={parsed}
          item={item}
          device={device}
          selfId={selfId}
          onChange={(next) => {
            setText(next);
            setIndex(0);
          }}
          onChoose={(next) => {
            setIndex(next);
            another();
          }}
        />
      )}
      {from === 'process' && (
        <ForeignProcess
          form={foreign}
          problems={reading.ok ? {} : reading.problems}
          tried={tried}
          onChange={(next: Partial<ForeignForm>) => setForeign((before) => ({ ...before, ...next }))}
        />
      )}
      <HowFields form={how} read={read} ways={ways} onChange={change} />
      <FindingList ref={setKnown} refusal={setRefusal} findings={findings} anyway={anyway} onAnyway={setAnyway} />
      {error !== undefined && (
        <div ref={intoView}>
          <ErrorText error={error} />
        </div>
      )}
    </Dialog>
  );
}

/** Which questions there are about how to open it. */
function waysOf(subject: Subject | undefined): {
  readonly mechanism?: Mechanism;
  readonly kind: 'memory' | 'event' | 'pool';
  readonly unsure?: boolean;
  readonly pointer?: boolean;
} {
  if (subject === undefined) return { kind: 'memory' };
  const kind = isEvent(subject) ? 'event' : isPool(subject) ? 'pool' : 'memory';
  switch (subject.from) {
    case 'list':
      return { kind, mechanism: subject.live.exported.mechanism };
    case 'process':
      return { kind, mechanism: subject.reading.descriptor?.includes('"virtual"') ? 'virtual' : 'pool' };
    case 'text': {
      const way = wayOfItem(subject.item);
      if (way === 'event') return { kind };
      const { pointer } = subject;
      if (way === 'unknown') return { kind, mechanism: pointer ? 'pool' : 'legacy', unsure: true, pointer };
      return { kind, mechanism: way, pointer };
    }
  }
}
