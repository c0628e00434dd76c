import { describe, expect, it } from 'vitest';
import { searchQuery } from './query';

describe('what a search is for', () => {
  it('takes bytes with and without spaces, and any byte', () => {
    expect(searchQuery({ bytes: '48 ?? 6c' })).toEqual({ pattern: [0x48, null, 0x6c] });
    expect(searchQuery({ bytes: '0xDEADbeef' })).toEqual({ pattern: [0xde, 0xad, 0xbe, 0xef] });
  });

  it.each(['4', '4?', '48 6', 'xy', '??', '', '?? ??', '00'.repeat(65)])('refuses the bytes %j', (bytes) => {
    expect(() => searchQuery({ bytes })).toThrow(/byte|digits/i);
  });

  it('keeps whole numbers that a number cannot hold', () => {
    expect(searchQuery({ dtype: 'u64', value: '9007199254740993' })).toEqual({
      dtype: 'u64',
      value: 9007199254740993n,
    });
    expect(searchQuery({ dtype: 'i64', value: -5 })).toEqual({ dtype: 'i64', value: -5n });
    expect(searchQuery({ dtype: 'u32', value: '0xff' })).toEqual({ dtype: 'u32', value: 255 });
    expect(searchQuery({ dtype: 'i32', value: '1e6' })).toEqual({ dtype: 'i32', value: 1e6 });
  });

  it('knows NaN and the infinities, and which types have them', () => {
    expect(searchQuery({ dtype: 'f32', value: 'nan' })).toEqual({ dtype: 'f32', is: 'nan' });
    expect(searchQuery({ dtype: 'f32', value: '-Inf' })).toEqual({ dtype: 'f32', value: Number.NEGATIVE_INFINITY });
    expect(searchQuery({ dtype: 'c64', is: 'inf' })).toEqual({ dtype: 'c64', is: 'inf' });
    expect(() => searchQuery({ dtype: 'u8', is: 'nan' })).toThrow(/no NaN/);
    expect(() => searchQuery({ dtype: 'u8', value: 'inf' })).toThrow(/no value/);
  });

  it('refuses what is no value of the type', () => {
    expect(() => searchQuery({ dtype: 'u8', value: 300 })).toThrow('300 is no value of unsigned 8-bit integer');
    expect(() => searchQuery({ dtype: 'i4', value: 8 })).toThrow('−8 to 7');
    expect(() => searchQuery({ dtype: 'i32', value: 1.5 })).toThrow('fraction');
    expect(() => searchQuery({ dtype: 'f32', value: 'many' })).toThrow('not a number');
  });

  it('cuts a range to the type, and refuses one that lies outside of it', () => {
    expect(searchQuery({ dtype: 'u8', min: -5, max: 'inf' })).toEqual({ dtype: 'u8', min: 0, max: 255 });
    expect(searchQuery({ dtype: 'f16', min: '-inf', max: 0.5 })).toEqual({
      dtype: 'f16',
      min: Number.NEGATIVE_INFINITY,
      max: 0.5,
    });
    expect(() => searchQuery({ dtype: 'u8', min: 256, max: 400 })).toThrow('No value');
    expect(() => searchQuery({ dtype: 'f32', min: 2, max: 1 })).toThrow('ends before it begins');
    expect(() => searchQuery({ dtype: 'f32', min: 'nan', max: 1 })).toThrow('NaN');
  });
});
