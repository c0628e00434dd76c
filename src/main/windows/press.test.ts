import { expect, it } from 'vitest';
import { isPress, pressedJustNow } from './press';

it('a window has been used when somebody pressed something in the last five seconds', () => {
  expect(pressedJustNow({}, 10_000)).toBe(false);
  expect(pressedJustNow({ lastPress: 10_000 }, 10_000)).toBe(true);
  expect(pressedJustNow({ lastPress: 10_000 }, 14_999)).toBe(true);
  expect(pressedJustNow({ lastPress: 10_000 }, 15_000)).toBe(false);
  expect(pressedJustNow({ lastPress: 10_000 }, 9_999)).toBe(false);
});

it('moving the pointer, scrolling and letting go press nothing', () => {
  for (const type of ['mouseDown', 'rawKeyDown', 'keyDown', 'gestureTap']) expect(isPress(type), type).toBe(true);
  for (const type of ['mouseMove', 'mouseUp', 'mouseEnter', 'mouseWheel', 'keyUp', 'undefined'])
    expect(isPress(type), type).toBe(false);
});
