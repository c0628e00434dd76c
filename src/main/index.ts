/** Starts the app: one flow from the command line to the first window, with the driver host starting beside it. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, clipboard, nativeTheme } from 'electron';
import { toIpcError } from '#contract/result';
import { settingsSchema } from '#contract/settings';
import { simulatorPath, wishes } from './command-line';
import { fileDialogs } from './contents/dialogs';
import { ContentWork } from './contents/work';
import { DemoWindows } from './demo/demo-windows';
import { playHeadless } from './demo/headless';
import { play, type Stage } from './demo/play';
import { stageOf } from './demo/stage';
import { startCleaner } from './event-tables/cleaner';
import { EventTables } from './event-tables/event-tables';
import { mainHandlers } from './handlers/handlers';
import { startProcess } from './hosts/process-transport';
import { Supervisor } from './hosts/supervisor';
import { startThread } from './hosts/worker-transport';
import { listen } from './ipc';
import { Ledger } from './ledger/ledger';
import { OutsideExporters } from './ledger/outside';
import { quit, releaseBeforeQuit } from './lifecycle';
import { setMenu } from './menu';
import { registerScheme, servePages } from './protocol';
import { Router } from './router';
import { secureApp } from './security';
import { JsonStore } from './settings/json-store';
import { windowBoundsSchema } from './settings/window-bounds';
import { Trials } from './trial/trials';
import { Windows } from './windows/windows';

const HOUSEKEEPING_MS = 1_000;
/** How long a step of the demonstration stays before the next, where people watch. */
const BEAT_MS = 700;

// Whoever reads the output may go first (npm start | head). Electron would stop the app with an error box.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// A defect. What is left of the app may be wrong, and Electron's own error box would wait for somebody who may not be
// there: everything is released, as at any end, and the exit code says that it went wrong.
for (const defect of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(defect, (error: unknown) => {
    console.error(defect === 'uncaughtException' ? 'Uncaught exception:' : 'Unhandled rejection:', error);
    quit(1);
  });
}

// As root there is no sandbox to be had, and turning it on would keep Chromium's services from starting. Every window
// asks for it all the same.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
registerScheme();
secureApp();

const wished = wishes(process.argv.slice(1), process.env);
const beside = (name: string) => new URL(name, import.meta.url);
const userData = app.getPath('userData');

const eventTables = new EventTables({ records: join(userData, 'driver-processes') });
eventTables.started(process.pid);

const ledger = new Ledger({ deliver: (patch) => windows.pushPatch(patch) });
const library = simulatorPath(app.getAppPath(), app.isPackaged ? process.resourcesPath : undefined, process.env);
const supervisor = new Supervisor({
  ledger,
  startThread: () => startThread(beside('host-worker.js')),
  startProcess: (serviceName) => startProcess(beside('host-utility.js'), serviceName, eventTables),
  driver: wished.driver,
  simulatorPath: library,
  scratchFolder: join(userData, 'snapshots'),
  progress: (peerId, progress) => work.told(peerId, progress),
});
supervisor.startInspector();

const settings = new JsonStore(join(userData, 'settings.json'), settingsSchema);
const bounds = new JsonStore(join(userData, 'windows.json'), windowBoundsSchema);
nativeTheme.themeSource = settings.value.theme;

const windows = new Windows(bounds);
const work = new ContentWork({
  push: (windowId, progress) => windows.push(windowId, 'contents.progress', progress),
  windows: () => windows.registry.all(),
});
const demos = new DemoWindows(windows, supervisor, ledger);
const outside = new OutsideExporters(ledger);
const trials = new Trials({
  startProcess: (serviceName) => startProcess(beside('host-utility.js'), serviceName, eventTables),
  simulatorPath: library,
});

const applySettings = () => {
  nativeTheme.themeSource = settings.value.theme;
  for (const { id } of windows.registry.all()) windows.push(id, 'settings.changed', settings.value);
};

const stage = (manner: Pick<Stage, 'tell' | 'beat'>) =>
  stageOf({ router, demos, registry: windows.registry, inspectorPeerId: supervisor.inspectorPeerId }, manner);

const router: Router = new Router({
  handlers: mainHandlers({
    version: app.getVersion(),
    electron: process.versions.electron,
    ledger,
    supervisor,
    demos,
    outside,
    trials,
    work,
    dialogs: fileDialogs(windows),
    // Text at once or a promise of it, as the version of Electron has it.
    clipboardText: async () => clipboard.readText(),
    settings,
    applySettings,
    playDemo: async () => {
      await play(stage({ tell: () => {}, beat: BEAT_MS }));
    },
  }),
  host: (peerId) => supervisor.host(peerId),
  checkResults: !app.isPackaged && process.env.GPU_IPC_CHECK_RESULTS === '1',
});

const housekeeping = setInterval(() => {
  outside.look();
  ledger.sweep();
}, HOUSEKEEPING_MS);

releaseBeforeQuit({
  release: async () => {
    windows.hideAll();
    settings.flush();
    bounds.flush();
    clearInterval(housekeeping);
    await work.end();
    const [clean] = await Promise.all([supervisor.shutdown(), trials.stop()]);
    await eventTables.settle();
    eventTables.release();
    return clean;
  },
});

// Electron becomes ready only when this module has run: waiting for that here would wait for ever.
void app.whenReady().then(() => {
  servePages(fileURLToPath(beside('../renderer')), () => (nativeTheme.shouldUseDarkColors ? 'dark' : 'light'));
  setMenu();
  listen(router, windows.registry);
  windows.open({
    role: 'inspector',
    name: 'Inspector',
    title: 'GPU IPC Inspector',
    peerId: () => supervisor.inspectorPeerId,
    onClosed: () => quit(0),
  });
  eventTables.sweep();
  // Without a driver there are no tables.
  supervisor.driver().then(
    () => eventTables.cleanAfterMain(startCleaner),
    () => {},
  );
  if (wished.demo) playVisibly().catch(reportFailure);
  if (wished.demoHeadless) void playUnseen();
});

const playVisibly = () => play(stage({ tell: (line) => console.log(line), beat: BEAT_MS }));

async function playUnseen(): Promise<void> {
  try {
    await playHeadless({
      stage: stage({ tell: (line) => console.log(line), beat: 0 }),
      ledger,
      windows: () => windows.all(),
      closeDemoWindows: () => demos.closeAll(),
      picture: join(app.getAppPath(), 'out', 'demo.png'),
    });
    quit(0);
  } catch (error) {
    reportFailure(error);
    quit(1);
  }
}

function reportFailure(error: unknown): void {
  const { message, hint = '' } = toIpcError(error);
  console.error(`The demonstration failed: ${message} ${hint}`.trim());
}
