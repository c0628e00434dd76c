/**
 * The built app in real Electron, as a test sees it: launched with its own empty profile, watched for anything that
 * must not happen in a page, and checked on closing for what it leaves behind.
 */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { _electron, type ElectronApplication, expect, type Page, test } from '@playwright/test';
import type { Role } from '#contract/values';
import { electronExecutable, electronFlags, runtimeFolder } from '../../scripts/lib/electron.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { type Api, api } from './api';
import { removeFolder } from './folders';
import { Leftovers } from './leftovers';

export interface LaunchOptions {
  /** Added to the environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Arguments after the app folder. */
  readonly args?: readonly string[];
  /** That of an app that was killed, to be used again; otherwise a new, empty one. */
  readonly profile?: string;
}

/** How long a window may take to appear with its content, in milliseconds. */
const WINDOW_MS = 20_000;
/** How long quitting may take, in milliseconds. */
const QUIT_MS = 15_000;

export class App {
  readonly problems: string[] = [];
  /** Everything the processes wrote, for the report of a failed test. */
  output = '';
  #expected: RegExp[] = [];
  #closed = false;
  /** Kept, since Playwright forgets the process of an app that has ended. */
  readonly #child: ReturnType<ElectronApplication['process']>;

  private constructor(
    readonly electron: ElectronApplication,
    readonly profile: string,
    private readonly leftovers: Leftovers,
  ) {
    this.#child = electron.process();
  }

  /** Starts the app and waits for the Inspector window. */
  static async launch(options: LaunchOptions = {}): Promise<App> {
    const executable = electronExecutable();
    if (!executable) throw new Error('There is no Electron runtime yet: npm run setup');
    // Not as executablePath: only for an Electron that Playwright finds itself does it hold back `ready` until it is
    // attached, and without that a window that opens meanwhile can make launching hang.
    if (dirname(executable) === runtimeFolder) process.env.ELECTRON_OVERRIDE_DIST_PATH = runtimeFolder;
    if (!existsSync(join(root, 'out/main/index.js'))) throw new Error('The app is not built yet: npm run build');
    const leftovers = new Leftovers(test.info().config.workers === 1);
    const profile = options.profile ?? mkdtempSync(join(tmpdir(), 'gpu-ipc-e2e-'));
    const electron = await _electron.launch({
      cwd: root,
      args: [...electronFlags(), '--disable-gpu', `--user-data-dir=${profile}`, root, ...(options.args ?? [])],
      env: environment(profile, options.env),
    });
    leftovers.main = electron.process().pid;
    await answerQuestions(electron);
    const app = new App(electron, profile, leftovers);
    app.#watchProcess();
    await electron.context().addInitScript(reportPolicyViolations);
    for (const page of electron.windows()) app.#watchPage(page);
    electron.on('window', (page) => app.#watchPage(page));
    return app;
  }

  /** The first window whose title begins with `prefix`. */
  async window(prefix: string): Promise<Page> {
    const titled = async () => {
      for (const page of this.electron.windows()) {
        if ((await page.title().catch(() => '')).startsWith(prefix)) return page;
      }
      return undefined;
    };
    await expect.poll(titled, { timeout: WINDOW_MS, message: `a window titled ${prefix}…` }).toBeTruthy();
    const page = await titled();
    if (!page) throw new Error(`The window titled ${prefix} closed again.`);
    await page.waitForLoadState();
    return page;
  }

  inspector(): Promise<Page> {
    return this.window('GPU IPC Inspector');
  }

  /** Opens a producer or consumer window the way the Inspector does, and waits until its process answers. */
  async open(role: Exclude<Role, 'inspector'>, device = 0): Promise<DemoWindow> {
    const inspector = api(await this.inspector());
    const { peerId, pid } = await inspector.demo.open.value({ role, device });
    const page = await this.windowOf(peerId);
    return { page, api: api(page), peerId, pid };
  }

  /** The window that belongs to a peer. */
  async windowOf(peerId: string): Promise<Page> {
    const find = async () => {
      for (const page of this.electron.windows()) {
        const info = await api(page)
          .app.info()
          .catch(() => undefined);
        if (info?.ok && info.value.self.peerId === peerId) return page;
      }
      return undefined;
    };
    await expect.poll(find, { timeout: WINDOW_MS, message: `the window of ${peerId}` }).toBeTruthy();
    const page = await find();
    if (!page) throw new Error(`The window of ${peerId} closed again.`);
    return page;
  }

  /** What closing windows has asked so far, in words; and what is answered from now on (at first, to close). */
  questions(answer: 'Close' | 'Keep open' = 'Close'): Promise<string[]> {
    return this.electron.evaluate((_electron, response) => {
      const questions = globalThis as unknown as Questions;
      questions.answerToQuestions = response;
      return questions.questionsAsked;
    }, answer);
  }

  /** The Inspector's API. */
  async api(): Promise<Api> {
    return api(await this.inspector());
  }

  /** From now on a problem that matches is not one: for tests that provoke it. */
  expectProblem(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /**
   * Quits the app as a person does and fails when anything went wrong in a page, or when a process, a shared memory
   * file or a socket is left.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const child = this.#child;
    this.leftovers.remember();
    const quit = await Promise.race([
      this.electron.close().then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, QUIT_MS, false)),
    ]);
    if (!quit) {
      child.kill('SIGKILL');
      this.problems.push(`the app did not quit within ${QUIT_MS} ms`);
    }
    await removeFolder(this.profile);
    const problems = this.problems.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)));
    expect(problems, 'problems in the pages and processes').toEqual([]);
    await this.#leavesNothing();
  }

  /**
   * Ends main in the way for which nothing can be prepared, and fails when anything is left of the app.
   * @param also  other processes that are killed before it
   */
  async killMain({ also = [] as readonly number[], keepProfile = false, expectNothing = true } = {}): Promise<void> {
    this.#closed = true;
    this.leftovers.remember();
    for (const pid of also) process.kill(pid, 'SIGKILL');
    const child = this.#child;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    if (!keepProfile) await removeFolder(this.profile);
    if (expectNothing) await this.#leavesNothing();
    else this.leftovers.stop();
  }

  async #leavesNothing(): Promise<void> {
    await expect.poll(() => this.leftovers.list(), { timeout: 5000, message: 'what the app left behind' }).toEqual([]);
    this.leftovers.stop();
  }

  #watchProcess(): void {
    const child = this.#child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        for (const line of text.split('\n')) {
          if (/Unhandled|Uncaught|Error occurred in handler/i.test(line)) this.problems.push(`main process: ${line}`);
        }
      });
    }
  }

  #watchPage(page: Page): void {
    // The first page may have loaded before the init script was there.
    void page.evaluate(reportPolicyViolations).catch(() => undefined);
    page.on('pageerror', (error) => this.problems.push(`page error: ${error.message}`));
    page.on('crash', () => this.problems.push('a page crashed'));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(`console: ${message.text()}`);
    });
  }
}

