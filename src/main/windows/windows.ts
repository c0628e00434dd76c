/** Makes the app's windows and knows them: the Inspector, and one for every demo producer and consumer. */
import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, dialog, nativeTheme, type Rectangle, screen } from 'electron';
import type { Pushes, PushName } from '#contract/api';
import { pushChannel } from '#contract/channels';
import type { LedgerPatch } from '#contract/records';
import type { Role } from '#contract/values';
import { ORIGIN } from '../origin';
import type { JsonStore } from '../settings/json-store';
import { windowBackground } from '../settings/theme';
import { isReachable, type windowBoundsSchema } from '../settings/window-bounds';
import { isPress } from './press';
import { type WindowRecord, WindowRegistry } from './registry';

const preload = fileURLToPath(new URL('../preload/index.cjs', import.meta.url));

const sizes = {
  inspector: { width: 1440, height: 900, minWidth: 1024, minHeight: 640 },
  demo: { width: 520, height: 760, minWidth: 480, minHeight: 640 },
} as const;

/** How far each further demo window lies from the one before. */
const CASCADE_PX = 32;
/** A window shows itself when it is painted, and at the latest after this. */
const SHOW_AFTER_MS = 1_000;
/** A page that dies again within this time waits as long before it is loaded again. */
const RELOAD_PAUSE_MS = 3_000;

export interface WindowOptions {
  readonly role: Role;
  readonly name: string;
  readonly title: string;
  readonly peerId: () => string;
  readonly onClosed: () => void;
  /** What to ask before the window closes; undefined when there is nothing to ask. */
  readonly question?: () => Question | undefined;
}

export interface Question {
  readonly message: string;
  readonly detail: string;
}

export class Windows {
  readonly registry = new WindowRegistry();
  private readonly windows = new Map<number, BrowserWindow>();
  /** Of web contents whose windows close without a question. */
  private readonly unasked = new Set<number>();
  private demosOpened = 0;
  private isLeaving = false;

  constructor(private readonly remembered: JsonStore<typeof windowBoundsSchema>) {
    nativeTheme.on('updated', () => {
      for (const window of this.windows.values()) window.setBackgroundColor(background());
    });
  }

  /** Opens a window and loads its page. Answers the id of its web contents, by which the registry knows it. */
  open(options: WindowOptions): number {
    const size = options.role === 'inspector' ? sizes.inspector : sizes.demo;
    const window = new BrowserWindow({
      ...size,
      ...(options.role === 'inspector' ? this.rememberedBounds() : this.cascade()),
      title: options.title,
      show: false,
      backgroundColor: background(),
      webPreferences: {
        preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        webviewTag: false,
        spellcheck: false,
        devTools: !app.isPackaged,
      },
    });
    const { id } = window.webContents;
    this.windows.set(id, window);
    const record: WindowRecord = {
      id,
      role: options.role,
      name: options.name,
      peerId: options.peerId,
      hearsLedger: false,
      lastPatch: 0,
    };
    this.registry.add(record);
    // A page that loads again knows nothing of what the one before it got. Not when a navigation starts: one that is
    // refused starts too, as when a file is dropped on the window, and then the same page goes on.
    window.webContents.on('did-navigate', () => Object.assign(record, { hearsLedger: false, lastPatch: 0 }));

    // What a page makes up itself, as with dispatchEvent, does not come by here.
    window.webContents.on('input-event', (_event, { type }) => {
      if (isPress(type)) record.lastPress = Date.now();
    });

    window.setMenuBarVisibility(false);
    window.on('page-title-updated', (event) => event.preventDefault());
    showWhenPainted(window);
    reloadWhenGone(window);
    if (options.role === 'inspector') this.remember(window);
    if (options.question !== undefined) this.askBeforeClosing(window, options.question);
    window.on('closed', () => {
      this.windows.delete(id);
      this.unasked.delete(id);
      this.registry.remove(id);
      options.onClosed();
    });
    const home = `${ORIGIN}/${options.role}.html`;
    const load = () =>
      window.loadURL(home).catch((error: unknown) => {
        // Closing a window ends its loading; anything else is an incomplete build.
        if (!this.isLeaving && !window.isDestroyed()) console.error(String(error));
      });
    // Electron asks nobody before a page goes to about:blank; it comes back.
    window.webContents.on('did-navigate', (_event, url) => {
      if (url !== home) void load();
    });
    void load();
    return id;
  }

  get(id: number): BrowserWindow | undefined {
    return this.windows.get(id);
  }

  /** All windows, in the order in which they were opened. */
  all(): BrowserWindow[] {
    return [...this.windows.values()];
  }

