/** Folders of tests. */
import { rmSync } from 'node:fs';
import { expect } from '@playwright/test';

/**
 * Removes a folder with all in it. Processes of Chromium that outlive main for a moment may write into its profile
 * meanwhile: then it is listed again, which rmSync itself does not do.
 */
export async function removeFolder(path: string): Promise<void> {
  const remove = (): boolean => {
    try {
      rmSync(path, { recursive: true, force: true });
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
      throw thrown;
    }
  };
  await expect.poll(remove, { message: `removes ${path}`, timeout: 10_000 }).toBe(true);
}
