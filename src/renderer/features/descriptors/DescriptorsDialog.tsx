import './descriptors.css';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { OpenDescriptor } from '#contract/calls/fds';
import { type IpcError, toIpcError } from '#contract/result';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useNow } from '../../lib/clock';
import { type Command, useCommands } from '../../lib/commands';
import { closeDialog, openDialog, useDialog } from '../../lib/dialogs';
import { count, formatTimer } from '../../lib/format';
import { groupsOf } from '../../lib/groups';
import { useLedger, useLedgerStore } from '../../lib/ledger-store';
import { selectObject } from '../../lib/selection-store';
import { Button, LinkButton } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorText } from '../../ui/ErrorText';
import { Later } from '../../ui/Later';
import { RoleGlyph } from '../../ui/RoleGlyph';
import { closeConsequence, pinsText, standsFor } from './words';

const commands: readonly Command[] = [
  {
    id: 'descriptors.show',
    title: 'Open descriptors…',
    group: 'Sharing',
    icon: 'fd',
    run: () => openDialog({ kind: 'descriptors' }),
  },
];

/** All file descriptors of this app's processes that stand for shared memory. */
export function DescriptorsDialog() {
  useCommands(commands);
  const open = useDialog((store) => store.dialog?.kind === 'descriptors');
  return open ? <OpenDescriptors /> : null;
}

interface Listed {
  readonly descriptors: readonly OpenDescriptor[] | undefined;
  readonly error: IpcError | undefined;
}

/** The list, asked when it opens and when an export of the ledger has changed. */
function useDescriptors(): Listed & { readonly ask: () => void } {
  const exports = useLedger((ledger) => ledger.exports);
  const [listed, setListed] = useState<Listed>({ descriptors: undefined, error: undefined });
  const turn = useRef(0);
  const ask = useCallback(() => {
    const mine = ++turn.current;
    request('fds.list').then(
      ({ descriptors }) => mine === turn.current && setListed({ descriptors, error: undefined }),
      (thrown) => mine === turn.current && setListed((before) => ({ ...before, error: toIpcError(thrown) })),
    );
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: exports say when to ask again
  useEffect(ask, [ask, exports]);
  return { ...listed, ask };
}

function OpenDescriptors() {
  const { descriptors, error, ask } = useDescriptors();
  const [closing, setClosing] = useState<string | undefined>(undefined);
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open
      width="page"
      onClose={closeDialog}
      title="Open descriptors"
      initialFocus={close}
      footer={
        <>
          <span className="note grow">
            Each keeps memory alive while it is open, and lets this app give it to another process.
          </span>
          <Button look="line" icon="restart" onClick={ask}>
            Refresh
          </Button>
          <Button ref={close} look="primary" onClick={closeDialog}>
            Close
          </Button>
        </>
      }
    >
      {error !== undefined && <ErrorText error={error} doing="Listing the descriptors" />}
      {descriptors === undefined && error === undefined && (
        <Later>
          <p className="note">Asking the processes…</p>
        </Later>
      )}
      {descriptors?.length === 0 && (
        <EmptyState icon="fd" title="No descriptor is open">
          Exporting a pool or virtual memory opens one, in the process that exports. It stays open until it is closed
          here, what it stands for is freed, or its process ends.
        </EmptyState>
      )}
      {descriptors !== undefined && descriptors.length > 0 && (
        <FdTable descriptors={descriptors} closing={closing} onClosing={setClosing} onClosed={ask} />
      )}
    </Dialog>
  );
}

interface FdTableProps {
  readonly descriptors: readonly OpenDescriptor[];
  /** The export whose closing is being asked about. */
  readonly closing: string | undefined;
  readonly onClosing: (exportId: string | undefined) => void;
  readonly onClosed: () => void;
}

function FdTable({ descriptors, closing, onClosing, onClosed }: FdTableProps) {
  const now = useNow();
  const ledger = useLedgerStore((store) => store.ledger);
  const groups = useMemo(() => groupsOf(ledger), [ledger]);
  return (
    <table className="fd-table num">
      <caption className="sr">{count(descriptors.length, 'open descriptor')}</caption>
      <thead>
        <tr>
          <th scope="col">Process</th>
          <th scope="col" className="r">
            fd
          </th>
          <th scope="col" className="file">
            File
          </th>
          <th scope="col" className="for">
            Stands for
          </th>
          <th scope="col" className="r">
            Age
          </th>
          <th scope="col" className="r">
            Keeps alive
          </th>
          <th scope="col">
            <span className="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {descriptors.map((each) => {
          const peer = ledger.peers.get(each.peerId);
          const { exportId, fd } = each;
          const asked = closing === exportId && descriptors.find((one) => one.exportId === exportId) === each;
          return [
            <tr key={`${each.peerId} ${fd}`}>
              <td>
                <span className="own">
                  <RoleGlyph role={peer?.role ?? 'outside'} />
                  <span>
                    {peer?.name ?? each.peerId} <span className="pid">{each.pid}</span>
                  </span>
                </span>
              </td>
              <td className="r mono">{fd}</td>
              <td className="mono file" title={each.file ?? undefined}>
                {each.file ?? <span className="dim">not known</span>}
              </td>
              <td className="for" title={each.label}>
                <div className="fd-for">
                  <LinkButton
                    onClick={() => {
                      selectObject(each.objectId);
                      closeDialog();
                    }}
                  >
                    {each.label}
                  </LinkButton>
                  <span className="dim">{standsFor(each, groups)}</span>
                </div>
              </td>
              <td className="r dim">{formatTimer(now - each.openedAt)}</td>
              <td className="r">{pinsText(each)}</td>
              <td className="r">
                <Button
                  size="small"
                  aria-label={`Close descriptor ${fd} of ${each.label}…`}
                  aria-expanded={asked}
                  onClick={() => onClosing(closing === exportId ? undefined : exportId)}
                >
                  Close…
                </Button>
              </td>
            </tr>,
            asked && (
              <CloseQuestion
                key={`${exportId} question`}
                text={closeConsequence(
                  descriptors.filter((one) => one.exportId === exportId),
                  groups,
                  ledger.peers,
                )}
                exportId={exportId}
                onEnd={(closed) => {
                  onClosing(undefined);
                  if (closed) onClosed();
                }}
              />
            ),
          ];
        })}
      </tbody>
    </table>
  );
}

/** Asked in place, below the descriptor that it is about. */
function CloseQuestion({
  text,
  exportId,
  onEnd,
}: {
  text: string;
  exportId: string;
  onEnd: (closed: boolean) => void;
}) {
  const keep = useRef<HTMLButtonElement>(null);
  const [state, setState] = useState<{ busy: boolean; error: IpcError | undefined }>({ busy: false, error: undefined });
  useEffect(() => keep.current?.focus(), []);
  const close = async () => {
    setState({ busy: true, error: undefined });
    try {
      await request('fds.close', { exportId });
      announce('The descriptor is closed');
      onEnd(true);
    } catch (thrown) {
      setState({ busy: false, error: toIpcError(thrown) });
    }
  };
  return (
    <tr className="fd-question">
      <td colSpan={7}>
        <div role="group" aria-label="Close it?">
          <p>{text}</p>
          {state.error !== undefined && <ErrorText error={state.error} />}
          <Button ref={keep} size="small" look="line" onClick={() => onEnd(false)}>
            Keep
          </Button>
          <Button size="small" look="danger" disabled={state.busy} onClick={() => void close()}>
            Close it
          </Button>
        </div>
      </td>
    </tr>
  );
}
