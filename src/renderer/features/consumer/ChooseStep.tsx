import { type KeyboardEvent, useRef, useState } from 'react';
import { parseDescriptor } from '#contract/descriptor';
import { guessHandleKind, handlePid } from '#contract/handle-layout';
import { handleFormNames, handleFormWords, MAX_HANDLE_TEXT, parseHandle } from '#contract/handle-text';
import { formatBytes, formatSize } from '#contract/units';
import type { Mechanism } from '#contract/values';
import { Button } from '../../ui/Button';
import { cx } from '../../ui/cx';
import { ways } from '../../ui/demo/mechanism';
import { StepCard, StepNote } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { references } from '../../ui/demo/words';
import { StateMark } from '../../ui/StateMark';
import { type Offer, referencesOf } from './consumer-model';
import { choose, PASTED, type Pasted, useConsumer } from './consumer-store';

/** Step 1: what other processes of this app export, and handles from anywhere else. */
export function ChooseStep({ state, all }: { state: StepState; all: readonly Offer[] }) {
  const { chosen, pasting, pasted } = useConsumer();
  const options = [
    ...all.map((offer) => ({ key: offer.key, offer })),
    ...(pasted === undefined ? [] : [{ key: PASTED, offer: undefined }]),
  ];
  const group = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent, from: number) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const next = step === undefined ? undefined : options[(from + step + options.length) % options.length];
    if (next === undefined) return;
    event.preventDefault();
    choose(next.key);
    group.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.key)}"]`)?.focus();
  };
  const stop = options.some((option) => option.key === chosen) ? chosen : options[0]?.key;
  return (
    <StepCard
      number={1}
      title="Choose a handle"
      state={state}
      action={
        <Button
          size="small"
          icon="import"
          aria-expanded={pasting}
          onClick={() => useConsumer.setState({ pasting: !pasting })}
        >
          Paste a handle
        </Button>
      }
    >
      {pasting && <Paste />}
      {options.length > 0 ? (
        <div ref={group} className="choices" role="radiogroup" aria-label="Live exports">
          {options.map(({ key, offer }, index) => (
            <div
              key={key}
              data-key={key}
              role="radio"
              aria-checked={key === chosen}
              tabIndex={key === stop ? 0 : -1}
              className={cx('choice', key === chosen && 'on')}
              onClick={() => choose(key)}
              onKeyDown={(event) => {
                if (event.key === ' ' || event.key === 'Enter') {
                  event.preventDefault();
                  choose(key);
                } else move(event, index);
              }}
            >
              <span className="radio" />
              {offer === undefined ? <PastedWords /> : <OfferWords offer={offer} chosen={key === chosen} />}
            </div>
          ))}
        </div>
      ) : (
        !pasting && (
          <StepNote>No other process of this app exports anything. Export in a producer, or paste a handle.</StepNote>
        )
      )}
    </StepCard>
  );
}

function OfferWords({ offer, chosen }: { offer: Offer; chosen: boolean }) {
  const open = referencesOf(offer);
  const owner = offer.owner === undefined ? 'a process not known here' : offer.owner.name;
  return (
    <>
      <span className="cut">
        <b>{offer.label}</b>{' '}
        <span className="dim num" title={formatBytes(offer.bytes)}>
          {formatSize(offer.bytes)}
        </span>
        {offer.mechanism !== 'legacy' && <span className="soft"> {wayWords(offer.mechanism)}</span>}
        {open > 0 && !chosen && <span className="importer num"> open, {references(open)}</span>}
      </span>
      {offer.state === 'freed' || offer.state === 'gone' ? (
        <StateMark mark={offer.state === 'freed' ? 'half' : 'broken'}>
          {offer.state === 'freed' ? `freed by ${owner}` : `${owner} is gone`}
        </StateMark>
      ) : (
        <span className="dim num cut">
          {owner}
          {offer.owner?.pid != null && `, ${offer.owner.pid}`}
        </span>
      )}
    </>
  );
}

