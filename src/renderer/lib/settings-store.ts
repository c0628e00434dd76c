/** Settings of the app as this window knows them; theme and density are put on <html>. */
import { create } from 'zustand';
import { toIpcError } from '#contract/result';
import { defaultSettings, type Settings } from '#contract/settings';
import { request } from './api';
import { reportFailure } from './notices';

export const useSettingsStore = create<{ readonly settings: Settings; readonly loaded: boolean }>(() => ({
  settings: defaultSettings,
  loaded: false,
}));

export const useSettings = <T>(select: (settings: Settings) => T): T =>
  useSettingsStore((store) => select(store.settings));

/** As main last told them. What was changed here since lies over them, so that an older echo undoes nothing. */
let told: Settings = defaultSettings;
/** Changes that main has not answered yet, in their order. */
let underWay: readonly Partial<Settings>[] = [];
/** Changes that are not to be kept yet, such as a column being dragged. */
let draft: Partial<Settings> = {};

function show(): void {
  useSettingsStore.setState({ settings: Object.assign({}, told, ...underWay, draft) });
}

function tell(settings: Settings): void {
  told = settings;
  show();
}

/** Changes settings here at once, then on disk and in every window. */
export async function setSettings(change: Partial<Settings>): Promise<void> {
  underWay = [...underWay, change];
  draft = Object.fromEntries(Object.entries(draft).filter(([name]) => !(name in change)));
  show();
  try {
    told = await request('settings.set', change);
  } catch (thrown) {
    // Not on disk, but what the person wants in this window.
    told = { ...told, ...change };
    reportFailure('Keep the settings', toIpcError(thrown));
  }
  underWay = underWay.filter((each) => each !== change);
  show();
}

function sketch(change: Partial<Settings>): void {
  draft = { ...draft, ...change };
  show();
}

const light = () => window.matchMedia('(prefers-color-scheme: light)');

/** `system` as what the system says now. */
export function resolvedTheme(theme: Settings['theme']): 'dark' | 'light' {
  return theme === 'system' ? (light().matches ? 'light' : 'dark') : theme;
}

function paint({ theme, density }: Settings): void {
  const { dataset } = document.documentElement;
  dataset.theme = resolvedTheme(theme);
  dataset.density = density;
}

/** Loads the settings, follows changes from other windows and from the system. Resolves when the first are there. */
export async function connectSettings(): Promise<void> {
  paint(defaultSettings);
  useSettingsStore.subscribe(({ settings }) => paint(settings));
  light().addEventListener('change', () => paint(useSettingsStore.getState().settings));
  window.gpuIpc.settings.subscribe(tell);
  try {
    tell(await request('settings.get'));
  } catch (thrown) {
    reportFailure('Read the settings', toIpcError(thrown));
  }
  useSettingsStore.setState({ loaded: true });
}

/** Changes what is kept of one table; `keep: false` while a column is still being dragged. */
export function setTable(name: string, value: unknown, { keep }: { readonly keep: boolean }): void {
  const { settings } = useSettingsStore.getState();
  const tables = { ...settings.tables, [name]: value };
  if (keep) void setSettings({ tables });
  else sketch({ tables });
}

/** Changes the size of one splitter; undefined puts it back to the size it has by itself. */
export function setLayout(
  name: string,
  value: readonly number[] | undefined,
  { keep }: { readonly keep: boolean },
): void {
  const { settings } = useSettingsStore.getState();
  const { [name]: _before, ...others } = settings.layout;
  const layout = value === undefined ? others : { ...others, [name]: [...value] };
  if (keep) void setSettings({ layout });
  else sketch({ layout });
}
