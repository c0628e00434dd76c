/**
 * The files in which the driver keeps the events of a process, and which it leaves when that process is killed. The
 * simulator makes none, so the tests put files of such names there: when they go, and which of them, is the app's part.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { App } from './harness/app';
import { expect, test } from './harness/test';

test.skip(process.platform !== 'linux', 'such files are made on Linux only');

const made = new Set<string>();
test.afterEach(() => {
  for (const path of made) rmSync(path, { force: true });
  made.clear();
});

/** Makes a table of a process, with a number that the driver does not give. */
function table(pid: number | undefined): string {
  const path = `/dev/shm/cuda.shm.${process.getuid?.()}.${Number(pid).toString(16)}.ffff`;
  writeFileSync(path, '', { flag: 'wx' });
  made.add(path);
  return path;
}

const expectGone = (path: string) => expect.poll(() => existsSync(path), { message: path, timeout: 3_000 }).toBe(false);

/** The shell that waits for main to end. */
async function cleanerOf(main: number | undefined): Promise<number> {
  const find = () =>
    readdirSync('/proc').find((name) => {
      try {
        if (!/^\d+$/.test(name)) return false;
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return parent === main && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('gpu-ipc-inspector-cleaner');
      } catch {
        return false;
      }
    });
  await expect.poll(find, { message: 'a cleaner' }).toBeTruthy();
  return Number(find());
}

test('of a process that was killed, crashed or closed go at once; those of others stay', async ({ app, gpu }) => {
  const [killed, crashed, closed, last] = [
    await app.open('producer'),
    await app.open('producer'),
    await app.open('consumer'),
    await app.open('consumer'),
  ];
  const main = table(app.electron.process().pid);
  const theirs = table(last.pid);
  const foreign = table(process.pid);

  const killedTable = table(killed.pid);
  await gpu.demo.kill.value({ peerId: killed.peerId });
  await expectGone(killedTable);

  const crashedTable = table(crashed.pid);
  process.kill(crashed.pid, 'SIGSEGV');
  await expectGone(crashedTable);

  const closedTable = table(closed.pid);
  await closed.page.close();
  await expectGone(closedTable);

  for (const path of [main, theirs, foreign]) expect(existsSync(path), path).toBe(true);
  await app.close();
  for (const path of [main, theirs]) expect(existsSync(path), path).toBe(false);
  expect(existsSync(foreign)).toBe(true);
});

test('of main and of its processes go when main is killed', async () => {
  const app = await App.launch();
  const { pid } = await app.open('producer');
  const main = app.electron.process().pid;
  const paths = [table(main), table(pid)];
  await cleanerOf(main);
  // Fails when one is left.
  await app.killMain();
  for (const path of paths) expect(existsSync(path), path).toBe(false);
});

test('that everything was killed around go at the next start', async () => {
  const first = await App.launch();
  const { pid } = await first.open('producer');
  const main = first.electron.process().pid;
  const paths = [table(main), table(pid)];
  await first.killMain({ also: [await cleanerOf(main)], keepProfile: true, expectNothing: false });
  for (const path of paths) expect(existsSync(path), path).toBe(true);

  const second = await App.launch({ profile: first.profile });
  await second.inspector();
  for (const path of paths) await expectGone(path);
  await second.close();
});
