import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guessHandleKind } from './handle-layout';
import { importFindings } from './import-findings';
import { parsePaste } from './paste/parse-paste';
import { decodePoolPointer, MOST_POOL_POINTER_BYTES, poolPointerProblem } from './pool-pointer-layout';

interface Sample {
  readonly pid: number;
  readonly bytes: number;
  readonly opens: boolean;
  readonly text: string;
}
const { pointers } = JSON.parse(readFileSync(new URL('./testing/pool-pointers.json', import.meta.url), 'utf8')) as {
  pointers: Sample[];
};
const bytesOf = ({ text }: Sample): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

describe('real pool pointers', () => {
  it.each(pointers)('of $bytes bytes are recognised', (sample) => {
    const { pid, bytes, opens, text } = sample;
    expect(decodePoolPointer(bytesOf(sample))).toEqual({ pid, allocationBytes: BigInt(bytes) });
    expect(guessHandleKind(bytesOf(sample))).toBe('unknown');
    expect(parsePaste(text).items).toMatchObject([{ kind: 'cuda-pool-pointer', pid, allocationSize: bytes }]);
    expect(poolPointerProblem(bytes) === undefined).toBe(opens);
  });

  it.each(pointers)('of $bytes bytes are refused where the driver crashes', (sample) => {
    const found = importFindings(
      { handle: bytesOf(sample), mechanism: 'pool' },
      { ownPid: 1, presence: () => 'alive', devices: [], openCount: 0, poolImported: true, layoutChecked: true },
    );
    expect(found.map(({ level, code }) => `${level} ${code}`)).toEqual(
      sample.opens ? [] : ['refuse pool-pointer-too-large'],
    );
  });

  it('have two for each 32 MiB in bytes 40-43, as the layout says', () => {
    for (const sample of pointers) {
      const chunks = Math.ceil(sample.bytes / 2 ** 25);
      expect(new DataView(bytesOf(sample).buffer).getUint32(40, true)).toBe(0x33 + 2 * chunks);
    }
  });

  it('are none when a byte differs that was zero in all, or a field cannot be', () => {
    const [first] = pointers as [Sample];
    for (const at of [3, 5, 12, 38]) {
      const changed = bytesOf(first);
      changed[at] = 0x80;
      expect(decodePoolPointer(changed), `byte ${at}`).toBeUndefined();
    }
    for (const [at, length] of [
      [0, 4],
      [8, 4],
      [32, 8],
    ] as const) {
      const changed = bytesOf(first).fill(0, at, at + length);
      expect(decodePoolPointer(changed), `byte ${at}`).toBeUndefined();
    }
    expect(decodePoolPointer(bytesOf(first).subarray(0, 63))).toBeUndefined();
  });

  it('are read whatever stands behind the fields: the driver does not write there', () => {
    // Of cuda.core on driver 580.159.04: 1 MiB, with an address of its process in bytes 48-55.
    const text =
      '2413000000000000010000000000000056b9cfe92600000000000000000000000000100000000000350000000000000070e689c2567f00000000000000000000';
    expect(decodePoolPointer(Uint8Array.from(Buffer.from(text, 'hex')))).toEqual({
      pid: 0x1324,
      allocationBytes: 2n ** 20n,
    });
  });
});

describe('what must not be imported', () => {
  it('begins above 4 GiB', () => {
    expect(poolPointerProblem(MOST_POOL_POINTER_BYTES)).toBeUndefined();
    expect(poolPointerProblem(MOST_POOL_POINTER_BYTES + 1)?.message).toContain('4,294,967,297 bytes');
  });
});
