import { describe, expect, it } from 'vitest';
import { fail, ok, type Result } from '#contract/result';
import { LongAnswer } from './long-answer';

function setup() {
  const asked: { question: string; job: string; answer: (result: Result<number>) => Promise<void> }[] = [];
  const cancelled: string[] = [];
  const answers = new LongAnswer<string, number>({
    ask: (question, job) =>
      new Promise((resolve) => {
        asked.push({
          question,
          job,
          answer: async (result) => {
            resolve(result);
            await Promise.resolve();
          },
        });
      }),
    cancel: (job) => cancelled.push(job),
    keyOf: (question) => question,
  });
  return { asked, cancelled, answers };
}

describe('an answer that takes long', () => {
  it('belongs to its question and to no other', async () => {
    const { asked, answers } = setup();
    const done = answers.ask('f32');
    expect(answers.isAsking('f32')).toBe(true);
    await asked[0]?.answer(ok(1));
    expect(await done).toBe(1);
    expect(answers.answerTo('f32')).toBe(1);
    expect(answers.answerTo('u8')).toBeUndefined();
    expect(answers.isSettled('u8')).toBe(false);
  });

  it('a new question cancels the one before, whose answer is never shown', async () => {
    const { asked, cancelled, answers } = setup();
    void answers.ask('f32');
    void answers.ask('u8');
    expect(cancelled).toEqual([asked[0]?.job]);
    expect(asked[0]?.job).not.toBe(asked[1]?.job);
    await asked[1]?.answer(ok(2));
    await asked[0]?.answer(ok(1));
    expect(answers.answer).toEqual({ question: 'u8', value: 2 });
  });

  it('the same question is not asked twice at a time', () => {
    const { asked, answers } = setup();
    void answers.ask('f32');
    void answers.ask('f32');
    expect(asked.length).toBe(1);
  });

  it('given up, what was answered before stays', async () => {
    const { asked, cancelled, answers } = setup();
    void answers.ask('f32');
    await asked[0]?.answer(ok(1));
    void answers.ask('u8');
    answers.cancel();
    expect(cancelled).toEqual([asked[1]?.job]);
    expect(answers.running).toBeUndefined();
    expect(answers.isSettled('u8')).toBe(true);
    expect(answers.answerTo('f32')).toBe(1);
    await asked[1]?.answer(fail({ code: 'cancelled', message: '' }));
    expect(answers.failureOf('u8')).toBeUndefined();
  });

  it('a failure is that of its question', async () => {
    const { asked, answers } = setup();
    void answers.ask('f32');
    await asked[0]?.answer(fail({ code: 'closed', message: 'It was freed.' }));
    expect(answers.failureOf('f32')?.message).toBe('It was freed.');
    expect(answers.failureOf('u8')).toBeUndefined();
    expect(answers.isSettled('f32')).toBe(true);
  });

  it('the last failure is known until it is forgotten or something is answered', async () => {
    const { asked, answers } = setup();
    void answers.ask('f32');
    await asked[0]?.answer(fail({ code: 'host-lost', message: 'It is gone.' }));
    expect(answers.failure?.message).toBe('It is gone.');
    answers.forgetFailure();
    expect(answers.failure).toBeUndefined();
    expect(answers.failureOf('f32')).toBeUndefined();
    void answers.ask('f32');
    await asked[1]?.answer(fail({ code: 'host-lost', message: 'It is gone.' }));
    void answers.ask('u8');
    await asked[2]?.answer(ok(1));
    expect(answers.failure).toBeUndefined();
  });
});
