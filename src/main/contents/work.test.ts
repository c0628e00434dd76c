import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '#contract/host-protocol';
import { windowRecord } from '../testing/window-record';
import { compareAcross } from './compare';
import { load } from './load';
import { planSave, save } from './save';
import { ContentWork } from './work';

const caller = windowRecord('inspector', 'p1');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-work-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newWork = (told: Progress[] = []) =>
  new ContentWork({ push: (_id, progress) => told.push(progress), windows: () => [caller] });

/** A process whose driver call does not return: it answers nothing. */
function hangingHost() {
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const request = () => {
    asked();
    return new Promise<never>(() => {});
  };
  return { host: { request }, isAsked };
}

describe('a process that does not answer', () => {
  const memory = { id: 'p1.a1', label: 'buffer', offset: 0, length: 4096 };

  it('keeps neither the app from closing nor half a file', async () => {
    const work = newWork();
    const { host, isAsked } = hangingHost();
    const path = join(folder, 'saved.bin');
    const plan = planSave({ label: 'buffer', bytes: 4096 }, { as: 'raw' });
    const saving = work.run(caller, 'save', (job) => save({ ...memory, host }, plan, path, job));
    const refused = expect(saving).rejects.toMatchObject({ error: { code: 'cancelled' } });
    await isAsked;
    await work.end();
    await refused;
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not waited for by comparing and loading that are cancelled', async () => {
    const work = newWork();
    const path = join(folder, 'bytes.bin');
    writeFileSync(path, new Uint8Array(4096));
    const { host, isAsked } = hangingHost();
    const part = { ...memory, host };
    const target = { host, id: 'p1.a1', label: 'buffer', bytes: 4096, dtype: undefined };
    const running = [
      work.run(caller, 'compare', (job) => compareAcross(part, part, {}, job)),
      work.run(caller, 'load', (job) => load(path, target, 0, job)),
      work.run(caller, 'lent', (job) => work.lend(host, job, () => host.request())),
    ];
    const refused = running.map((one) => expect(one).rejects.toMatchObject({ error: { code: 'cancelled' } }));
    await isAsked;
    for (const job of ['compare', 'load', 'lent']) work.cancel(caller, job);
    await Promise.all(refused);
  });

  it('tells nobody of work that has ended for main', async () => {
    const told: Progress[] = [];
    const work = newWork(told);
    const { host } = hangingHost();
    let name = '';
    const lent = work.run(caller, 'lent', (job) =>
      work.lend(host, job, (given) => {
        name = given;
        return host.request();
      }),
    );
    const refused = expect(lent).rejects.toMatchObject({ error: { code: 'cancelled' } });
    work.cancel(caller, 'lent');
    await refused;
    work.told('p1', { job: name, done: 1, total: 2 });
    expect(told).toEqual([]);
  });
});
