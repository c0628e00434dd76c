import { beforeEach, expect, test, vi } from 'vitest';
import { defaultSettings, type Settings } from '#contract/settings';

/** Main as a window sees it: it takes changes in their order, and tells of each before it answers. */
class Main {
  value: Settings = defaultSettings;
  listener: (settings: Settings) => void = () => undefined;
  private readonly waiting: (() => void)[] = [];

  /** Lets the oldest call that waits be handled: it is told to the window, then answered. */
  async handle(): Promise<void> {
    this.waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  }

  private call<T>(answer: () => T): Promise<T> {
    return new Promise((resolve) => this.waiting.push(() => resolve(answer())));
  }

  readonly api = {
    settings: {
      get: () => this.call(() => ({ ok: true, value: this.value })),
      set: (change: Partial<Settings>) =>
        this.call(() => {
          if (change.followHz === 60) return { ok: false, error: { code: 'invalid-argument', message: 'too much' } };
          this.tell(change);
          return { ok: true, value: this.value };
        }),
      subscribe: (listener: (settings: Settings) => void) => {
        this.listener = listener;
      },
    },
  };

  /** What another window does. */
  tell(change: Partial<Settings>): void {
    this.value = { ...this.value, ...change };
    this.listener(this.value);
  }
}

let main: Main;
let store: typeof import('./settings-store');
const settings = () => store.useSettingsStore.getState().settings;

beforeEach(async () => {
  vi.resetModules();
  main = new Main();
  vi.stubGlobal('window', { gpuIpc: main.api, matchMedia: () => ({ matches: false, addEventListener: () => {} }) });
  vi.stubGlobal('document', { documentElement: { dataset: {} } });
  store = await import('./settings-store');
  const connected = store.connectSettings();
  await main.handle();
  await connected;
});

test('the echo of an older change does not undo a newer one', async () => {
  void store.setSettings({ contents: { structure: { format: 'u32 a;' } } });
  void store.setSettings({ contents: { structure: { format: 'u32 ab;' } } });
  await main.handle();
  expect(settings().contents).toEqual({ structure: { format: 'u32 ab;' } });
  await main.handle();
  expect(settings().contents).toEqual({ structure: { format: 'u32 ab;' } });
  expect(main.value.contents).toEqual({ structure: { format: 'u32 ab;' } });
});

test('other windows change what is not under way here, and everything once it is answered', async () => {
  void store.setSettings({ followHz: 5 });
  main.tell({ theme: 'dark', followHz: 2 });
  expect(settings()).toMatchObject({ theme: 'dark', followHz: 5 });
  await main.handle();
  expect(settings()).toMatchObject({ theme: 'dark', followHz: 5 });
  main.tell({ followHz: 20 });
  expect(settings().followHz).toBe(20);
});

test('a change made before the first settings are there is kept with them', async () => {
  main.value = { ...main.value, density: 'roomy' };
  const connected = store.connectSettings();
  void store.setSettings({ byteGroup: 8 });
  await main.handle();
  await connected;
  expect(settings()).toMatchObject({ density: 'roomy', byteGroup: 8 });
});

test('a column that is being dragged keeps its width while other settings change', () => {
  store.setTable('handles', { width: 80 }, { keep: false });
  main.tell({ theme: 'light' });
  expect(settings()).toMatchObject({ theme: 'light', tables: { handles: { width: 80 } } });
});

test('what could not be kept stays until somebody changes it', async () => {
  void store.setSettings({ followHz: 60 });
  await main.handle();
  expect(settings().followHz).toBe(60);
  main.tell({ followHz: 1 });
  expect(settings().followHz).toBe(1);
});
