/** What the handlers work with. */
import type { settingsSchema } from '#contract/settings';
import type { FileDialogs } from '../contents/dialogs';
import type { ContentWork } from '../contents/work';
import type { DemoWindows } from '../demo/demo-windows';
import type { Supervisor } from '../hosts/supervisor';
import type { Ledger } from '../ledger/ledger';
import type { OutsideExporters } from '../ledger/outside';
import type { JsonStore } from '../settings/json-store';
import type { Trials } from '../trial/trials';

export interface Services {
  readonly version: string;
  readonly electron: string;
  readonly ledger: Ledger;
  readonly supervisor: Supervisor;
  readonly demos: DemoWindows;
  readonly outside: OutsideExporters;
  readonly trials: Trials;
  readonly work: ContentWork;
  readonly dialogs: FileDialogs;
  /** The text on the system's clipboard. */
  readonly clipboardText: () => Promise<string>;
  readonly settings: JsonStore<typeof settingsSchema>;
  /** Puts new settings into force, in main and in every window. */
  readonly applySettings: () => void;
  readonly playDemo: () => Promise<void>;
}