function PastedWords() {
  const pasted = useConsumer((store) => store.pasted);
  if (pasted === undefined) return null;
  if (pasted.descriptor !== undefined) {
    const { label, mechanism, exporter } = pasted.descriptor;
    return (
      <>
        <span className="cut">
          <b>{label ?? 'Pasted descriptor'}</b> <span className="dim num">{mechanism}, by descriptor</span>
        </span>
        <span className="dim num">of pid {exporter.pid}</span>
      </>
    );
  }
  const pid = handlePid(pasted.handle);
  return (
    <>
      <span className="cut">
        <b>Pasted handle</b> <span className="dim num">64 bytes, {handleFormWords[pasted.form]}</span>
      </span>
      <span className="dim num">{pid === undefined ? 'of a process not known here' : `looks like pid ${pid}`}</span>
    </>
  );
}

/** A handle as text, in any of the forms that programs print. */
function Paste() {
  const pasted = useConsumer((store) => store.pasted);
  const [text, setText] = useState(pasted?.text ?? '');
  const read = text.trim() === '' ? undefined : reading(text);

  const take = (next: string) => {
    setText(next);
    const found = reading(next);
    if (found.ok) {
      useConsumer.setState({ pasted: found.pasted });
      choose(PASTED);
    } else if (pasted !== undefined) {
      useConsumer.setState((store) => ({
        pasted: undefined,
        chosen: store.chosen === PASTED ? undefined : store.chosen,
      }));
    }
  };

  return (
    <div className="paste">
      <textarea
        className={cx('field mono', read?.ok === false && 'bad')}
        aria-label="Handle as text"
        aria-invalid={read?.ok === false || undefined}
        aria-describedby="paste-says"
        placeholder="64 bytes: hex, base64, Python bytes, C, C# or JSON array; or a share descriptor"
        rows={3}
        // One more than is read: what is longer is said to be too long.
        maxLength={MAX_TEXT + 1}
        spellCheck={false}
        autoComplete="off"
        // Opened by a click on its button: the next thing is to paste into it.
        // biome-ignore lint/a11y/noAutofocus: see above
        autoFocus
        value={text}
        onChange={(event) => take(event.target.value)}
      />
      <p id="paste-says" className={cx('field-s', read?.ok === false && 'error')}>
        {read === undefined
          ? 'From another program: CuPy, PyTorch, C. Whoever has the bytes can open the memory.'
          : read.ok
            ? read.says
            : read.problem}
      </p>
    </div>
  );
}

/** A descriptor of 512 pieces of memory takes about 40,000 characters. */
const MAX_TEXT = Math.max(MAX_HANDLE_TEXT, 64 * 1024);

type Reading =
  | { readonly ok: true; readonly pasted: Pasted; readonly says: string }
  | { readonly ok: false; readonly problem: string };

/** 64 bytes, or a share descriptor: a text that begins as JSON with names does. */
function reading(text: string): Reading {
  if (/^\s*\{/.test(text)) {
    const found = parseDescriptor(text);
    if (!found.ok) return { ok: false, problem: found.problems[0]?.message ?? 'This is no descriptor.' };
    const { descriptor } = found;
    if (descriptor.mechanism === 'event') return { ok: false, problem: 'This describes an event, not memory.' };
    const says = `Share descriptor of ${formatSize(descriptor.size)}, ${wayWords(descriptor.mechanism)}.`;
    return { ok: true, pasted: { text, descriptor }, says };
  }
  const read = parseHandle(text);
  if (!read.ok) return { ok: false, problem: `${read.problem} At character ${read.position + 1}.` };
  const { handle, form, prefix } = read;
  const event = guessHandleKind(handle) === 'event';
  return {
    ok: true,
    pasted: { text, handle, form },
    says: `${handleFormNames[form]}, 64 bytes${prefix === undefined ? '' : `, ${prefix}’s two bytes before them left out`}.${
      event ? ' This looks like the handle of an event: memory cannot be opened with it.' : ''
    }`,
  };
}

const wayWords = (mechanism: Mechanism): string => (mechanism === 'fabric' ? 'fabric handle' : ways[mechanism].short);
