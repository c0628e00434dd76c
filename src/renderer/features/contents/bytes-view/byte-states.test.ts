import { describe, expect, it } from 'vitest';
import { decodeValue } from '#contract/decode-values';
import { dtypeIds, dtypes } from '#contract/dtypes';
import { hasFullExponent } from './byte-states';

describe('NaN and infinities', () => {
  it('are found by the two highest bytes exactly where decoding finds them', () => {
    for (const dtype of dtypeIds) {
      const { bytes, kind } = dtypes[dtype];
      if (kind !== 'float') {
        expect(hasFullExponent(dtype, 0x7f, 0xff)).toBe(false);
        continue;
      }
      const element = new Uint8Array(bytes);
      for (let top = 0; top < 0x10000; top++) {
        element[bytes - 1] = top >> 8;
        if (bytes > 1) element[bytes - 2] = top & 0xff;
        const finite = Number.isFinite(decodeValue(element, 0, dtype));
        if (hasFullExponent(dtype, top >> 8, top & 0xff) === finite) {
          throw new Error(`${dtype} ${top.toString(16)}: ${finite}`);
        }
      }
    }
  });
});
