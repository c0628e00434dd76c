/** Time grows with length whatever the text, and 100,000 texts of all sorts take seconds. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePaste } from './parse-paste';

const SIZE = 256 * 1024;
/** Seconds of the processor, whatever else runs on it. */
function seconds(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}
const { tokens } = JSON.parse(readFileSync(new URL('../testing/handle-tokens.json', import.meta.url), 'utf8')) as {
  tokens: { text: string }[];
};
const outputs = JSON.parse(readFileSync(new URL('./testing/tool-output.json', import.meta.url), 'utf8')) as {
  text: string;
}[];
const real = [...tokens, ...outputs].map(({ text }) => text);
const short = real.filter(({ length }) => length < 500);

/** Pieces that open something, go on with something, or end nothing. */
const pieces = [
  ...[
    '[',
    '(',
    '{',
    ']',
    ')',
    '}',
    '[(',
    '{[',
    "'",
    '"',
    '`',
    '\\',
    "'\\'",
    '"\\"',
    "b'",
    "b''",
    'b"a" ',
    '""',
    '"a" ',
    '"\\n" ',
    '"\\x00" ',
    '"\\0a" ',
  ],
  ...[
    '"a", ',
    '"a":1,',
    '"a":{',
    'a=1 ',
    'a=1,',
    'a=b c ',
    'a:',
    'x=',
    'handle=1 ',
    'handle="a" ',
    '1,',
    '1 ',
    '-1,',
    '1,[',
    '0x0, ',
  ],
  ...[
    'd0 ',
    'd0\n',
    'd0:',
    'd0-',
    'd0',
    '0x',
    '0xd0 ',
    '\\xd0',
    '\\xd0 ',
    '\\xd0 x',
    '\\320',
    'A',
    '/',
    '=',
    'A=',
    'Az+/ ',
  ],
  ...[
    "'\\000' <repeats 9 times>, ",
    "'\\000' <repeats 4000000000 times>, ",
    '<',
    '<repeats ',
    '1 <repeats 99 times>, ',
  ],
  ...[
    '00000000: 00\n',
    '00000000  00 00\n',
    '00000000: 0000 0000 0000 0000 0000 0000 0000 0000\n*\n',
    '*\n',
    '0x0:\t0x00\n',
    '0000000\n',
  ],
  ...[
    '{"format":"gpu-ipc-descriptor",',
    '{"format":"gpu-ipc-descriptor","a":',
    '{"format":"gpu-ipc-descriptor"},',
    'IpcHandle object at ',
  ],
  ...[' ', '\n', '\t', 'é', '😀', '\ud800', '\0', 'word ', 'supercalifragilistic'],
  ...[
    `${'ab'.repeat(64)} `,
    `${'ab'.repeat(63)} `,
    `${'ab'.repeat(64)}`,
    `"${'ab'.repeat(63)}a",`,
    `b'${'\\x00'.repeat(64)}'`,
  ],
];

describe('time grows with length', () => {
  it.each(pieces)('256 KiB of %j', (piece) => {
    const text = piece.repeat(Math.floor(SIZE / piece.length));
    let found = 0;
    const took = seconds(() => {
      const { items, problems } = parsePaste(text);
      found = items.length + problems.length;
    });
    expect(found).toBeGreaterThan(0);
    // One pass takes a tenth of a second; one pass for each piece would take minutes.
    expect(took).toBeLessThan(1.5);
  });

  it('a megabyte of everything', () => {
    const all = `${pieces.join('')}\n${real.join('\n')}\n`;
    const text = all.repeat(Math.floor((4 * SIZE) / all.length));
    expect(seconds(() => parsePaste(text))).toBeLessThan(5);
  });
});

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('any text', () => {
  it('100,000 random texts and changed real ones: never throws, stays in the text, is in order', () => {
    // To see the same texts again, set PASTE_SEED to the number that the failure names.
    const seed = Number(process.env.PASTE_SEED ?? Math.floor(Math.random() * 2 ** 32));
    const random = randomOf(seed);
    const below = (count: number): number => Math.floor(random() * count);
    const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const char = (): string =>
      random() < 0.9 ? String.fromCharCode(32 + below(95)) : String.fromCharCode(below(0x10000));
    const texts = [
      () => Array.from({ length: below(80) }, char).join(''),
      () => Array.from({ length: below(12) }, () => pick(pieces)).join(''),
      () => {
        const text = pick(short);
        const at = below(text.length + 1);
        return text.slice(0, at) + Array.from({ length: below(3) }, char).join('') + text.slice(at + below(3));
      },
    ];
    for (let run = 0; run < 100_000; run++) {
      const text = pick(texts)();
      const say = () => `PASTE_SEED=${seed}, text ${run}: ${JSON.stringify(text)}`;
      let pasted: ReturnType<typeof parsePaste>;
      try {
        pasted = parsePaste(text);
      } catch (thrown) {
        throw new Error(say(), { cause: thrown });
      }
      const { items, problems } = pasted;
      let fits = items.length + problems.length > 0;
      for (const list of [items, problems]) {
        let last = 0;
        for (const { start, end } of list) {
          fits &&= start >= last && start <= end && end <= text.length;
          last = start;
        }
      }
      for (const { handle } of items) fits &&= handle === null || handle.length === 64;
      if (!fits) throw new Error(`${say()} gives ${JSON.stringify(pasted)}`);
    }
  }, 60_000);
});
