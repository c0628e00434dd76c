import { describe, expect, it } from 'vitest';
import { choiceKey, librariesByLanguage, mechanismOf, usableChoice, whatTravels } from './choices';

describe('the choices of code for the other side', () => {
  it('list every library under its language, those that cannot with the reason', () => {
    const [python, cpp, csharp] = librariesByLanguage('pool', 'importer');
    expect(python?.[0]).toBe('python');
    expect([python, cpp, csharp].flatMap((each) => each?.[1] ?? []).length).toBe(10);
    expect(python?.[1].find(({ library }) => library === 'cupy')?.why).toMatch(/^[A-Z].*\.$/);
    expect(python?.[1].find(({ library }) => library === 'ctypes')?.why).toBeUndefined();
  });
  it('fall back to the first library that can', () => {
    expect(usableChoice('legacy', 'importer', 'python/cupy')?.library).toBe('cupy');
    const other = usableChoice('pool', 'importer', 'python/cupy');
    expect(other?.why).toBeUndefined();
    expect(other && choiceKey(other)).toBe('python/ctypes');
  });
  it('name an event by itself, although it travels as legacy handles do', () => {
    expect(mechanismOf({ kind: 'event', mechanism: 'legacy' })).toBe('event');
    expect(mechanismOf({ kind: 'physical', mechanism: 'virtual' })).toBe('virtual');
  });
  it('say what travels', () => {
    const pieces = [3, 4].map((fd) => ({ fd, bytes: 2 ** 21 }));
    expect(whatTravels({ kind: 'memory', mechanism: 'virtual', descriptors: pieces })).toContain('its 2 pieces');
    expect(whatTravels({ kind: 'memory', mechanism: 'pool' })).toContain('and 64 bytes');
  });
});
