import { describe, expect, it } from 'vitest';
import { bytesPerRow, type RowMetrics, rowWidth } from './row-width';

const metrics: RowMetrics = { width: 640, cell: 20, gap: 8, char: 8, rest: 100, window: 1440 };

describe('bytes of a row', () => {
  it('counts cells, characters and the gaps between groups', () => {
    expect(rowWidth(16, 4, metrics)).toBe(100 + 16 * 28 + 3 * 8);
    expect(rowWidth(8, 16, metrics)).toBe(100 + 8 * 28);
  });
  it('takes what was chosen', () => {
    expect(bytesPerRow(32, 4, metrics)).toBe(32);
  });
  it('auto is 16 where they fit and 8 where not', () => {
    expect(bytesPerRow('auto', 4, metrics)).toBe(16);
    expect(bytesPerRow('auto', 4, { ...metrics, width: 2000 })).toBe(16);
    expect(bytesPerRow('auto', 4, { ...metrics, width: 500 })).toBe(8);
    expect(bytesPerRow('auto', 4, { ...metrics, width: 50 })).toBe(8);
  });
  it('auto fills a very wide window in eights', () => {
    expect(bytesPerRow('auto', 4, { ...metrics, width: 1000, window: 2560 })).toBe(24);
    expect(bytesPerRow('auto', 4, { ...metrics, width: 9000, window: 3840 })).toBe(64);
  });
});
