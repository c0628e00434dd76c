/** What happens in windows: our app against a bare Electron app, both real, driven by Playwright. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { electronFlags } from '../scripts/lib/electron.mjs';
import { at, root } from '../scripts/lib/paths.mjs';
import { start, stop } from '../scripts/lib/process.mjs';
import { Stop } from '../scripts/lib/terminal.mjs';

const PAGE = 65_536;
const BATCHES = 40;
const BATCH_CALLS = 25;
const STARTS = 5;
/** After this time an app has long shown its window. */
const SETTLE_MS = 4000;
const ROWS = 10_000;
/** How long the table is scrolled, in milliseconds. */
const SCROLL_MS = 5000;

/**
 * Starts an app with an empty profile, as a person would, and only afterwards connects to its window: a test driver that
 * is attached from the start holds the app back.
 * @param {string} electron @param {string} folder @param {NodeJS.ProcessEnv} env
 */
export async function launch(electron, folder, env) {
  const profile = mkdtempSync(join(tmpdir(), 'gpu-ipc-bench-'));
  const { ELECTRON_RUN_AS_NODE: _, ...clean } = env;
  const began = Date.now();
  const args = [...electronFlags(), '--disable-gpu', '--remote-debugging-port=0', `--user-data-dir=${profile}`, folder];
  const child = start(electron, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...clean, XDG_CONFIG_HOME: profile },
  });
  const endpoint = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.setEncoding('utf8').on('data', (more) => {
      text += more;
      const [, found] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Stop(`Electron ended with exit code ${code}:\n${text}`)));
  });
  await delay(SETTLE_MS);
  const browser = await chromium.connectOverCDP(endpoint);
  const pages = () => browser.contexts().flatMap((context) => context.pages());
  const [page] = pages();
  if (!page) throw new Stop(`No window opened within ${SETTLE_MS} ms.`);
  await page.waitForLoadState();
  const close = async () => {
    await browser.close();
    await stop(child);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { page, pages, began, close };
}

/**
 * Milliseconds from starting the process to the mark in its window.
 * @param {string} electron @param {string} folder @param {NodeJS.ProcessEnv} env
 * @param {string} mark name of the performance mark
 */
async function startTime(electron, folder, env, mark) {
  const { page, began, close } = await launch(electron, folder, env);
  const shown = await page.evaluate((name) => {
    const [entry] = performance.getEntriesByName(name);
    return entry && performance.timeOrigin + entry.startTime;
  }, mark);
  await close();
  if (shown === undefined) throw new Stop(`The window had no mark ${mark} after ${SETTLE_MS} ms.`);
  return shown - began;
}

/**
 * @param {string} electron its executable @param {NodeJS.ProcessEnv} env with a display and the driver to use
 * @returns {Promise<{ bare: number[], app: number[] }>} milliseconds from start to an empty window, and to the devices
 */
export async function measureStart(electron, env) {
  /** @type {{ bare: number[], app: number[] }} */
  const times = { bare: [], app: [] };
  for (let i = -1; i < STARTS; i++) {
    const bare = await startTime(electron, at('bench/bare'), env, 'shown');
    const app = await startTime(electron, root, env, 'devices-shown');
    if (i < 0) continue; // the first start fills the file cache
    times.bare.push(bare);
    times.app.push(app);
  }
  return times;
}

/**
 * A page of 64 KiB: from the driver to our window, and from the main process to a bare one, in turn.
 * @param {string} electron @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ bare: number[], app: number[] }>} milliseconds for one page, each the mean of a batch
 */
