/** Stamps: a step is skipped when what it was made from has not changed since. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { at, root } from './paths.mjs';

/**
 * One hash over the names and contents of files.
 * @param {readonly string[]} paths files and folders below the root; a missing one counts as absent
 * @param {(path: string) => boolean} [wanted] which files of a folder count
 * @returns {string} hexadecimal SHA-256
 */
export function fingerprint(paths, wanted = () => true) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of files(at(path)).sort()) {
      if (!wanted(file)) continue;
      hash
        .update(`${file.slice(root.length)}\0`)
        .update(readFileSync(file))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

/** @param {string} path @returns {string[]} the file itself, or every file below the folder */
function files(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} path @returns {string | undefined} */
export function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Writes a file so that others see the old or the new content, never half of it. @param {string} path @param {string} text */
export function writeWhole(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}
