/** Links and pictures of the documentation lead somewhere, and every picture is shown somewhere. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const files = [
  join(root, 'README.md'),
  join(root, 'native-bridge/simulator/README.md'),
  ...readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(docs, name)),
];

/** A text without its blocks of code, where brackets are no links. @param {string} text */
const prose = (text) => text.replace(/^```[\s\S]*?^```/gm, '');

/** What the heading of a section is called in links to it. @param {string} heading */
const anchor = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** Places inside of the repository that a file links to or shows. @param {string} file */
function targets(file) {
  const text = prose(readFileSync(file, 'utf8'));
  const found = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map((match) => match[1] ?? match[2]);
  return found
    .filter((link) => link !== undefined && !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path, section] = /** @type {string} */ (link).split('#');
      return { link, path: path === '' ? file : resolve(dirname(file), path ?? ''), section };
    });
}

/** Links of a file that lead nowhere. @param {string} file */
function broken(file) {
  return targets(file)
    .filter(({ path, section }) => {
      if (!existsSync(path)) return true;
      if (section === undefined || !path.endsWith('.md')) return false;
      const headings = [...prose(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm)];
      return !headings.some((match) => anchor(match[1] ?? '') === section);
    })
    .map(({ link }) => `${relative(root, file)}: ${link}`);
}

it('links lead somewhere', () => {
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap(broken)).toEqual([]);
});

it('every picture is shown, and every page is linked to', () => {
  const reached = new Set(files.flatMap((file) => targets(file).map(({ path }) => path)));
  const pictures = readdirSync(join(docs, 'images')).map((name) => join(docs, 'images', name));
  expect([...pictures, ...files.slice(1)].filter((file) => !reached.has(file))).toEqual([]);
});

const folder = mkdtempSync(join(tmpdir(), 'docs-links-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('finds what leads nowhere', () => {
  const file = join(folder, 'a.md');
  writeFileSync(
    file,
    '# One `two`: three\n[fine](#one-two-three) [no](#four) [no](b.md) <img src="c.png">\n```\n[code](d.md)\n```\n[web](https://example.org)\n',
  );
  expect(broken(file).map((line) => line.split(': ').at(-1))).toEqual(['#four', 'b.md', 'c.png']);
});
