import './code.css';
import { useState } from 'react';
import type { Export } from '#contract/records';
import { maskHandle, type SnippetChoice, type SnippetSide } from '#contract/snippets/index';
import { request } from '../../lib/api';
import { type Command, useCommands } from '../../lib/commands';
import { closeDialog, openDialog, useDialog } from '../../lib/dialogs';
import { groupsOf, liveExport } from '../../lib/groups';
import { ledgerNow, useLedger } from '../../lib/ledger-store';
import { useSelection } from '../../lib/selection-store';
import { useAnswer } from '../../lib/use-answer';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Later } from '../../ui/Later';
import { Segmented } from '../../ui/Segmented';
import { choiceKey, mechanismOf, sideNames, usableChoice, whatTravels } from './choices';
import { LibraryList } from './LibraryList';
import { SecretText } from './SecretText';

/** The newest live export of what is selected. */
function selectedExport(): Export | undefined {
  const { selection } = useSelection.getState();
  const group = selection?.kind === 'object' ? groupsOf(ledgerNow()).of.get(selection.id) : undefined;
  // A pool by itself is nothing that code could open: memory of it is.
  return group === undefined || group.kind === 'pool' ? undefined : liveExport(group);
}

function show(what: 'code' | 'descriptor'): void {
  const exported = selectedExport();
  if (exported !== undefined) openDialog({ kind: 'code', id: exported.id, show: what });
}

const commands: readonly Command[] = [
  {
    id: 'code.show',
    title: 'Code for the other side…',
    group: 'Selection',
    when: () => selectedExport() !== undefined,
    run: () => show('code'),
  },
  {
    id: 'code.descriptor',
    title: 'Descriptor…',
    group: 'Selection',
    when: () => selectedExport() !== undefined,
    run: () => show('descriptor'),
  },
];

/** Code that opens an export in another program, or makes one like it; and its descriptor. */
export function CodeDialog() {
  useCommands(commands);
  const dialog = useDialog((store) => store.dialog);
  const id = dialog?.kind === 'code' ? dialog.id : undefined;
  const exported = useLedger((ledger) => (id === undefined ? undefined : ledger.exports.get(id)));
  if (dialog?.kind !== 'code' || exported === undefined) return null;
  return <OfExport key={exported.id} exported={exported} first={dialog.show ?? 'code'} />;
}

function OfExport({ exported, first }: { exported: Export; first: 'code' | 'descriptor' }) {
  const [shown, setShown] = useState(first);
  const label = useLedger(
    (ledger) =>
      (
        ledger.allocations.get(exported.objectId) ??
        ledger.events.get(exported.objectId) ??
        ledger.physicals.get(exported.objectId)
      )?.label,
  );
  return (
    <Dialog
      open
      width="page"
      onClose={closeDialog}
      title={`Code for the other side: ${label || exported.id}`}
      footer={
        <Button look="primary" onClick={closeDialog}>
          Close
        </Button>
      }
    >
      <div className="code-top">
        <Segmented
          label="What to show"
          size="normal"
          value={shown}
          options={[
            { value: 'code', label: 'Code' },
            { value: 'descriptor', label: 'Descriptor' },
          ]}
          onChange={setShown}
        />
        <span className="soft">{whatTravels(exported)}</span>
      </div>
      {shown === 'code' ? <Code exported={exported} /> : <Descriptor exported={exported} />}
    </Dialog>
  );
}

function Code({ exported }: { exported: Export }) {
  const [side, setSide] = useState<SnippetSide>('importer');
  const [wanted, setWanted] = useState<string>();
  const mechanism = mechanismOf(exported);
  const choice = usableChoice(mechanism, side, wanted);
  const key = choice && choiceKey(choice);
  return (
    <div className="code">
      <div className="code-side">
        <Segmented
          label="Side"
          value={side}
          options={(['importer', 'exporter'] as const).map((value) => ({ value, label: sideNames[value] }))}
          onChange={setSide}
        />
        <LibraryList mechanism={mechanism} side={side} value={key} onChange={setWanted} />
      </div>
      {choice === undefined ? (
        <p className="note">No library is known that can do this.</p>
      ) : (
        <Snippet key={`${side} ${key}`} exported={exported} side={side} choice={choice} />
      )}
    </div>
  );
}

function Snippet({ exported, side, choice }: { exported: Export; side: SnippetSide; choice: SnippetChoice }) {
  const args = { id: exported.id, side, language: choice.language, library: choice.library };
  const { value, error } = useAnswer(`${exported.id} ${exported.state}`, () =>
    request('handles.snippet', { ...args, masked: true }),
  );
  if (error !== undefined) return <ErrorText error={error} />;
  if (value === undefined) return <Later>Writing the code…</Later>;
  return (
    <div className="code-text">
      <SecretText name="Code" masked={value.code} real={async () => (await request('handles.snippet', args)).code} />
      {value.requires.length > 0 && (
        <section className="code-notes" aria-label="Needs">
          <h3>Needs</h3>
          <p>{value.requires.join(', ')}</p>
        </section>
      )}
      {value.notes.length > 0 && (
        <section className="code-notes" aria-label="Good to know">
          <h3>Good to know</h3>
          <ul>
            {value.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Descriptor({ exported }: { exported: Export }) {
  const ask = async () => (await request('handles.describe', { id: exported.id })).descriptor;
  const save = async () => (await request('handles.save', { id: exported.id })).path;
  // Only the masked text is kept.
  const { value, error } = useAnswer(`${exported.id} ${exported.state}`, async () => maskHandle(await ask()));
  if (error !== undefined) return <ErrorText error={error} />;
  if (value === undefined) return <Later>Describing it…</Later>;
  return (
    <div className="code-text">
      <SecretText name="Descriptor" masked={value} real={ask} save={save} />
      <p className="note">
        All that an importer needs, as one text: paste it into Import handle, open its file there, or read it with a
        program. It is as secret as the handle. The snippets of the exporter’s side print the same.
      </p>
    </div>
  );
}
