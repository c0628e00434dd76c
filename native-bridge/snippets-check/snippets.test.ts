/**
 * Runs every generated snippet as a program of its own. An importer opens what this process shares and prints the first
 * bytes; of an exporter the printed descriptor is parsed and opened here. On the simulator every run, for what needs
 * nothing but the driver; with GPU_IPC_DRIVER=real on a GPU, for every library that is installed. What is not installed
 * is skipped and says so. GPU_IPC_SNIPPETS_OUT=FILE writes the table.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parseDescriptor, type ShareDescriptor } from '#contract/descriptor';
import {
  type SnippetLanguage,
  type SnippetLibrary,
  type SnippetSide,
  snippet,
  snippetLibraries,
} from '#contract/snippets/index';
import { buildNative } from '../../scripts/native-build.mjs';
import { driverLibrary, onRealDriver } from '../conformance/setting';
import { allowToCopyDescriptors } from './allow-copies';
import { OurSide, type Shared } from './our-side';
import { type Ability, Tools } from './tools';

const TEST_MS = 110_000;
const MiB = 1024 * 1024;

interface Subject {
  readonly name: string;
  readonly mechanism: ShareDescriptor['mechanism'];
  readonly share: (us: OurSide) => Shared;
  /** Why it can be compiled only. */
  readonly notRun?: string;
}

const subjects: readonly Subject[] = [
  {
    name: 'legacy',
    mechanism: 'legacy',
    share: (us) => us.legacy(0, 4096, { dtype: 'bf16', shape: [64, 32] }, false),
  },
  {
    name: 'legacy: offset, strides, event',
    mechanism: 'legacy',
    share: (us) => us.legacy(1024, 100_000, { dtype: 'f32', shape: [12, 7], strides: [1, 12], label: 'weights' }, true),
  },
  { name: 'legacy: bytes only', mechanism: 'legacy', share: (us) => us.legacy(3 * MiB + 5, 11, {}, false) },
  { name: 'pool', mechanism: 'pool', share: (us) => us.pool(512, 8192, { dtype: 'u32', shape: [2048] }) },
  // Across the border of the two memories.
  {
    name: 'virtual',
    mechanism: 'virtual',
    share: (us) => us.virtual(2 * MiB - 8, 4096, { dtype: 'f64', shape: [512] }),
  },
  { name: 'event', mechanism: 'event', share: (us) => us.event() },
  {
    name: 'fabric',
    mechanism: 'fabric',
    share: (us) => ({ descriptor: us.likeFabric(), first: new Uint8Array(), release: () => undefined }),
    notRun: 'fabric memory needs an IMEX channel',
  },
];

interface Row {
  readonly library: string;
  readonly subject: string;
  readonly side: SnippetSide;
  result: 'not reached' | 'passed' | 'failed' | 'skipped' | 'compiled' | 'cannot';
  detail: string;
  seconds: number;
}

const onLinux = process.platform === 'linux';
if (onLinux && !onRealDriver) await buildNative();
const us = onLinux ? new OurSide(driverLibrary()) : undefined;
const tools = onLinux ? new Tools(driverLibrary()) : undefined;
const abilities = new Map<SnippetLibrary, Ability>();
if (tools !== undefined) {
  allowToCopyDescriptors();
  const all = snippetLibraries('legacy', 'importer');
  await Promise.all(all.map(async ({ library }) => abilities.set(library, await tools.ability(library))));
}
const rows: Row[] = [];
/** After each test: a driver call that hangs must not take with it what was found before. */
afterEach(() => {
  if (process.env.GPU_IPC_SNIPPETS_OUT !== undefined) writeFileSync(process.env.GPU_IPC_SNIPPETS_OUT, table());
});

describe.runIf(onLinux).concurrent('snippets', () => {
  for (const subject of subjects) {
    for (const side of ['importer', 'exporter'] as const) {
      for (const { language, library, why } of snippetLibraries(subject.mechanism, side)) {
        const row: Row = { library, subject: subject.name, side, result: 'not reached', detail: '', seconds: 0 };
        rows.push(row);
        if (why !== undefined) {
          Object.assign(row, { result: 'cannot', detail: why });
          continue;
        }
        it(`${library}, ${subject.name}, ${side}`, { timeout: TEST_MS }, async ({ skip }) => {
          const ability = abilities.get(library);
          if (us === undefined || tools === undefined || ability === undefined) throw new Error('nothing is prepared');
          const notRun = ability.run ? subject.notRun : ability.why;
          if (!ability.run && !ability.compile) {
            Object.assign(row, { result: 'skipped', detail: ability.why });
            skip(ability.why);
          }
          const begun = performance.now();
          const shared = subject.share(us);
          try {
            const code = generated(shared.descriptor, side, language, library);
            if (notRun !== undefined) {
              await tools.compile(library, code);
              Object.assign(row, { result: 'compiled', detail: notRun });
            } else {
              const [command, ...args] = await tools.prepare(library, code);
              await (side === 'importer'
                ? checkImporter(tools, shared, command, args)
                : checkExporter(tools, us, shared.descriptor, command, args));
              Object.assign(row, { result: 'passed', detail: ability.run ? ability.version : '' });
            }
          } catch (thrown) {
            Object.assign(row, { result: 'failed', detail: String(thrown) });
            throw thrown;
          } finally {
            shared.release();
            row.seconds = (performance.now() - begun) / 1000;
          }
          if (notRun !== undefined) skip(`compiled, not run: ${notRun}`);
        });
      }
    }
  }
});

