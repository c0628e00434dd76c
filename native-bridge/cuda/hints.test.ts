import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarations } from './driver';
import { hintFor, rules } from './hints';
import { appliesTo, type Situation } from './hints/rule';

const symbols = Object.values(declarations).map(({ symbol }) => symbol);
const results = Array.from({ length: 999 }, (_, index) => index + 1);

/** What calls that share, let go and move answered on a driver when they failed: `cuIpcGetMemHandle 1`. */
function measuredFailures(): Set<string> {
  const read = (path: string): string => readFileSync(resolve(import.meta.dirname, path), 'utf8');
  const definitions = read('../simulator/abi/results.def').matchAll(/^X\((\w+),\s*(\d+)/gm);
  const numbers = new Map([...definitions].map(([, name = '', result]) => [name, Number(result)]));
  const failures = new Set<string>();
  for (const file of ['driver-behaviour.json', 'recorded.json']) {
    const { groups } = JSON.parse(read(`../conformance/${file}`)) as {
      groups: { steps: { step: string; result?: string }[] }[];
    };
    for (const { step, result = '' } of groups.flatMap(({ steps }) => steps)) {
      const symbol = symbols.find((name) => new RegExp(`\\b${name.replace(/_v2$/, '')}\\b`).test(step));
      const number = numbers.get(result) ?? 0;
      const concerned = /^cu(Ipc|Mem(cpy|set|Free_|Pool(Export|Import)|Export|Import))/;
      if (symbol !== undefined && concerned.test(symbol) && number !== 0) failures.add(`${symbol} ${number}`);
    }
  }
  return failures;
}

const OPEN = 'cuIpcOpenMemHandle_v2';

/** Each situation and the words that must be in its hint. */
const cases: readonly (readonly [what: string, call: string, result: number, situation: Situation, words: RegExp])[] = [
  [
    'own handle',
    OPEN,
    201,
    { exporter: { name: 'Producer 1', state: 'self' } },
    /^Producer 1 exported this handle itself/,
  ],
  ['own event handle', 'cuIpcOpenEventHandle', 201, { exporter: { state: 'self' } }, /cannot open its own handle/],
  [
    'same pid in another container',
    OPEN,
    201,
    { exporter: { pid: 1, state: 'self', otherPidNamespace: true } },
    /--pid=host/,
  ],
  ['no context on an open', OPEN, 201, { hasContext: false }, /no current context/],
  ['nothing known about a 201', OPEN, 201, {}, /itself.*or the thread has no current context/],
  ['flags 0', OPEN, 1, { flags: 0, source: 'freed' }, /LAZY_ENABLE_PEER_ACCESS.*flags were 0/],
  ['flags 2', OPEN, 1, { flags: 2 }, /flags were 2/],
  ['freed', OPEN, 1, { flags: 1, source: 'freed', exporter: { name: 'Producer 1', state: 'alive' } }, /has freed/],
  ['exporter gone', OPEN, 400, { exporter: { name: 'Producer 1', state: 'gone' } }, /^Producer 1 is gone.*stay open/],
  ['exporter gone, known by pid', OPEN, 400, { exporter: { pid: 7, state: 'gone' } }, /pid 7\) is gone, or.*machine/],
  [
    'exporter of an event gone',
    'cuIpcOpenEventHandle',
    205,
    { exporter: { pid: 7, state: 'gone' } },
    /finds no events/,
  ],
  ['no events of that pid', 'cuIpcOpenEventHandle', 205, { exporter: { pid: 7, state: 'alive' } }, /\/dev\/shm/],
  ['a pid that leads nowhere, but memory that is known', OPEN, 1, { exporter: { pid: 7, state: 'gone' } }, /has freed/],
  ['second context', OPEN, 400, { openInOtherContext: true }, /another context/],
  ['zero handle', OPEN, 1, { flags: 1, handle: 'zero' }, /All 64 bytes are zero/],
  ['zero event handle', 'cuIpcOpenEventHandle', 205, { handle: 'zero' }, /All 64 bytes are zero/],
  ['event handle given to memory', OPEN, 1, { flags: 1, handle: 'event' }, /Open it as an event/],
  ['memory handle given to events', 'cuIpcOpenEventHandle', 205, { handle: 'memory' }, /Open it as memory/],
  ['already mapped', OPEN, 208, {}, /another size.*535/],
  ['a destroyed event', 'cuEventQuery', 709, {}, /^The event was destroyed/],
  ['a destroyed stream', 'cuStreamQuery', 709, {}, /^The stream was destroyed/],
  ['no peer path', OPEN, 217, {}, /cannot reach directly/],
  ['managed memory', 'cuIpcGetMemHandle', 1, { memory: 'managed' }, /^Managed memory cannot be exported/],
  ['pool memory', 'cuIpcGetMemHandle', 1, { memory: 'pool' }, /Export its pool/],
  ['host memory', 'cuIpcGetMemHandle', 1, { memory: 'host' }, /host memory cannot/],
  ['cuMemCreate memory', 'cuIpcGetMemHandle', 1, { memory: 'virtual' }, /file descriptor/],
  ['imported memory', 'cuIpcGetMemHandle', 1, { memory: 'imported' }, /cannot be exported again/],
  ['freed memory', 'cuIpcGetMemHandle', 1, { memory: 'freed' }, /has been freed/],
  ['plain event', 'cuIpcGetEventHandle', 400, { flags: 2 }, /created with flags 2/],
  ['interprocess with timing', 'cuEventCreate', 1, { flags: 4 }, /DISABLE_TIMING/],
  ['closing own memory', 'cuIpcCloseMemHandle', 1, { memory: 'device' }, /Own memory is freed/],
  ['closing once too often', 'cuIpcCloseMemHandle', 1, { memory: 'closed' }, /closed already/],
  ['freeing imported memory', 'cuMemFree_v2', 1, { memory: 'imported' }, /never freed/],
  ['size 0', 'cuMemAlloc_v2', 1, { bytes: 0 }, /size is 0/],
  ['too much', 'cuMemAlloc_v2', 2, { bytes: 10, freeBytes: 4 }, /4 B free, and 10 B were asked for/],
  ['past the end', 'cuMemcpyDtoH_v2', 1, {}, /does not lie inside/],
  ['closed mapping', 'cuMemcpyDtoH_v2', 1, { memory: 'closed' }, /Open the handle again/],
  ['elapsed time', 'cuEventElapsedTime', 400, {}, /no timing/],
  ['no context elsewhere', 'cuMemAlloc_v2', 201, {}, /no current context/],
  ['illegal address', 'cuMemcpyDtoH_v2', 700, {}, /only a new process helps/],
  ['a handle type of its own', 'cuMemExportToShareableHandle', 1, {}, /chosen when it is created/],
  ['imported physical', 'cuMemExportToShareableHandle', 1, { memory: 'imported' }, /cannot be exported again/],
  ['not of cuMemCreate', 'cuMemRetainAllocationHandle', 1, {}, /no physical memory of cuMemCreate/],
  ['MPS', 'cuInit', 805, {}, /MPS/],
  ['fabric manager', 'cuInit', 802, {}, /fabric manager/],
];

