/**
 * `npm run bench`: ratios against a baseline that is measured in the same run on the same machine, because absolute
 * times say more about the machine than about the program. Prints a table and writes out/bench.json.
 *
 *   --out FILE    where the JSON goes
 *   --only PART   native, snapshot, kernels, page, first-page, start or scroll
 */
import { parseArgs } from 'node:util';
import { hasDisplay, virtualDisplay } from '../scripts/lib/display.mjs';
import { electronExecutable } from '../scripts/lib/electron.mjs';
import { at } from '../scripts/lib/paths.mjs';
import { writeWhole } from '../scripts/lib/stamp.mjs';
import { bold, dim, green, main, red, Stop, say } from '../scripts/lib/terminal.mjs';
import { measureFirstPage } from './first-page.mjs';
import { measureKernels, measureLibraries } from './kernels.mjs';
import { measureNative, measureSnapshot } from './native.mjs';
import { median, percentile } from './statistics.mjs';
import { measurePage, measureScroll, measureStart } from './windows.mjs';

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} baseline measured value with unit
 * @property {string} ours
 * @property {number} [ratio] ours by baseline
 * @property {string} [target] in words; absent for a row that only informs
 * @property {boolean} [met]
 */

await main(async () => {
  const { values } = parseArgs({ options: { out: { type: 'string' }, only: { type: 'string' } } });
  const wanted = (/** @type {string} */ part) => values.only === undefined || values.only === part;
  const electron = electronExecutable();
  if (!electron) throw new Stop('There is no Electron runtime yet: npm run setup');
  const real = process.env.GPU_IPC_DRIVER === 'real';
  const library = real ? 'libcuda.so.1' : at('build/native/libcuda-sim.so');
  say(
    `Driver: ${real ? 'real' : 'simulator'}. Each number is a median; spread is from the 10th to the 90th percentile.\n`,
  );

  const display = hasDisplay() ? undefined : await virtualDisplay();
  const env = { GPU_IPC_DRIVER: 'simulator', ...(display?.env ?? process.env) };
  /** @type {Row[]} */
  const rows = [];
  /** @type {Record<string, unknown>} */
  const samples = {};
  try {
    let contextMs = 0;
    if (wanted('native') || wanted('start')) {
      const native = await measureNative(library, electron);
      samples.native = native;
      contextMs = median(native.c.contextMs ?? []);
      if (wanted('native')) rows.push(...nativeRows(native));
    }
    if (wanted('snapshot')) {
      // The simulator's memory is that of the machine.
      const bytes = (real ? 8 : 1) * 1024 ** 3;
      const times = await measureSnapshot(library, electron, bytes);
      samples.snapshot = times;
      const text = `${bytes / 1024 ** 3} GiB`;
      rows.push(
        ratioRow(
          `Snapshot of ${text}, by a page-locked copy in C`,
          times.c.again ?? [],
          times.app.again ?? [],
          'ms',
          // At least 90 % of its speed.
          real ? 1 / 0.9 : undefined,
        ),
        ratioRow(
          `The first one, with the memory for it, by the same in C`,
          times.c.first ?? [],
          times.app.first ?? [],
          'ms',
        ),
      );
    }
    if (real && wanted('kernels')) {
      const measured = await measureKernels(library);
      samples.kernels = measured;
      rows.push(...measured.map(kernelRow));
      const libraries = await measureLibraries();
      samples.libraries = libraries;
      rows.push(...libraries.map((compared) => libraryRow(compared, measured)));
    }
    if (wanted('page')) {
      const times = await measurePage(electron, env);
      samples.page = times;
      rows.push(
        ratioRow(
          '64 KiB from the driver to the window, by a bare Electron round trip',
          times.bare,
          times.app,
          'ms',
          1.5,
        ),
      );
    }
    if (wanted('first-page')) {
      const first = await measureFirstPage(electron, env);
      samples.firstPage = first;
      rows.push(firstPageRow(first));
    }
    if (wanted('start')) {
      const times = await measureStart(electron, env);
      samples.start = times;
      rows.push(startRow(times, contextMs));
    }
    if (wanted('scroll')) {
      const scroll = await measureScroll(electron, env);
      samples.scroll = scroll;
      rows.push(scrollRow(scroll));
    }
  } finally {
    await display?.stop();
  }
  print(rows);
  const file = values.out ?? at('out/bench.json');
  writeWhole(
    file,
    `${JSON.stringify({ driver: real ? 'real' : 'simulator', library, rows, samples }, undefined, 1)}\n`,
  );
  say(dim(`\nAll samples: ${file}`));
  return rows.some((row) => row.met === false) ? 1 : 0;
});

/** @param {Awaited<ReturnType<typeof measureNative>>} native */
function nativeRows({ c, node, electron }) {
  /** @type {Row[]} */
  const rows = [];
  for (const [where, samples] of /** @type {const} */ ([
    ['Node', node],
    ['Electron', electron],
  ])) {
    rows.push(
      ratioRow(
        `cuIpcGetMemHandle in ${where}, by C`,
        c.cuIpcGetMemHandle ?? [],
        samples.cuIpcGetMemHandle ?? [],
        'ns',
        5,
      ),
    );
    // Does next to nothing, so this is what a call through koffi costs at least.
    rows.push(
      ratioRow(`cuCtxGetCurrent in ${where}, by C`, c.cuCtxGetCurrent ?? [], samples.cuCtxGetCurrent ?? [], 'ns'),
    );
    for (const [name, text] of /** @type {const} */ ([
      ['copy64KiB', '64 KiB'],
      ['copy1MiB', '1 MiB'],
      ['copy64MiB', '64 MiB'],
    ])) {
      rows.push(
        ratioRow(`Copy of ${text} in ${where}, by C (page-locked)`, c[name] ?? [], samples[name] ?? [], 'µs', 1.1),
      );
    }
  }
  return rows;
}

