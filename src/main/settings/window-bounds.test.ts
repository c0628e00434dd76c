import { describe, expect, it } from 'vitest';
import { isReachable } from './window-bounds';

const screens = [
  { x: 0, y: 0, width: 1920, height: 1080 },
  { x: 1920, y: 0, width: 1280, height: 1024 },
];
const at = (x: number, y: number) => ({ x, y, width: 1440, height: 900 });

describe('isReachable', () => {
  it('accepts a window whose title can be dragged, on any screen', () => {
    expect(isReachable(at(0, 0), screens)).toBe(true);
    expect(isReachable(at(2000, 100), screens)).toBe(true);
    expect(isReachable(at(-1300, 0), screens)).toBe(true);
  });

  it('refuses one that lies where no screen is any more', () => {
    expect(isReachable(at(-1400, 0), screens)).toBe(false);
    expect(isReachable(at(3150, 0), screens)).toBe(false);
    expect(isReachable(at(0, -200), screens)).toBe(false);
    expect(isReachable(at(0, 1060), screens)).toBe(false);
    expect(isReachable(at(0, 0), [])).toBe(false);
  });
});
