import { describe, expect, it } from 'vitest';
import type { HandleAnatomy } from '#contract/handle-anatomy';
import { eventFields, memoryFields } from '#contract/handle-layout';
import { groupsOf } from '../../lib/groups';
import { shared } from '../../lib/testing/records';
import { piecesOf } from './anatomy-pieces';
import { sentence } from './ownership-words';
import { type Attributes, allAttributes, memoryText, rangeText, verdictsOf } from './pointer-facts';

const attributes = (values: Record<string, string | null>): Attributes =>
  Object.entries(values).map(([name, value]) => ({
    name,
    value,
    result: value === null ? 'CUDA_ERROR_INVALID_VALUE' : 'CUDA_SUCCESS',
  }));

const own = attributes({
  RANGE_SIZE: '4194304',
  MAPPING_SIZE: '4194304',
  MEMORY_TYPE: 'device',
  IS_LEGACY_CUDA_IPC_CAPABLE: 'yes',
  ALLOWED_HANDLE_TYPES: 'none',
  MEMPOOL_HANDLE: 'none',
});

describe('pointer facts', () => {
  it('say whether an export would expose neighbours', () => {
    expect(rangeText(own)).toBe('4.00 MiB, own block');
    expect(rangeText(attributes({ RANGE_SIZE: '4096', MAPPING_SIZE: '2097152' }))).toBe(
      '4.00 KiB in a block of 2.00 MiB',
    );
    expect(rangeText(attributes({ RANGE_SIZE: '4096', MAPPING_SIZE: null }))).toBe('4.00 KiB');
    expect(rangeText([])).toBeUndefined();
  });
  it('name the kind of memory as far as the driver tells', () => {
    expect(memoryText(own)).toBe('device, cuMemAlloc');
    expect(memoryText(attributes({ MEMORY_TYPE: 'device', IS_MANAGED: 'yes' }))).toBe('device, managed');
    expect(memoryText(attributes({ MEMORY_TYPE: 'device', MEMPOOL_HANDLE: '0x7f00' }))).toBe('device, from a pool');
    expect(memoryText(attributes({ MEMORY_TYPE: 'device', MEMPOOL_HANDLE: 'none' }), true)).toBe(
      'device, mapped with cuMemMap',
    );
  });
  it('give a verdict for each way of sharing; unknown is not no', () => {
    expect(verdictsOf(own, { supported: false, why: 'No IMEX channel' }).map(({ can, why }) => [can, why])).toEqual([
      [true, 'Exposes no neighbours'],
      [false, 'Not from a pool'],
      [false, 'Not made with cuMemCreate'],
      [false, 'No IMEX channel'],
    ]);
    expect(verdictsOf([], undefined).map(({ can }) => can)).toEqual([null, null, null, null]);
  });
  it('show every attribute, refused ones with their result', () => {
    expect(allAttributes(attributes({ BUFFER_ID: '50', CONTEXT: null, RANGE_SIZE: '4194304' }))).toEqual([
      ['buffer id', '50'],
      ['context', 'INVALID_VALUE'],
      ['range size', '4,194,304'],
    ]);
  });
});

describe('the anatomy strip', () => {
  const rows = (fields: HandleAnatomy['fields']) =>
    piecesOf(fields).map(({ field, from, length }) => [field.name, from, length]);
  it('fills four rows of sixteen for a memory handle, without gaps', () => {
    const pieces = piecesOf(memoryFields(new Uint8Array(64)));
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(64);
    expect(pieces.every(({ from, length }) => Math.floor(from / 16) === Math.floor((from + length - 1) / 16))).toBe(
      true,
    );
  });
  it('ends an event handle with one piece of zeros', () => {
    expect(
      rows(eventFields(new Uint8Array(64)))
        .at(-1)
        ?.slice(1),
    ).toEqual([20, 12]);
  });
});

describe('who holds it, in words', () => {
  it('says the same as the drawing', () => {
    const ledger = shared();
    const group = groupsOf(ledger).byId.get('p2.a1');
    if (group === undefined) throw new Error('no group');
    const exporter = ledger.peers.get('p2');
    expect(sentence(group, exporter, group.children, ledger.peers)).toBe(
      'Producer 1, 41210, exported one handle. It is open in Consumer 1 with 2 references and Inspector with 1.',
    );
    expect(sentence({ ...group, owner: 'gone' }, exporter, group.children, ledger.peers)).toMatch(
      /^Producer 1 is gone\. The handle is still open in/,
    );
    expect(sentence(group, undefined, [], ledger.peers)).toBe(
      'An unknown process exported one handle. Nobody has it open.',
    );
  });
});
