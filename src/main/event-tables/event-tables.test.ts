import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventTablePrefix } from '#native/posix/event-tables';
import { identify } from '#native/posix/process';
import { EventTables } from './event-tables';

let root: string;
let folder: string;
let records: string;
let record: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'event-tables-'));
  folder = join(root, 'shm');
  records = join(root, 'user', 'driver-processes');
  record = join(records, `${process.pid}.json`);
  mkdirSync(folder);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

async function startChild(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child.pid as number;
}

async function kill(pid: number): Promise<void> {
  const child = children.find((each) => each.pid === pid) as ChildProcess;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** What the driver would make for this process. */
function makeTable(pid: number): string {
  const name = `${eventTablePrefix(pid)}1`;
  writeFileSync(join(folder, name), '');
  return name;
}

const tables = () => readdirSync(folder).sort();
const pidsInRecord = () => JSON.parse(readFileSync(record, 'utf8')).map(({ pid }: { pid: number }) => pid);

describe.skipIf(process.platform !== 'linux')('event tables of this app', () => {
  it('are removed when a process was killed, and those of others stay', async () => {
    const own = new EventTables({ records, folder });
    const [first, second] = [await startChild(), await startChild()];
    own.started(first);
    own.started(second);
    makeTable(first);
    const kept = makeTable(second);
    expect(pidsInRecord()).toEqual([first, second]);
    await kill(first);
    own.ended(first);
    await own.settle();
    expect(tables()).toEqual([kept]);
    expect(pidsInRecord()).toEqual([second]);
  });

  it('wait for a process that is said to have ended but is not gone yet', async () => {
    const own = new EventTables({ records, folder });
    const pid = await startChild();
    own.started(pid);
    const name = makeTable(pid);
    own.ended(pid);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(tables()).toEqual([name]);
    await kill(pid);
    await own.settle();
    expect(tables()).toEqual([]);
  });

  it('that were there before the process are not its own', async () => {
    const own = new EventTables({ records, folder });
    const pid = await startChild();
    const name = makeTable(pid);
    own.started(pid);
    await kill(pid);
    own.ended(pid);
    await own.settle();
    expect(tables()).toEqual([name]);
    expect(existsSync(record)).toBe(false);
  });

  it('of this process go last, and the record with them', () => {
    const own = new EventTables({ records, folder });
    own.started(process.pid);
    makeTable(process.pid);
    expect(pidsInRecord()).toEqual([process.pid]);
    own.release();
    expect(tables()).toEqual([]);
    expect(readdirSync(records)).toEqual([]);
  });

  it('stay in the record at the end when their process is still there', async () => {
    const own = new EventTables({ records, folder });
    const pid = await startChild();
    own.started(process.pid);
    own.started(pid);
    own.release();
    expect(pidsInRecord()).toEqual([pid]);
  });

  it('are removed by the next start when everything was killed', async () => {
    const [main, host, running] = [await startChild(), await startChild(), await startChild()];
    const identities = [main, host].map((pid) => identify(pid));
    mkdirSync(records, { recursive: true });
    writeFileSync(join(records, `${main}.json`), JSON.stringify(identities));
    // Of an instance that runs, and of nobody.
    writeFileSync(join(records, `${running}.json`), JSON.stringify([identify(running)]));
    writeFileSync(join(records, 'notes.txt'), '');
    makeTable(main);
    makeTable(host);
    const theirs = makeTable(running);
    await kill(main);
    const own = new EventTables({ records, folder });
    own.started(process.pid);

    // The host is still there: its table stays, and so does the record.
    own.sweep();
    expect(tables()).toEqual([`${eventTablePrefix(host)}1`, theirs].sort());
    expect(existsSync(join(records, `${main}.json`))).toBe(true);
    await kill(host);
    own.sweep();
    expect(tables()).toEqual([theirs]);
    expect(readdirSync(records).sort()).toEqual([`${running}.json`, `${process.pid}.json`, 'notes.txt'].sort());
  });

  it('do not depend on a record that can be read', async () => {
    const main = await startChild();
    await kill(main);
    mkdirSync(records, { recursive: true });
    writeFileSync(join(records, `${main}.json`), '[{"pid":');
    writeFileSync(join(records, `${main}.json.new`), '');
    new EventTables({ records, folder }).sweep();
    expect(readdirSync(records)).toEqual([]);
  });

  it('are named to the cleaner, whenever it was started', async () => {
    const [early, late] = [await startChild(), await startChild()];
    const named: number[] = [];
    let dismissed = false;
    const own = new EventTables({ records, folder });
    own.started(early);
    own.cleanAfterMain(() => ({
      add: ({ pid }) => named.push(pid),
      dismiss: () => {
        dismissed = true;
      },
    }));
    own.started(late);
    expect(named).toEqual([early, late]);
    for (const pid of [early, late]) {
      await kill(pid);
      own.ended(pid);
    }
    await own.settle();
    own.release();
    expect(dismissed).toBe(true);
  });
});
