import './handles.css';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { openDemo } from '../../lib/actions';
import { useApp } from '../../lib/app-store';
import { useNow } from '../../lib/clock';
import { type Command, useCommands } from '../../lib/commands';
import { openDialog } from '../../lib/dialogs';
import { count } from '../../lib/format';
import { groupsOf } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { useNarrow } from '../../lib/media';
import { useSelectedObject, useSelection } from '../../lib/selection-store';
import { useSettings } from '../../lib/settings-store';
import { Banner } from '../../ui/Banner';
import { Button, LinkButton } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { FilterField } from '../../ui/FilterField';
import type { IconName } from '../../ui/icons';
import type { Tone } from '../../ui/tone';
import { readTableSettings } from './columns';
import { parseFilter } from './filter';
import { HandleGrid } from './HandleGrid';
import { buildRows } from './rows';

interface Tool {
  readonly title: string;
  readonly icon: IconName;
  readonly tone?: Tone;
  readonly run: () => void;
}

/** The device that a new thing goes to: the selected one, else the first. */
function deviceForNew(): number {
  const { selection } = useSelection.getState();
  return selection?.kind === 'device' ? selection.ordinal : (useApp.getState().devices[0]?.ordinal ?? 0);
}

const tools: readonly Tool[] = [
  { title: 'New buffer', icon: 'buffer', run: () => openDialog({ kind: 'new-buffer' }) },
  { title: 'New event', icon: 'event', run: () => openDialog({ kind: 'new-event' }) },
  { title: 'Import handle', icon: 'import', run: () => openDialog({ kind: 'import' }) },
];
const demos: readonly Tool[] = [
  { title: 'New producer', icon: 'exporter', tone: 'exporter', run: () => void openDemo('producer', deviceForNew()) },
  { title: 'New consumer', icon: 'importer', tone: 'importer', run: () => void openDemo('consumer', deviceForNew()) },
];

const toolCommands: readonly Command[] = [...tools, ...demos].map(({ title, icon, run }) => ({
  id: `handles.${title.toLowerCase().replace(' ', '-')}`,
  title: title === 'New producer' || title === 'New consumer' ? title : `${title}…`,
  group: 'Create',
  icon,
  run,
}));

export interface HandlesPaneProps {
  /** What stands in place of the table while there is nothing to list. */
  readonly firstRun?: ReactNode;
  /** At the right end of the tools. */
  readonly end?: ReactNode;
}

/** What is shared: the tools that make things, and the table of memory and events. */
export function HandlesPane({ firstRun, end }: HandlesPaneProps) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const narrow = useNarrow();
  const groups = useLedger((ledger) => groupsOf(ledger).list);
  const peers = useLedger((ledger) => ledger.peers);
  const keep = useSelectedObject();
  const settings = useSettings(({ tables }) => tables.handles);
  const table = useMemo(() => readTableSettings(settings), [settings]);
  const filter = useMemo(() => parseFilter(text), [text]);
  const now = useLeavingTime(groups.some(({ endedAt }) => endedAt !== undefined));
  const { rows, total } = useMemo(
    () => buildRows({ groups, peers, filter, sort: table.sort, now, keep }),
    [groups, peers, filter, table.sort, now, keep],
  );
  useCommands(
    useMemo(
      () => [
        ...toolCommands,
        {
          id: 'handles.filter',
          title: 'Filter handles',
          group: 'Move',
          keys: ['/'],
          run: () => input.current?.select(),
        },
      ],
      [],
    ),
  );
  const started = firstRun === undefined;
  return (
    <section className="pane handles" aria-label="Shared memory and events" data-area="handles">
      <div className="bar" role="toolbar" aria-label="Handle tools">
        <FilterField
          ref={input}
          className="grow"
          label="Filter handles"
          placeholder={total === 0 ? 'Nothing to filter yet' : `Filter ${count(total, 'row')}`}
          value={text}
          parts={filter.parts}
          onChange={setText}
          keys="/"
        />
        {tools.map((tool) => (
          <ToolButton key={tool.title} tool={tool} iconOnly={narrow} />
        ))}
        <span className="rule" />
        {demos.map((tool) => (
          <ToolButton key={tool.title} tool={tool} iconOnly={false} />
        ))}
        {end}
      </div>
      <HandleGrid rows={rows} peers={peers} table={table} narrow={narrow} unseen={!started || rows.length === 0} />
      {started && rows.length === 0 && filter.test !== undefined && (
        <Banner
          icon="info"
          tone="dim"
          title={`No handle matches “${text.trim()}”`}
          action={
            <LinkButton
              onClick={() => {
                setText('');
                input.current?.focus();
              }}
            >
              Clear it
            </LinkButton>
          }
        >
          {count(total, 'row is', 'rows are')} hidden by the filter.{' '}
          {filter.parts.find(({ problem }) => problem)?.problem}
        </Banner>
      )}
      {started && rows.length === 0 && filter.test === undefined && (
        <EmptyState title="No memory and no events yet">
          Buffers and events appear here as soon as a process makes them.
        </EmptyState>
      )}
      {firstRun}
    </section>
  );
}

/** The present, while rows are about to leave; otherwise the moment it was last needed, so that nothing is redone. */
function useLeavingTime(leaving: boolean): number {
  const now = useNow();
  const last = useRef(now);
  if (leaving) last.current = now;
  return last.current;
}

function ToolButton({ tool, iconOnly }: { tool: Tool; iconOnly: boolean }) {
  return (
    <Button
      icon={tool.icon}
      iconTone={tool.tone}
      aria-label={iconOnly ? tool.title : undefined}
      title={iconOnly ? tool.title : undefined}
      onClick={tool.run}
    >
      {iconOnly ? undefined : tool.title}
    </Button>
  );
}