describe('hints', () => {
  it.each(cases)('%s', (_what, call, result, situation, words) => {
    expect(hintFor(call, result, situation)).toMatch(words);
  });

  it('say nothing where nothing is wrong', () => {
    for (const { symbol } of Object.values(declarations)) {
      expect(hintFor(symbol, 0)).toBeUndefined();
      expect(hintFor(symbol, 600)).toBeUndefined();
    }
  });

  it('are sentences', () => {
    for (const [, call, result, situation] of cases) {
      const hint = hintFor(call, result, situation) ?? '';
      expect(hint).toMatch(/^[A-Z].*[.=\w]$/);
      expect(hint).not.toMatch(/undefined| {2}|!/);
    }
  });

  it('name only driver functions that are declared', () => {
    const symbols = new Set(Object.values(declarations).map(({ symbol }) => symbol));
    for (const [, call] of cases) expect(symbols).toContain(call);
  });

  it('hide none behind one that applies always', () => {
    const answered = new Set<string>();
    for (const rule of rules) {
      const cases = symbols.flatMap((symbol) =>
        results.filter((result) => appliesTo(rule, symbol, result)).map((result) => `${symbol} ${result}`),
      );
      const said = typeof rule.say === 'string' ? rule.say : rule.say({});
      expect(
        cases.filter((found) => !answered.has(found)),
        said,
      ).not.toEqual([]);
      if (rule.when === undefined) for (const found of cases) answered.add(found);
    }
  });

  it('leave no measured failure of a call that shares, lets go or moves without words', () => {
    const failures = [...measuredFailures()];
    expect(failures.length).toBeGreaterThan(5);
    const silent = failures.filter((failure) => {
      const [symbol = '', result] = failure.split(' ');
      return hintFor(symbol, Number(result)) === undefined;
    });
    expect(silent).toEqual([]);
  });
});