/** Those that start in less time than the writer takes; one at a time, because a stream that waits makes others wait. */
const quick: readonly SnippetLibrary[] = ['ctypes', 'cuda-python', 'driver'];
const WRITE_AFTER_MS = 2000;

describe.runIf(onLinux)('snippets that have to wait for an event', () => {
  for (const { language, library } of snippetLibraries('legacy', 'importer')) {
    if (!quick.includes(library)) continue;
    it(`${library} reads what was written meanwhile`, { timeout: TEST_MS }, async ({ skip }) => {
      const ability = abilities.get(library);
      if (us === undefined || tools === undefined || ability === undefined) throw new Error('nothing is prepared');
      const row: Row = {
        library,
        subject: 'legacy: not written yet',
        side: 'importer',
        result: 'not reached',
        detail: '',
        seconds: 0,
      };
      rows.push(row);
      if (!ability.run) {
        Object.assign(row, { result: 'skipped', detail: ability.why });
        skip(ability.why);
        return;
      }
      const shared = us.unfinished(4096, { dtype: 'u8', shape: [4096] });
      const begun = performance.now();
      let timer: NodeJS.Timeout | undefined;
      try {
        const code = generated(shared.descriptor, 'importer', language, library);
        const [command, ...args] = await tools.prepare(library, code);
        timer = setTimeout(() => shared.finish(), WRITE_AFTER_MS);
        const started = performance.now();
        await checkImporter(tools, shared, command, args);
        expect(performance.now() - started).toBeGreaterThanOrEqual(WRITE_AFTER_MS - 1);
        Object.assign(row, { result: 'passed', detail: ability.version });
      } catch (thrown) {
        Object.assign(row, { result: 'failed', detail: String(thrown) });
        throw thrown;
      } finally {
        clearTimeout(timer);
        shared.finish();
        shared.release();
        row.seconds = (performance.now() - begun) / 1000;
      }
    });
  }
});

afterAll(() => {
  us?.end();
  tools?.end();
});

function generated(
  descriptor: ShareDescriptor,
  side: SnippetSide,
  language: SnippetLanguage,
  library: SnippetLibrary,
): string {
  const made = snippet({ descriptor, side, language, library });
  if (!made.ok) throw new Error(made.why);
  return made.code;
}

async function checkImporter(tools: Tools, { first }: Shared, command: string, args: string[]): Promise<void> {
  const { code, stdout, stderr } = await tools.run(command, args);
  const last = stdout.trim().split('\n').at(-1);
  const expected = first.length === 0 ? 'event: ready' : `first bytes: ${[...first].map(hex).join(' ')}`;
  expect({ last, code, stderr: code === 0 ? '' : stderr }).toEqual({ last: expected, code: 0, stderr: '' });
}

async function checkExporter(
  tools: Tools,
  us: OurSide,
  asked: ShareDescriptor,
  command: string,
  args: string[],
): Promise<void> {
  const program = tools.start(command, args);
  try {
    const reading = parseDescriptor(await program.printed());
    if (!reading.ok) throw new Error(reading.problems.map(({ message }) => message).join(' '));
    const { descriptor } = reading;
    const { mechanism, size, dtype, shape, strides } = asked;
    expect(descriptor).toMatchObject({ mechanism, size, device: { uuid: us.uuid }, exporter: { pid: program.pid } });
    expect({ dtype: descriptor.dtype, shape: descriptor.shape, strides: descriptor.strides }).toEqual({
      dtype,
      shape,
      strides,
    });
    const bytes = Math.min(size, 300);
    const ramp = Uint8Array.from({ length: bytes }, (_, index) => (index < 256 ? index : 0));
    expect(us.read(descriptor, bytes)).toEqual(ramp);
    const { code, stderr } = await program.enter();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Press Enter to release it\.\s*$/) });
  } finally {
    program.kill();
  }
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

function table(): string {
  const lines = rows.map(({ library, subject, side, result, detail, seconds }) => {
    const text = detail.replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, 600);
    return `| ${library} | ${subject} | ${side} | ${result} | ${seconds.toFixed(1)} | ${text} |`;
  });
  return [
    '| library | what | side | result | seconds | version, or why |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}
