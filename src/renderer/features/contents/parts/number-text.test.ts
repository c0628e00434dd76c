import { describe, expect, it } from 'vitest';
import { numberText } from './NumberField';

describe('a number in a field', () => {
  it('has as many digits as there is room for, and always its size', () => {
    expect(numberText(0.5, 11)).toBe('0.5');
    expect(numberText(-4065.327636718, 11)).toBe('-4065.32764');
    expect(numberText(2.58254417e17, 11)).toBe('2.58254e+17');
    expect(numberText(1.18842243770001, 11)).toBe('1.188422438');
    expect(numberText(-2.582544170319e-38, 11)).toBe('-2.5825e-38');
    for (const value of [Math.PI * 1e30, -1 / 3, 1e-7 / 3, 123456789.123, 2 ** 53]) {
      const text = numberText(value, 11);
      expect(text.length).toBeLessThanOrEqual(11);
      expect(Math.abs(Number(text) / value - 1)).toBeLessThan(1e-3);
    }
  });
});
