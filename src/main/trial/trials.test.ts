import { expect, it } from 'vitest';
import type { TrialCalls } from '#contract/trial-protocol';
import { Trials } from './trials';
import type { TrialHost } from './within';

it('starts no process when the app closes while the memory is being exported', async () => {
  const asked: string[] = [];
  let exported: (value: { ok: true; value: TrialCalls['trial.export']['value'] }) => void = () => {};
  const exporter: TrialHost = {
    request: (name) => {
      asked.push(name);
      if (name !== 'trial.export') return Promise.resolve({ ok: true, value: { token: null, steps: [] } });
      return new Promise((resolve) => {
        exported = resolve;
      });
    },
  };
  let started = 0;
  const startProcess = () => {
    started += 1;
    throw new Error('a process was started');
  };
  const trials = new Trials({ startProcess, simulatorPath: '' });
  const trial = trials.run({ exporter, id: 'p1.a1', mechanism: 'virtual', driver: 'simulator' });
  await expect.poll(() => asked).toEqual(['trial.export']);
  await trials.stop();
  const offer = { pieces: [], descriptors: 1 } as unknown as TrialCalls['trial.export']['value']['offer'];
  exported({ ok: true, value: { token: 't1', offer, ofBytes: 1, steps: [] } as never });
  expect(await trial).toMatchObject({ worked: false, error: { code: 'cancelled' } });
  expect(started).toBe(0);
  // What was exported for it is let go of all the same.
  expect(asked).toEqual(['trial.export', 'trial.end']);
});
