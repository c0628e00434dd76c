import { describe, expect, it } from 'vitest';
import { kernelDriverRelease, releaseIn } from './release';

describe('release of the kernel driver', () => {
  it('is found in both forms of /proc/driver/nvidia/version', () => {
    const proprietary =
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n';
    const open =
      'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (builder@host)  \nGCC version:  gcc version 13.3.0\n';
    expect(releaseIn(proprietary)).toBe('535.129.03');
    expect(releaseIn(open)).toBe('580.159.04');
    expect(releaseIn('470.57\n')).toBe('470.57');
  });

  it('is unknown where there is no module', () => {
    expect(kernelDriverRelease(['/nonexistent/version'])).toBeUndefined();
    expect(releaseIn('')).toBeUndefined();
  });
});
