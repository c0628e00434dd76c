import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSticky, NOT_READY, resultFromTable, shortResult } from './results';

describe('the table of results', () => {
  it('agrees with what the simulator answers, name by name and text by text', () => {
    const definitions = readFileSync(resolve(import.meta.dirname, '../simulator/abi/results.def'), 'utf8');
    const rows = [...definitions.matchAll(/^X\((\w+),\s*(\d+),\s*"(.*)"\)$/gm)];
    expect(rows.length).toBeGreaterThan(90);
    for (const [, name, result, text] of rows) {
      expect(resultFromTable(Number(result))).toEqual({ result: Number(result), name, text });
    }
  });

  it('names a number that cuda.h does not have by the number', () => {
    expect(resultFromTable(4321)).toMatchObject({ result: 4321, name: 'CUDA_ERROR_4321' });
    expect(shortResult(resultFromTable(4321))).toBe('4321');
  });

  it('shows results in the driver spelling without prefix, with the number when it failed', () => {
    expect(shortResult(resultFromTable(0))).toBe('SUCCESS');
    expect(shortResult(resultFromTable(201))).toBe('INVALID_CONTEXT 201');
  });

  it('calls a context lost only for results after which nothing works any more', () => {
    expect([700, 719, 710].every(isSticky)).toBe(true);
    expect([0, 1, 2, 201, 400, NOT_READY, 704, 709].some(isSticky)).toBe(false);
  });
});
