/** Where things are. Every script works from any folder. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository root. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {...string} parts path below the root */
export const at = (...parts) => join(root, ...parts);
