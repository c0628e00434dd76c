/**
 * The steps of driver-behaviour.json and the further calls this app makes,
 * run with real processes. On the simulator every run; on a real driver with
 *
 *   GPU_IPC_DRIVER=real ELECTRON_RUN_AS_NODE=1 electron node_modules/vitest/vitest.mjs run native-bridge/conformance
 *
 * (or plain node). GPU_IPC_RECORD=FILE writes what the steps beyond the facts found, in the form of recorded.json.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kernelDriverRelease } from '../cuda/release';
import { devicesAndContexts } from './beyond/devices-and-contexts';
import { eventsAndStreams } from './beyond/events-and-streams';
import { memoryAtItsEdges } from './beyond/memory';
import { peerAccess } from './beyond/peer-access';
import { poolsAtTheirEdges } from './beyond/pools';
import { sharingAtItsEdges } from './beyond/sharing';
import { virtualMemoryAtItsEdges, virtualMemoryBetweenDevices } from './beyond/virtual-memory';
import { bundle } from './bundle';
import type { Group } from './group';
import { contexts } from './groups/contexts';
import { events } from './groups/events';
import { initialise } from './groups/initialise';
import { legacyExport } from './groups/legacy-export';
import { legacyImport } from './groups/legacy-import';
import { legacyLifetime } from './groups/legacy-lifetime';
import { legacyNeighbours } from './groups/legacy-neighbours';
import { kindsOfMemory, measureRow, type Row } from './groups/pointer-attributes';
import { poolOrder, pools } from './groups/pools';
import { rangesAndCopies } from './groups/ranges-and-copies';
import { references } from './groups/references';
import { twoDevices } from './groups/two-devices';
import { virtualMemory, virtualMemorySizes } from './groups/virtual-memory';
import { killPeers, Peer } from './peer-client';
import { compare, type ExpectedGroup, facts, type Line, recorded, Steps, table, writeRecord } from './report';
import { onRealDriver, recordTo } from './setting';

/** What the table says where nothing was measured. */
const UNMEASURED = 'unmeasured';

const GROUP_TIMEOUT_MS = 180_000;

const measuredGroups: readonly Group[] = [
  initialise,
  legacyExport,
  legacyImport,
  legacyNeighbours,
  legacyLifetime,
  events,
  twoDevices,
  rangesAndCopies,
  contexts,
  references,
  pools,
  poolOrder,
  virtualMemory,
  virtualMemorySizes,
];
const furtherGroups: readonly Group[] = [
  devicesAndContexts,
  memoryAtItsEdges,
  sharingAtItsEdges,
  eventsAndStreams,
  peerAccess,
  poolsAtTheirEdges,
  virtualMemoryAtItsEdges,
  virtualMemoryBetweenDevices,
];

const lines: Line[] = [];
const found = new Map<string, Steps>();

beforeAll(() => bundle('peer'));
afterAll(async () => {
  await killPeers();
  const name = await driverName();
  if (recordTo !== undefined) writeRecord(recordTo, found, onRealDriver, name);
  if (onRealDriver || process.env.GPU_IPC_TABLE === '1') console.log(`\n${name}\n${table(lines)}\n`);
});

for (const group of measuredGroups) testGroup(group, facts.groups, false);
for (const group of furtherGroups) testGroup(group, recorded.groups, recordTo !== undefined);

/** One test for each expected step; the group runs once, before them. */
function testGroup(group: Group, expectations: readonly ExpectedGroup[], recording: boolean): void {
  const expected = expectations.find(({ group: name }) => name === group.name)?.steps ?? [];
  describe(group.name, () => {
    const steps = new Steps();
    let broke: unknown;
    beforeAll(async () => {
      if (recording) found.set(group.name, steps);
      try {
        await group.run(steps);
      } catch (error) {
        broke = error;
      } finally {
        await killPeers();
      }
    }, GROUP_TIMEOUT_MS);

    it('runs to its end', () => {
      if (broke !== undefined) throw broke;
    });

    const times = new Map<string, number>();
    for (const step of expected) {
      const nth = times.get(step.step) ?? 0;
      times.set(step.step, nth + 1);
      it(nth === 0 ? step.step : `${step.step} (${nth + 1})`, (context) => {
        const line = compare(group.name, step, steps, nth);
        lines.push(line);
        if (line.verdict === 'skipped') context.skip(line.found);
        if (recording) return;
        expect(line, `expected ${line.expected}, found ${line.found}`).toMatchObject({ verdict: 'same' });
      });
    }

    it('has an expectation for each of its steps', () => {
      if (recording) return;
      const known = new Set(expected.map(({ step }) => step));
      expect(steps.all().filter(({ step }) => !known.has(step))).toEqual([]);
    });
  });
}

describe('pointer attributes by kind of memory', () => {
  const { columns, rows } = facts.pointerAttributes;
  const asked = columns.slice(1);
  for (const [kind, ...values] of rows) {
    const name = String(kind);
    if (!kindsOfMemory.includes(name)) continue;
    it(
      name,
      async (context) => {
        const measured = await measureRow(name, asked).finally(killPeers);
        const line = { group: 'pointer attributes', step: name };
        if ('missing' in measured) {
          lines.push({ ...line, expected: 'a row', found: measured.missing, verdict: 'skipped' });
          return context.skip(measured.missing);
        }
        const { row } = measured;
        const value = (column: string, index: number) =>
          values[index] === UNMEASURED ? row[column] : (values[index] ?? '');
        const expected = Object.fromEntries(asked.map((column, index) => [column, value(column, index)])) as Row;
        const different = asked.filter((column) => row[column] !== expected[column]);
        const words = (from: Row) =>
          different.length === 0
            ? `${asked.length} columns`
            : different.map((column) => `${column} ${from[column]}`).join(', ');
        const verdict = different.length === 0 ? 'same' : 'different';
        lines.push({ ...line, expected: words(expected), found: words(row), verdict });
        expect(row).toEqual(expected);
      },
      GROUP_TIMEOUT_MS,
    );
  }
});

/** `2026-11-30, NVIDIA H200, driver 580.159.04, CUDA 13.0`: when and on what the run was. */
async function driverName(): Promise<string> {
  try {
    const peer = await Peer.start('name');
    await peer.must('init');
    const name = await peer.must('deviceGetName', await peer.must('deviceGet', 0));
    const version = await peer.must('driverGetVersion');
    const release = onRealDriver ? kernelDriverRelease() : undefined;
    const driver = release === undefined ? '' : `, driver ${release}`;
    return `${new Date().toISOString().slice(0, 10)}, ${name}${driver}, CUDA ${(version / 1000).toFixed(1)}`;
  } catch (error) {
    return `no device (${error instanceof Error ? error.message : error})`;
  } finally {
    await killPeers();
  }
}
