import { describe, expect, it } from 'vitest';
import { PlaceHistory } from './history';

describe('places', () => {
  it('go back and forward', () => {
    const places = new PlaceHistory();
    places.leave(0, 100);
    places.leave(100, 200);
    expect(places.goBack(200)).toBe(100);
    expect(places.goBack(100)).toBe(0);
    expect(places.goBack(0)).toBeUndefined();
    expect(places.goForward(0)).toBe(100);
    places.leave(100, 500);
    expect(places.canGoForward).toBe(false);
    expect(places.goBack(500)).toBe(100);
  });

  it('a jump to the same place is none', () => {
    const places = new PlaceHistory();
    places.leave(7, 7);
    expect(places.canGoBack).toBe(false);
  });
});
