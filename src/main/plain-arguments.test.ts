import { describe, expect, it } from 'vitest';
import { misplacedBytes } from './plain-arguments';

describe('binary data in arguments', () => {
  it('may stand where calls take bytes', () => {
    expect(misplacedBytes(undefined)).toBeUndefined();
    expect(misplacedBytes('text')).toBeUndefined();
    expect(misplacedBytes({ id: 'p1.a1', offset: 0, bytes: new Uint8Array(8) })).toBeUndefined();
    expect(misplacedBytes({ handle: new Uint8Array(64), device: 0 })).toBeUndefined();
    expect(misplacedBytes({ fabric: new Uint8Array(64), bytes: 4096 })).toBeUndefined();
    expect(misplacedBytes({ layout: { main: [20, 80] } })).toBeUndefined();
  });

  it('is found everywhere else', () => {
    expect(misplacedBytes(new Uint8Array(8))).toBe('');
    expect(misplacedBytes(new ArrayBuffer(8))).toBe('');
    expect(misplacedBytes({ layout: new Float64Array(2) })).toBe('layout');
    expect(misplacedBytes({ tables: { handles: { bytes: new DataView(new ArrayBuffer(8)) } } })).toBe(
      'tables.handles.bytes',
    );
    expect(misplacedBytes([new Uint8Array(8)])).toBe('0');
  });

  it('is found in what refers to itself, too', () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    expect(misplacedBytes(circle)).toBeUndefined();
    circle.more = new Uint8Array(8);
    expect(misplacedBytes(circle)).toBe('more');
  });
});
