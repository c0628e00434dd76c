import { describe, expect, it } from 'vitest';
import { chordOf } from './commands';

const key = (name: string, modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
  chordOf({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });

describe('a chord', () => {
  it.each([
    [key('k', { ctrlKey: true }), 'Ctrl+K'],
    [key('P', { ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+P'],
    [key('k', { metaKey: true }), 'Ctrl+K'],
    [key('?', { shiftKey: true }), '?'],
    [key('F6', { shiftKey: true }), 'Shift+F6'],
    [key('c'), 'C'],
    [key('C', { shiftKey: true }), 'Shift+C'],
    [key(' '), 'Space'],
    [key('ArrowLeft', { altKey: true }), 'Alt+←'],
    [key('.'), '.'],
    [key('/'), '/'],
    [key('Escape'), 'Esc'],
  ])('%s is %s', (chord, expected) => expect(chord).toBe(expected));
});
