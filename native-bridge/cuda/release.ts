/** Release of the installed kernel driver, `580.159.04`: what driver notes and bug reports are about. */
import { readFileSync } from 'node:fs';

/** `580.159.04` out of `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …` and its open sibling. */
export function releaseIn(text: string): string | undefined {
  const line = text.split('\n').find((candidate) => candidate.includes('Kernel Module')) ?? text.split('\n')[0] ?? '';
  return /(?:^|\s)(\d{3,4}\.\d{1,3}(?:\.\d{1,3})?)(?:\s|$)/.exec(line)?.[1];
}

/**
 * Reads the release from /proc or /sys.
 * @returns undefined without an NVIDIA kernel module, and on systems without these files
 */
export function kernelDriverRelease(
  files: readonly string[] = ['/proc/driver/nvidia/version', '/sys/module/nvidia/version'],
): string | undefined {
  for (const file of files) {
    try {
      const release = releaseIn(readFileSync(file, 'utf8'));
      if (release !== undefined) return release;
    } catch {
      // Not there: no module, or not Linux.
    }
  }
  return undefined;
}