export async function measurePage(electron, env) {
  const bare = await launch(electron, at('bench/bare'), env);
  const app = await launch(electron, root, env);
  const id = await app.page.evaluate(async (bytes) => {
    const created = await window.gpuIpc.buffers.create({ device: 0, bytes });
    if (!created.ok) throw new Error(created.error.message);
    return created.value.id;
  }, PAGE);
  await readAsPagesDo(app.page);
  /** @type {{ bare: number[], app: number[] }} */
  const times = { bare: [], app: [] };
  for (let batch = -3; batch < BATCHES; batch++) {
    const one = await bare.page.evaluate(
      async ([calls, length]) => {
        const { bytes } = /** @type {{ bytes: (length: number) => Promise<Uint8Array> }} */ (
          Reflect.get(window, 'bare')
        );
        const began = performance.now();
        for (let i = 0; i < calls; i++) await bytes(length);
        return (performance.now() - began) / calls;
      },
      /** @type {const} */ ([BATCH_CALLS, PAGE]),
    );
    const ours = await app.page.evaluate(
      async ([calls, length, bufferId]) => {
        const { readMemory } = /** @type {{ readMemory: (args: object) => Promise<unknown> }} */ (
          Reflect.get(window, 'bench')
        );
        const began = performance.now();
        for (let i = 0; i < calls; i++) await readMemory({ id: bufferId, offset: 0, length });
        return (performance.now() - began) / calls;
      },
      /** @type {const} */ ([BATCH_CALLS, PAGE, id]),
    );
    if (batch < 0) continue;
    times.bare.push(one);
    times.app.push(ours);
  }
  await bare.close();
  await app.close();
  return times;
}

/**
 * Gives a page of the app `bench.readMemory`, which reads through a port as src/renderer/lib/read-memory.ts does: the
 * app's own pages keep that to themselves.
 * @param {import('@playwright/test').Page} page
 */
function readAsPagesDo(page) {
  return page.evaluate(() => {
    const { port1, port2 } = new MessageChannel();
    /** @type {Map<number, (page: unknown) => void>} */
    const pending = new Map();
    let lastId = 0;
    port1.onmessage = ({ data: [id, bytes] }) => {
      pending.get(id)?.(bytes);
      pending.delete(id);
    };
    window.postMessage('gpu-ipc:bytes-port', window.location.origin, [port2]);
    const readMemory = async (/** @type {object} */ args) => {
      lastId += 1;
      const answered = new Promise((resolve) => pending.set(lastId, resolve));
      port1.postMessage([lastId, args]);
      if ((await answered) === undefined) throw new Error('the read failed');
    };
    Object.assign(window, { bench: { readMemory } });
  });
}

/**
 * The handle table with 10,000 rows, scrolled to and fro.
 * @param {string} electron @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ rows: number, frames: number[] }>} milliseconds between frames
 */
export async function measureScroll(electron, env) {
  const { page, close } = await launch(electron, root, env);
  await page.evaluate(async (rows) => {
    for (let made = 0; made < rows; made += 100) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          window.gpuIpc.buffers.create({ device: 0, bytes: 256, label: `row ${made + i}` }),
        ),
      );
      const failed = answers.find((answer) => !answer.ok);
      if (failed && !failed.ok) throw new Error(failed.error.message);
    }
  }, ROWS);
  const grid = page.getByRole('grid', { name: 'Handles' });
  await grid.getByText('row 0', { exact: true }).first().waitFor({ timeout: 30_000 });
  await page.waitForTimeout(1500); // the last ledger patches
  const rows = Number(await grid.getAttribute('aria-rowcount'));
  const frames = await grid.evaluate(async (element, duration) => {
    const scroller = [element, ...element.querySelectorAll('*')].find(
      (candidate) => candidate.scrollHeight > candidate.clientHeight + 1000,
    );
    if (!scroller) throw new Error('nothing scrolls in the grid');
    const range = scroller.scrollHeight - scroller.clientHeight;
    /** @type {number[]} */
    const deltas = [];
    const began = performance.now();
    let last = began;
    await new Promise((resolve) => {
      const step = (/** @type {number} */ now) => {
        deltas.push(now - last);
        last = now;
        const phase = (now - began) / duration;
        if (phase >= 1) return resolve(undefined);
        // Down and up again, twice, fast enough that every frame shows other rows.
        scroller.scrollTop = range * Math.abs(Math.sin(phase * 2 * Math.PI));
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
    return deltas.slice(2);
  }, SCROLL_MS);
  await close();
  if (rows < ROWS) throw new Stop(`The table says that it has ${rows} rows, not ${ROWS}.`);
  return { rows, frames };
}