/**
 * @param {string} what @param {number[]} baseline @param {number[]} ours @param {string} unit
 * @param {number} [target] largest ratio; none for a row that only informs
 * @returns {Row}
 */
function ratioRow(what, baseline, ours, unit, target) {
  const ratio = median(ours) / median(baseline);
  return {
    what,
    baseline: value(baseline, unit),
    ours: value(ours, unit),
    ratio,
    ...(target !== undefined && { target: `≤ ${Number(target.toFixed(2))} ×`, met: ratio <= target }),
  };
}

/** @param {import('./kernels.mjs').Measured} measured @returns {Row} */
function kernelRow({ kernel, GiB, TB_per_s: rate, by_copy: ratio, again_TB_per_s: again, result }) {
  // Of these types the kernels have to keep up with a copy.
  const fast = ['bytes', 'bf16', 'f32', 'f64'].includes(kernel) && GiB >= 16;
  return {
    what: `Statistics of ${GiB} GiB of ${kernel}, by a copy within the device`,
    baseline: `${(rate / ratio).toFixed(2)} TB/s`,
    // Passes that follow each other run into the limit of power.
    ours: result === 'right' ? `${rate.toFixed(2)} TB/s (${again.toFixed(2)} again and again)` : result,
    ratio,
    ...(fast && { target: '≥ 0.9 ×', met: result === 'right' && ratio >= 0.9 }),
  };
}

/**
 * How many times as fast as a library.
 * @param {import('./kernels.mjs').Compared} compared
 * @param {readonly import('./kernels.mjs').Measured[]} measured
 * @returns {Row}
 */
function libraryRow({ library, kernel, GiB, TB_per_s: rate, problem }, measured) {
  const ours = measured.filter((row) => row.kernel === kernel && row.GiB <= 16 && row.result === 'right').at(-1);
  return {
    what: `Statistics of ${ours?.GiB ?? '–'} GiB of ${kernel}, by those of ${library} (${GiB} GiB)`,
    baseline: rate > 0 ? `${rate.toFixed(4)} TB/s` : problem,
    ours: ours ? `${ours.TB_per_s.toFixed(2)} TB/s` : '–',
    ...(ours && rate > 0 && { ratio: ours.TB_per_s / rate }),
  };
}

/** @param {{ bare: number[], app: number[] }} times @param {number} contextMs @returns {Row} */
function startRow({ bare, app }, contextMs) {
  const allowed = median(bare) * 1.5 + contextMs;
  return {
    what: 'Start to the first list of devices, by an empty window',
    baseline: value(bare, 'ms'),
    ours: value(app, 'ms'),
    ratio: median(app) / median(bare),
    target: `≤ 1.5 × + driver initialisation (${contextMs.toFixed(0)} ms) = ${allowed.toFixed(0)} ms`,
    met: median(app) <= allowed,
  };
}

/** @param {Awaited<ReturnType<typeof measureFirstPage>>} first @returns {Row} */
function firstPageRow({ small, large, largeGiB }) {
  const size = largeGiB === 100 ? '100 GiB' : `${largeGiB} GiB (100 do not fit)`;
  // No later: within the tenth that a median of these may be off by.
  return ratioRow(`Click to the first page of ${size} on screen, by that of 1 MiB`, small, large, 'ms', 1.1);
}

/** @param {{ rows: number, frames: number[] }} scroll @returns {Row} */
function scrollRow({ rows, frames }) {
  const longest = Math.max(...frames);
  return {
    what: `Scrolling ${rows.toLocaleString('en')} rows: time between frames`,
    baseline: `${frames.length} frames`,
    ours: `${value(frames, 'ms')}, longest ${longest.toFixed(1)} ms`,
    target: 'none over 50 ms',
    met: longest <= 50,
  };
}

/** @param {number[]} samples @param {string} unit @returns `0.41 ms (0.39 to 0.52)` */
function value(samples, unit) {
  const digits = median(samples) < 10 ? 2 : median(samples) < 100 ? 1 : 0;
  const [low, middle, high] = [percentile(samples, 0.1), median(samples), percentile(samples, 0.9)].map((x) =>
    x.toFixed(digits),
  );
  return `${middle} ${unit} (${low} to ${high})`;
}

/** @param {Row[]} rows */
function print(rows) {
  const header = ['What', 'Baseline', 'Ours', 'Ratio', 'Target', ''];
  const cells = rows.map((row) => [
    row.what,
    row.baseline,
    row.ours,
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)} ×`,
    row.target ?? '',
    row.met === undefined ? '' : row.met ? 'met' : 'missed',
  ]);
  const widths = header.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) =>
    row
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  say(bold(line(header)));
  for (const row of cells)
    say(row.at(-1) === 'met' ? line(row).replace(/met$/, green('met')) : line(row).replace(/missed$/, red('missed')));
}
