import './handles.css';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { openDemo } from '../../lib/actions';
import { type AppStore, useApp } from '../../lib/app-store';
import { useNow } from '../../lib/clock';
import { type Command, useCommands } from '../../lib/commands';
import { openDialog } from '../../lib/dialogs';
import { count } from '../../lib/format';
import { groupsOf } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { useMedia, useNarrow } from '../../lib/media';
import { useSelectedObject, useSelection } from '../../lib/selection-store';
import { useSettings } from '../../lib/settings-store';
import { Banner } from '../../ui/Banner';
import { Button, IconButton, LinkButton } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { FilterField } from '../../ui/FilterField';
import type { IconName } from '../../ui/icons';
import { Menu } from '../../ui/Menu';
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
/** What is made less often, in a menu. */
const further: readonly Tool[] = [
  { title: 'New pool', icon: 'pool', run: () => openDialog({ kind: 'new-pool' }) },
  { title: 'New physical memory', icon: 'physical', run: () => openDialog({ kind: 'new-physical' }) },
  { title: 'Reserve addresses', icon: 'buffer', run: () => openDialog({ kind: 'reserve' }) },
];
const demos: readonly Tool[] = [
  { title: 'New producer', icon: 'exporter', tone: 'exporter', run: () => void openDemo('producer', deviceForNew()) },
  { title: 'New consumer', icon: 'importer', tone: 'importer', run: () => void openDemo('consumer', deviceForNew()) },
];

const toolCommands: readonly Command[] = [...tools, ...further, ...demos].map(({ title, icon, run }) => ({
  id: `handles.${title.toLowerCase().replaceAll(' ', '-')}`,
  title: title === 'New producer' || title === 'New consumer' ? title : `${title}…`,
  group: 'Create',
  icon,
  when: () => whyNot(useApp.getState()) === undefined,
  run,
}));

/** Why nothing can be made; undefined when something can. Until the driver has answered, it may be. */
const whyNot = ({ devices, devicesStatus, error }: Pick<AppStore, 'devices' | 'devicesStatus' | 'error'>) =>
  devices.length > 0 || devicesStatus === 'loading'
    ? undefined
    : (error?.message ?? 'There is no device to make it on.');

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
  // Between that and this the columns have room, and the words of the tools have not.
  const crowded = useMedia('(max-width: 1399px)');
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
  const reason = useApp(whyNot);
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
          <ToolButton key={tool.title} tool={tool} iconOnly={narrow || crowded} whyNot={reason} />
        ))}
        <Menu
          label="More to create"
          trigger={<IconButton icon="plus" label="More to create" title="Pools, physical memory, addresses" />}
          items={further.map(({ title, icon, run }) => ({
            label: `${title}…`,
            icon,
            disabled: reason !== undefined,
            onSelect: run,
          }))}
        />
        <span className="rule" />
        {demos.map((tool) => (
          <ToolButton key={tool.title} tool={tool} iconOnly={false} whyNot={reason} />
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

interface ToolButtonProps {
  readonly tool: Tool;
  readonly iconOnly: boolean;
  /** Given, it does nothing but say so: it can still be reached, so that the reason can be read. */
  readonly whyNot: string | undefined;
}

function ToolButton({ tool, iconOnly, whyNot }: ToolButtonProps) {
  return (
    <Button
      icon={tool.icon}
      iconTone={tool.tone}
      aria-label={iconOnly ? tool.title : undefined}
      title={whyNot ?? (iconOnly ? tool.title : undefined)}
      aria-disabled={whyNot === undefined ? undefined : true}
      onClick={whyNot === undefined ? tool.run : undefined}
    >
      {iconOnly ? undefined : tool.title}
    </Button>
  );
}
