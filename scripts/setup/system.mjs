/** Debian and Ubuntu packages that Electron and the simulator's build need. Linux only. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { hasDisplay } from '../lib/display.mjs';
import { electronExecutable } from '../lib/electron.mjs';
import { run } from '../lib/process.mjs';
import { progress, Stop, say } from '../lib/terminal.mjs';
import { findProgram, hasCompiler } from '../native-build.mjs';

/** Packages by what they bring; where two names are given, newer releases use the first. */
const libraries = [
  ['libgtk-3-0t64', 'libgtk-3-0'],
  ['libnss3'],
  ['libasound2t64', 'libasound2'],
  ['libgbm1'],
  ['libxss1'],
  ['libxtst6'],
  ['libx11-xcb1'],
];
const display = [['xvfb'], ['fonts-dejavu-core']];
const compilerPackages = [['gcc'], ['libc6-dev']];

/** Loaded by name at run time, so ldd does not list it; without it Electron ends in a silent trap. */
const LOADED_BY_NAME = 'libX11-xcb.so.1';

/**
 * @param {{ compiler: boolean, compilerFor: string | undefined }} wanted `compiler`: whether one is missing that is
 *   needed; `compilerFor`: for what, as the beginning of a sentence, where that is known
 */
export async function installSystemPackages({ compiler, compilerFor }) {
  if (process.platform !== 'linux') return;
  const missing = missingThings(compiler);
  if (missing.length === 0) return;
  const what = missing.map(({ what: name }) => name).join(', ');
  const wanted = missing.flatMap(({ packages }) => packages);
  const why = compiler && compilerFor !== undefined ? `\n${compilerFor}, which is built with a C compiler.` : '';
  if (findProgram('apt-get') === undefined) {
    throw new Stop(
      `Missing: ${what}.${why}\nThis system has no apt-get; install what brings these with its own package manager.`,
    );
  }
  const root = process.getuid?.() === 0;
  if (!root) {
    const names = wanted.map((choices) => available(choices) ?? choices.at(-1));
    throw new Stop(
      `Missing: ${what}.${why}\nInstall it with this command, then run the same again:\n\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}\n`,
    );
  }
  await progress('Installing system packages (apt-get)', async (report) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    /** @param {string[]} args */
    const apt = async (args) => {
      const { code, output } = await run('apt-get', args, { stdio: ['ignore', 'pipe', 'pipe'], env });
      if (code !== 0) throw new Stop(`apt-get ${args[0]} failed:\n${output.trim()}`);
    };
    report('reading the package lists');
    await apt(['update', '-qq']);
    const names = wanted.map((choices) => available(choices) ?? choices.at(-1) ?? '');
    report(names.join(' '));
    // An installation that was interrupted has to be finished first.
    await run('dpkg', ['--configure', '-a'], { stdio: 'ignore', env });
    await apt(['install', '-y', '-qq', '--no-install-recommends', ...names]);
  });
  const still = missingThings(compiler && !hasCompiler());
  if (still.length > 0) say(`Still missing after the installation: ${still.map(({ what: name }) => name).join(', ')}.`);
}

/** @param {boolean} compiler whether there is none and one is needed @returns {{ what: string, packages: string[][] }[]} */
function missingThings(compiler) {
  const missing = [];
  const absent = missingLibraries();
  if (absent.length > 0) missing.push({ what: absent.join(', '), packages: libraries });
  if (!hasDisplay() && !(findProgram('Xvfb') !== undefined && hasFont())) {
    missing.push({ what: 'a virtual display (Xvfb) with a font', packages: display });
  }
  if (compiler) missing.push({ what: 'a C compiler', packages: compilerPackages });
  return missing;
}

/** Whether there is any font for what the app's own fonts do not cover. */
function hasFont() {
  try {
    return readdirSync('/usr/share/fonts', { recursive: true }).some((name) => /\.(ttf|otf|ttc)$/.test(String(name)));
  } catch {
    return false;
  }
}

/** Shared libraries that Electron needs and the dynamic linker does not find. */
function missingLibraries() {
  const electron = electronExecutable();
  if (!electron || process.env.LD_LIBRARY_PATH) return [];
  const links = output('ldd', [electron]);
  const absent = [...links.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? '');
  if (!output(existsSync('/sbin/ldconfig') ? '/sbin/ldconfig' : 'ldconfig', ['-p']).includes(LOADED_BY_NAME)) {
    absent.push(LOADED_BY_NAME);
  }
  return absent;
}

/** @param {readonly string[]} choices @returns {string | undefined} the first that the package lists know */
const available = (choices) =>
  choices.find((name) => /^Package: /m.test(output('apt-cache', ['show', '--no-all-versions', name])));

/** @param {string} command @param {string[]} args @returns {string} standard output, empty when it fails */
function output(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
