/** What gdb 13.1, xxd, hexdump and od printed for seven times 64 bytes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePaste } from './parse-paste';

const outputs = JSON.parse(readFileSync(new URL('./testing/tool-output.json', import.meta.url), 'utf8')) as {
  tool: string;
  hex: string;
  text: string;
}[];
const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex');

/** gdb itself loses a byte there: read as it stands, it would be another handle. */
const loses = ({ text }: { text: string }): boolean => text.includes('<incomplete sequence');
const whole = outputs.filter((output) => !loses(output));

describe('output of tools', () => {
  it('is refused where gdb leaves something out', () => {
    const lossy = outputs.filter(loses);
    expect(lossy.length).toBeGreaterThan(0);
    for (const { text } of lossy) {
      const { items, problems } = parsePaste(text);
      expect(items).toEqual([]);
      expect(problems[0]).toMatchObject({
        message: expect.stringMatching(/gdb leaves out a byte/),
        start: text.indexOf('<incomplete'),
      });
    }
  });

  it.each(whole)('$tool of $hex', ({ hex: expected, text }) => {
    const { items, problems } = parsePaste(text);
    expect(problems).toEqual([]);
    expect(items.map(({ handle }) => hex(handle))).toEqual([expected]);
  });

  it('several in one session', () => {
    const text = whole.map(({ tool, text: shown }) => `(gdb) ${tool}\n${shown}\n`).join('\n');
    const { items, problems } = parsePaste(text);
    expect(problems).toEqual([]);
    expect(items.map(({ handle }) => hex(handle))).toEqual(whole.map((output) => output.hex));
  });
});
