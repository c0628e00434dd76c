/** How long after a click on a mapping its first bytes are on screen: one of 100 GiB beside one of 1 MiB. */
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../scripts/lib/paths.mjs';
import { Stop } from '../scripts/lib/terminal.mjs';
import { launch } from './windows.mjs';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const SMALL = MIB;
const LARGE_GIB = 100;
const ROUNDS = 25;
/** The first rounds warm up. */
const WARM = 3;
const MARK_BYTES = 8;
/** Left free beside the large memory, in GiB. */
const SPARE_GIB = 1;
const WINDOW_MS = 20_000;
/** Pause before a click, with as much again at random: no click keeps step with what the window does ten times a second. */
const PAUSE_MS = 150;

/** @typedef {import('@playwright/test').Page} Page */

/**
 * A producer has both memories, the Inspector both mappings open. Before each click the producer writes a new mark into
 * the first bytes, so that nothing but a read after the click can show it.
 * @param {string} electron its executable @param {NodeJS.ProcessEnv} env with a display and the driver to use
 * @returns {Promise<{ small: number[], large: number[], largeGiB: number }>} milliseconds from the click to the frame that
 *   shows the first bytes, and the size of the large mapping
 */
export async function measureFirstPage(electron, env) {
  // The simulator's memory is sparse: its device may have more than the machine.
  const own = { GPU_IPC_SIM_MEMORY: '128GiB', GPU_IPC_SIM_MACHINE: `bench ${process.pid}` };
  const { page, pages, close } = await launch(electron, root, { ...own, ...env });
  try {
    const producer = await openProducer(page, pages);
    const small = await share(page, producer, 'small', SMALL);
    const largeGiB = await fitting(producer);
    const large = await share(page, producer, 'large', largeGiB * GIB);
    /** @type {{ small: number[], large: number[], largeGiB: number }} */
    const times = { small: [], large: [], largeGiB };
    for (let round = -WARM; round < ROUNDS; round++) {
      for (const [label, id] of /** @type {const} */ ([
        ['large', large],
        ['small', small],
      ])) {
        const mark = crypto.getRandomValues(new Uint8Array(MARK_BYTES));
        await value(producer, 'buffers.write', { id, offset: 0 }, [...mark]);
        await delay(PAUSE_MS * (1 + Math.random()));
        const ms = await clickToFrame(page, label, Buffer.from(mark).toString('hex'));
        if (round >= 0) times[label].push(ms);
      }
    }
    return times;
  } finally {
    await close();
  }
}

/** @param {Page} page @param {() => Page[]} pages @returns {Promise<Page>} the window of a new producer */
async function openProducer(page, pages) {
  const { peerId } = await value(page, 'demo.open', { role: 'producer', device: 0 });
  const until = Date.now() + WINDOW_MS;
  while (Date.now() < until) {
    for (const other of pages()) {
      const info = await value(other, 'app.info', {}).catch(() => undefined);
      if (info?.self.peerId === peerId) return other;
    }
    await delay(100);
  }
  throw new Stop(`No producer window opened within ${WINDOW_MS} ms.`);
}

/** Memory of the producer, open in the Inspector. @param {Page} page @param {Page} producer @param {string} label @param {number} bytes @returns {Promise<string>} its id with the producer */
async function share(page, producer, label, bytes) {
  const { id } = await value(producer, 'buffers.create', { device: 0, bytes, label, dtype: 'u8' });
  const { id: exportId } = await value(producer, 'buffers.export', { id });
  await value(page, 'imports.open', { exportId, device: 0 });
  return id;
}

/** @param {Page} producer one that has used the device, so that free memory is known @returns {Promise<number>} GiB, 100 or what fits */
async function fitting(producer) {
  const [device] = await value(producer, 'devices.list', {});
  const free = Math.floor((device?.freeBytes ?? 0) / GIB) - SPARE_GIB;
  if (free < 1) throw new Stop('The device has not even 1 GiB free: no first page of a large mapping was measured.');
  return Math.min(LARGE_GIB, free);
}

/**
 * Clicks a mapping in the table, and waits for the frame that shows its first bytes.
 * @param {Page} page @param {string} label @param {string} mark its first bytes in hex digits
 * @returns {Promise<number>} milliseconds from the event of the mouse to after that frame
 */
async function clickToFrame(page, label, mark) {
  const row = page.getByRole('grid', { name: 'Handles' }).getByText(label, { exact: true }).first();
  const shown = await page.evaluateHandle((digits) => {
    /** @type {number | undefined} */
    let pressed;
    addEventListener('pointerdown', ({ timeStamp }) => (pressed ??= timeStamp), { capture: true, once: true });
    const firstBytes = () => {
      const heads = document.querySelectorAll('[role="grid"][aria-label="Bytes"] [role="rowheader"]');
      const first = [...heads].find((head) => /^0+\s*$/.test(head.textContent ?? ''))?.closest('[role="row"]');
      return [...(first?.querySelectorAll('[role="gridcell"]') ?? [])]
        .slice(0, digits.length / 2)
        .map((cell) => cell.textContent?.trim())
        .join('');
    };
    /** @type {Promise<number>} */
    const frame = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (pressed === undefined || firstBytes() !== digits) return;
        observer.disconnect();
        const began = pressed;
        requestAnimationFrame(() => {
          // A message comes after the frame that this callback belongs to.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now() - began);
          port2.postMessage(undefined);
        });
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    // In an object: a promise itself would be waited for here.
    return { frame };
  }, mark);
  await row.click();
  const late = new Stop(`The first bytes of ${label} were not on screen after ${WINDOW_MS} ms.`);
  return Promise.race([
    shown.evaluate(({ frame }) => frame),
    delay(WINDOW_MS, undefined, { ref: false }).then(() => Promise.reject(late)),
  ]);
}

/**
 * Makes one call of the contract in a page.
 * @param {Page} page @param {string} name `buffers.create` @param {Record<string, unknown>} args
 * @param {readonly number[]} [bytes] what is passed as `bytes`
 * @returns {Promise<any>} its value
 */
function value(page, name, args, bytes) {
  return page.evaluate(
    async ([call, given, data]) => {
      const [group = '', method = ''] = call.split('.');
      const answer = await Reflect.get(
        Reflect.get(window.gpuIpc, group),
        method,
      )(data === undefined ? given : { ...given, bytes: Uint8Array.from(data) });
      if (!answer.ok) throw new Error(`${call}: ${answer.error.message}`);
      return answer.value;
    },
    /** @type {const} */ ([name, args, bytes]),
  );
}