  /** Closes a window whatever its question is. */
  closeUnasked(id: number): void {
    const window = this.windows.get(id);
    if (window === undefined) return;
    this.unasked.add(id);
    window.close();
  }

  setTitle(id: number, title: string): void {
    this.windows.get(id)?.setTitle(title);
  }

  focus(id: number): void {
    const window = this.windows.get(id);
    if (window?.isMinimized()) window.restore();
    window?.show();
    window?.focus();
  }

  /** Takes the windows away from sight, before what is behind them ends. */
  hideAll(): void {
    this.isLeaving = true;
    for (const window of this.windows.values()) window.hide();
  }

  /** Sends a patch of the ledger to every window that has asked for a snapshot. */
  pushPatch(patch: LedgerPatch): void {
    for (const record of this.registry.all()) {
      if (!record.hearsLedger) continue;
      record.lastPatch = patch.seq;
      this.push(record.id, 'ledger.patch', patch);
    }
  }

  /** Tells one window something unasked. */
  push<P extends PushName>(id: number, name: P, value: Pushes[P]): void {
    const contents = this.windows.get(id)?.webContents;
    if (contents !== undefined && !contents.isDestroyed() && !contents.isCrashed()) {
      contents.send(pushChannel(name), value);
    }
  }

  /** A dialog of the system rather than of the page: a page that hangs must not keep its window from closing. */
  private askBeforeClosing(window: BrowserWindow, question: () => Question | undefined): void {
    const { id } = window.webContents;
    let asking = false;
    window.on('close', (event) => {
      // While the app leaves, all its processes end together.
      if (this.isLeaving || this.unasked.has(id)) return;
      const asked = asking ? undefined : question();
      if (!asking && asked === undefined) return;
      event.preventDefault();
      if (asked === undefined) return;
      asking = true;
      void dialog
        .showMessageBox(window, {
          type: 'warning',
          ...asked,
          buttons: ['Keep open', 'Close'],
          defaultId: 0,
          cancelId: 0,
          noLink: true,
        })
        .then(({ response }) => {
          if (response === 1) this.closeUnasked(id);
        })
        .catch((error: unknown) => console.error('Asking before closing failed:', error))
        .finally(() => {
          asking = false;
        });
    });
  }

  private rememberedBounds(): Partial<Rectangle> {
    const { inspector } = this.remembered.value;
    const screens = screen.getAllDisplays().map((display) => display.workArea);
    return inspector !== undefined && isReachable(inspector, screens) ? inspector : {};
  }

  private remember(window: BrowserWindow): void {
    if (this.remembered.value.maximized) window.maximize();
    const keep = () => {
      if (window.isDestroyed()) return;
      this.remembered.set({ inspector: window.getNormalBounds(), maximized: window.isMaximized() });
    };
    window.on('resize', keep);
    window.on('move', keep);
    window.on('maximize', keep);
    window.on('unmaximize', keep);
  }

  /** Demo windows stand beside each other from the right edge, each a little lower than the one before. */
  private cascade(): Partial<Rectangle> {
    const { workArea } = screen.getPrimaryDisplay();
    const step = this.demosOpened % 8;
    this.demosOpened += 1;
    const { width, height } = sizes.demo;
    const across = step % 2 === 0 ? 1 : 2;
    return {
      x: Math.max(workArea.x, workArea.x + workArea.width - across * (width + 16) - Math.floor(step / 2) * CASCADE_PX),
      y: Math.min(
        workArea.y + CASCADE_PX + Math.floor(step / 2) * CASCADE_PX,
        Math.max(workArea.y, workArea.y + workArea.height - height),
      ),
    };
  }
}

const background = (): string => windowBackground[nativeTheme.shouldUseDarkColors ? 'dark' : 'light'];

function showWhenPainted(window: BrowserWindow): void {
  const show = () => {
    clearTimeout(timer);
    if (!window.isDestroyed() && !window.isVisible()) window.show();
  };
  const timer = setTimeout(show, SHOW_AFTER_MS);
  window.once('ready-to-show', show);
}

/**
 * The page of a window can die without the process that it shows: it comes back and reads the ledger again. At once the
 * first time; one that dies again and again comes back after a pause each time, so that no window stays blank.
 */
function reloadWhenGone(window: BrowserWindow): void {
  let reloadedAt = 0;
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    const wait = Date.now() - reloadedAt < RELOAD_PAUSE_MS ? RELOAD_PAUSE_MS : 0;
    console.error(`The page of "${window.getTitle()}" ended (${details.reason}); loading it again.`);
    setTimeout(() => {
      if (window.isDestroyed() || !window.webContents.isCrashed()) return;
      reloadedAt = Date.now();
      window.webContents.reload();
    }, wait);
  });
}
