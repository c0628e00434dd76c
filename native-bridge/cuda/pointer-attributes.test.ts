import { describe, expect, it } from 'vitest';
import { decodePointerAttribute, pointerAttributeText } from './pointer-attributes';

describe('pointer attributes', () => {
  it('decode by what cuda.h says they are, whatever lies in the unwritten bytes', () => {
    expect(decodePointerAttribute('IS_MANAGED', 0xdead_0001n)).toBe(1);
    expect(decodePointerAttribute('IS_MANAGED', 0xdead_0000n)).toBe(0);
    expect(decodePointerAttribute('DEVICE_ORDINAL', 0xffff_fffen)).toBe(-2);
    expect(decodePointerAttribute('RANGE_SIZE', 4194304n)).toBe(4194304);
    expect(decodePointerAttribute('RANGE_START_ADDR', 0x7f5a_6000_0000n)).toBe(0x7f5a_6000_0000n);
  });

  it('are words for people', () => {
    expect(pointerAttributeText('MEMORY_TYPE', 2n)).toBe('device');
    expect(pointerAttributeText('IS_LEGACY_CUDA_IPC_CAPABLE', 1n)).toBe('yes');
    expect(pointerAttributeText('MEMPOOL_HANDLE', 0n)).toBe('none');
    expect(pointerAttributeText('CONTEXT', 0x55d0n)).toBe('0x55d0');
    expect(pointerAttributeText('ALLOWED_HANDLE_TYPES', 9n)).toBe('POSIX_FILE_DESCRIPTOR, FABRIC');
    expect(pointerAttributeText('MAPPING_SIZE', 2097152n)).toBe('2097152');
  });
});
