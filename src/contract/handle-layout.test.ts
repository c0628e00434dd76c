import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  decodeEventHandle,
  decodeMemoryHandle,
  eventFields,
  eventLayoutProblems,
  guessHandleKind,
  handlePid,
  leadsOutOfBlock,
  leadsOutOfTable,
  memoryFields,
  memoryLayoutProblems,
} from './handle-layout';

const { tokens } = JSON.parse(readFileSync(new URL('./testing/handle-tokens.json', import.meta.url), 'utf8')) as {
  tokens: { text: string; expect: { pid?: number } }[];
};
const bytes = (index: number): Uint8Array =>
  Uint8Array.from(Buffer.from((tokens[index] as { text: string }).text, 'hex'));
const memory = bytes(0);
const event = bytes(4);

describe('real handles', () => {
  it('decodes a 4 KiB allocation of CuPy', () => {
    expect(decodeMemoryHandle(memory)).toMatchObject({
      pid: 589,
      allocationBytes: 4096n,
      blockPages: 512,
      offsetInBlock: 0,
      counter: 56,
    });
    expect(guessHandleKind(memory)).toBe('memory');
    expect(handlePid(memory)).toBe(589);
  });

  it('decodes an event', () => {
    expect(decodeEventHandle(event)).toEqual({ pid: 589, table: 1n, slot: 4092 });
    expect(guessHandleKind(event)).toBe('event');
    expect(handlePid(event)).toBe(589);
  });

  it('takes neither zeros nor a changed constant for a handle', () => {
    expect(guessHandleKind(new Uint8Array(64))).toBe('unknown');
    for (const at of [12, 33, 37, 45, 63]) {
      const changed = memory.slice();
      changed[at] = (changed[at] as number) ^ 0x10;
      expect(guessHandleKind(changed)).toBe('unknown');
      expect(handlePid(changed)).toBeUndefined();
    }
  });
});

describe('handles that the driver would believe', () => {
  const set = (handle: Uint8Array, at: number, value: number): Uint8Array => {
    const changed = handle.slice();
    new DataView(changed.buffer).setUint32(at, value, true);
    return changed;
  };

  it('lead out of their block with a wrong offset or size', () => {
    expect(leadsOutOfBlock(memory)).toBe(false);
    expect(leadsOutOfBlock(set(memory, 28, 2 * 1024 * 1024 - 4096))).toBe(false);
    expect(leadsOutOfBlock(set(memory, 28, 2 * 1024 * 1024 - 4095))).toBe(true);
    expect(leadsOutOfBlock(set(memory, 20, 1))).toBe(true);
    // Bytes that the driver does not look at change nothing.
    expect(leadsOutOfBlock(set(set(memory, 28, 0xffff_ffff), 8, 0))).toBe(true);
    // The driver opens it with other constants at 32, 37 and 39 too.
    expect(leadsOutOfBlock(set(set(memory, 28, 0xffff_ffff), 36, 0x0100_fe00))).toBe(true);
    expect(leadsOutOfBlock(event)).toBe(false);
    expect(leadsOutOfBlock(new Uint8Array(64))).toBe(false);
  });

  it('lead out of their table with a wrong slot', () => {
    expect(leadsOutOfTable(event)).toBe(false);
    expect(leadsOutOfTable(set(event, 16, 4096))).toBe(true);
    // An event of the second context of its process.
    expect(guessHandleKind(set(event, 8, 2))).toBe('event');
    expect(leadsOutOfTable(set(set(event, 8, 2), 16, 0xffff_ffff))).toBe(true);
    // Without such a table the driver refuses by itself.
    expect(leadsOutOfTable(set(set(event, 8, 0), 16, 4096))).toBe(false);
    expect(leadsOutOfTable(memory)).toBe(false);
    expect(leadsOutOfTable(new Uint8Array(64).fill(0xff))).toBe(false);
  });
});

describe('checking a decoding', () => {
  const known = { pid: 589, allocationBytes: 4096, blockBytes: 2 * 1024 * 1024, offsetInBlock: 0 };

  it('finds nothing where the layout holds', () => {
    expect(memoryLayoutProblems(memory, known)).toEqual([]);
    expect(memoryLayoutProblems(memory, { pid: 589, allocationBytes: 4096 })).toEqual([]);
    expect(eventLayoutProblems(event, 589)).toEqual([]);
  });

  it('names each field that disagrees', () => {
    expect(memoryLayoutProblems(memory, { ...known, pid: 590 })).toEqual(['pid is 589, not 590']);
    expect(memoryLayoutProblems(memory, { ...known, allocationBytes: 8192 })).toEqual(['size is 4096, not 8192']);
    expect(memoryLayoutProblems(memory, { ...known, blockBytes: 4096 })).toEqual(['block size is 2097152, not 4096']);
    expect(memoryLayoutProblems(memory, { ...known, offsetInBlock: 4096 })).toEqual(['block offset is 0, not 4096']);
    expect(eventLayoutProblems(event, 1)).toEqual(['pid is 589, not 1']);
    expect(eventLayoutProblems(memory, 589)).not.toEqual([]);
  });
});

describe('fields', () => {
  it.each([
    ['memory', memoryFields(memory)],
    ['event', eventFields(event)],
  ])('cover all 64 bytes of a %s handle without gaps', (_kind, fields) => {
    let at = 0;
    for (const field of fields) {
      expect(field.offset).toBe(at);
      at += field.length;
    }
    expect(at).toBe(64);
  });

  it('leave out what makes the handle a capability', () => {
    const secret = [...memoryFields(memory), ...eventFields(event)].filter((field) => field.kind === 'secret');
    expect(secret.map((field) => field.name)).toEqual([
      'context token',
      'counter',
      'RM client',
      'RM object',
      'table',
      'slot',
    ]);
    for (const field of secret) expect([field.value, field.bytes]).toEqual([null, null]);
  });

  it('show the rest for people', () => {
    const values = Object.fromEntries(memoryFields(memory).map((field) => [field.name, field.value]));
    expect(values).toMatchObject({ pid: '589', 'size in bytes': '4,096', '4 KiB pages': '512', 'block offset': '0' });
  });
});
