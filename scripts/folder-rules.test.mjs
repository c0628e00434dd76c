/**
 * Proves that biome.json enforces who may import whom: each case below is written as a real file into a temporary
 * project with the same configuration, and Biome must refuse exactly the imports marked as refused.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** file → [imports that are fine, imports that must be refused] @type {Record<string, [string[], string[]]>} */
const cases = {
  'src/contract/a.ts': [
    ['valibot', './b'],
    ['node:fs', 'electron', 'react', 'koffi', '#native/cuda/load', '#host/session', '../main/app', '../host/session'],
  ],
  'src/contract/a.test.ts': [
    ['vitest', 'fast-check', 'node:fs', './a'],
    ['electron', '#host/session', '../main/app'],
  ],
  'native-bridge/cuda/a.ts': [
    ['koffi', 'node:fs', '#contract/result', './load', '../posix/proc'],
    ['electron', 'react', 'valibot', '#host/session', '../../src/main/app', '../../src/contract/result'],
  ],
  'src/host/a.ts': [
    ['node:fs', '#contract/result', '#native/cuda/load', './session', '../host/session'],
    [
      'electron',
      'react',
      'koffi',
      '../main/app',
      '../renderer/lib/x',
      '../../native-bridge/cuda/load',
      '../contract/result',
    ],
  ],
  'src/host/entries/utility.ts': [
    ['../session', '#contract/result'],
    ['electron', '../../main/app'],
  ],
  'src/main/a.ts': [
    ['electron', 'node:path', 'valibot', '#contract/calls', '#host/port', '#native/posix/proc', './windows'],
    ['koffi', 'react', '#native/cuda/load', '../renderer/lib/x', '../host/session', '../../native-bridge/posix/proc'],
  ],
  'src/preload/index.ts': [
    ['electron', '#contract/calls', './bridge'],
    ['node:fs', '#native/posix/proc', '#host/port', '../main/app', '../contract/calls', 'valibot'],
  ],
  'src/renderer/inspector.tsx': [
    ['react', 'zustand', '#contract/calls', './features/handles/table', './ui/button', './lib/store'],
    [
      'electron',
      'electron/renderer',
      'node:fs',
      'koffi',
      '#native/posix/proc',
      '#host/port',
      '../main/app',
      '../contract/calls',
    ],
  ],
  'src/renderer/ui/button.tsx': [
    ['react', '../lib/x', './icon'],
    ['../features/handles/table', 'electron', '#host/port'],
  ],
  'src/renderer/lib/store.ts': [
    ['zustand', '#contract/records'],
    ['../features/handles/table', 'node:fs'],
  ],
  'src/renderer/features/handles/table.tsx': [
    ['react', './row', './parts/cell', '../../ui/button', '../../lib/store', '#contract/records'],
    [
      '../details/view',
      '../../features/details/view',
      '../details',
      '../../inspector',
      'electron',
      '#host/port',
      'node:fs',
    ],
  ],
  'src/renderer/features/handles/parts/cell.tsx': [
    ['../row', './glyph', '../../../ui/button', '../../../lib/store'],
    ['../../details/view', '../../../features/details/view', '../../../inspector', 'koffi'],
  ],
  'e2e/a.spec.ts': [
    ['@playwright/test', 'node:fs', '#contract/records', './harness/app'],
    ['../src/contract/records', '../src/main/app', '../native-bridge/cuda/load', '#host/session', '#native/posix/proc'],
  ],
};

/** Imports refused by Biome, by file. @type {Map<string, string[]>} */
const refused = new Map();
/** @type {string} */
let project;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'folder-rules-'));
  const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  writeFileSync(
    join(project, 'biome.json'),
    JSON.stringify({ ...config, $schema: undefined, vcs: { enabled: false } }),
  );
  for (const [file, [fine, wrong]] of Object.entries(cases)) {
    const lines = [...fine, ...wrong].map((specifier, i) =>
      i % 3 === 2
        ? `export * from '${specifier}';`
        : i % 3 === 1
          ? `void import('${specifier}');`
          : `import '${specifier}';`,
    );
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), `${lines.join('\n')}\n`);
  }
  const biome = join(root, 'node_modules/.bin/biome');
  const run = spawnSync(
    biome,
    ['lint', '--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none', '.'],
    {
      cwd: project,
      encoding: 'utf8',
    },
  );
  for (const { category, location } of JSON.parse(run.stdout).diagnostics) {
    expect(category).toBe('lint/style/noRestrictedImports');
    const source = readFileSync(join(project, location.path), 'utf8').split('\n')[location.start.line - 1] ?? '';
    const found = /'([^']+)'/.exec(source)?.[1] ?? source;
    refused.set(location.path, [...(refused.get(location.path) ?? []), found]);
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('folder rules', () => {
  it.each(Object.entries(cases))('%s', (file, [, wrong]) => {
    expect([...new Set(refused.get(file) ?? [])].sort()).toEqual([...wrong].sort());
  });
});