export interface DemoWindow {
  readonly page: Page;
  readonly api: Api;
  readonly peerId: string;
  readonly pid: number;
}

/** Runs in the page: makes every refused resource or script a console error, which fails the test. */
function reportPolicyViolations(): void {
  const marked = globalThis as typeof globalThis & { policyWatched?: boolean };
  if (marked.policyWatched) return;
  marked.policyWatched = true;
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`securitypolicyviolation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
}

interface Questions {
  questionsAsked: string[];
  answerToQuestions: string;
}

/** Dialogs of the system cannot be seen from here: they are answered in place of a person, and what they say is kept. */
function answerQuestions(electron: ElectronApplication): Promise<void> {
  return electron.evaluate(({ dialog }) => {
    const questions = globalThis as unknown as Questions;
    questions.questionsAsked = [];
    questions.answerToQuestions = 'Close';
    dialog.showMessageBox = async (...args: unknown[]) => {
      const { message, detail = '', buttons = [] } = args.at(-1) as Electron.MessageBoxOptions;
      questions.questionsAsked.push(`${message} ${detail}`.trim());
      return { response: buttons.indexOf(questions.answerToQuestions), checkboxChecked: false };
    };
  });
}

function environment(profile: string, changes: LaunchOptions['env'] = {}): Record<string, string> {
  const env: Record<string, string | undefined> = {
    GPU_IPC_DRIVER: 'simulator',
    // Main then compares every answer with the schema of its call.
    GPU_IPC_CHECK_RESULTS: '1',
    ...process.env,
    // Where there is no Node, the tests themselves run in Electron as Node; the app must not.
    ELECTRON_RUN_AS_NODE: undefined,
    XDG_CONFIG_HOME: profile,
    ...changes,
  };
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
