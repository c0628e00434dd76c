/**
 * Electron's security checklist, tried in the real app: what a page could do if something hostile ran in it. The numbers
 * are the items of docs/security.md.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { calls } from '#contract/calls';
import type { Role } from '#contract/values';
import { at } from '../scripts/lib/paths.mjs';
import type { Api } from './harness/api';
import { exportHandle } from './harness/api';
import type { App } from './harness/app';
import { expect, test } from './harness/test';

const ORIGIN = 'app://gpu-ipc';

/** What a page has besides the calls. */
const subscriptions = ['contents.subscribe', 'ledger.subscribe', 'settings.subscribe'];

/** One window of each role. */
async function everyWindow(app: App, inspector: Page): Promise<[Role, Page][]> {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  return [
    ['inspector', inspector],
    ['producer', producer.page],
    ['consumer', consumer.page],
  ];
}

/** Reads through a port for bytes, as the pages do; `undefined` where none come. Says nothing after what is no request. */
function readThroughPort(page: Page, requests: readonly unknown[], answers: number): Promise<[number, number?][]> {
  return page.evaluate(
    ([sent, count]) =>
      new Promise<[number, number?][]>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        const replies: [number, number?][] = [];
        port1.onmessage = ({ data: [id, read] }) => {
          replies.push(read === undefined ? [id] : [id, read.bytes.length]);
          if (replies.length === count) resolve(replies.sort(([a], [b]) => a - b));
        };
        window.postMessage('gpu-ipc:bytes-port', window.location.origin, [port2]);
        for (const request of sent) port1.postMessage(request);
      }),
    [requests, answers] as const,
  );
}

test('17: the port for bytes reads memory of its own window, and does nothing else', async ({
  app,
  inspector,
  gpu,
}) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  const producer = await app.open('producer');
  const { id: theirs } = await producer.api.buffers.create.value({ device: 0, bytes: 4096 });
  const requests = [
    'memory.read',
    [{ id, offset: 0, length: 16 }, 1],
    { id, offset: 0, length: 16 },
    [1, { id, offset: 0, length: 16 }],
    [2, { id: theirs, offset: 0, length: 16 }],
    [3, { id, offset: 4090, length: 16 }],
    [4, { id, offset: -1, length: 16 }],
    [5, { id, offset: 0, length: 65 * 2 ** 20 }],
    [6, { id }],
    [7],
    [8, { id, offset: 4080, length: 16 }],
  ];
  expect(await readThroughPort(inspector, requests, 8)).toEqual([[1, 16], [2], [3], [4], [5], [6], [7], [8, 16]]);
  expect(
    await readThroughPort(
      producer.page,
      [
        [1, { id: theirs, offset: 0, length: 16 }],
        [2, requests[3]],
      ],
      2,
    ),
  ).toEqual([[1, 16], [2]]);
});

test('2, 3, 4, 6, 20: pages are isolated, sandboxed and see one frozen object', async ({ app, inspector }) => {
  for (const [role, page] of await everyWindow(app, inspector)) {
    expect(await page.title()).toMatch(
      { inspector: /^GPU IPC Inspector/, producer: /^Producer/, consumer: /^Consumer/ }[role],
    );
    expect(page.url()).toBe(`${ORIGIN}/${role}.html`);
    const seen = await page.evaluate(() => {
      const frozen = (value: unknown): boolean =>
        typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
      const reach = (name: string) => typeof (globalThis as unknown as Record<string, unknown>)[name];
      const before = window.gpuIpc;
      try {
        (window as unknown as Record<string, unknown>).gpuIpc = {};
      } catch {
        // Refused, as it should be.
      }
      return {
        node: ['require', 'process', 'module', 'Buffer', 'global', '__dirname', 'ipcRenderer', 'electron'].map(reach),
        frozen: frozen(window.gpuIpc),
        same: before === window.gpuIpc,
        calls: Object.entries(window.gpuIpc).flatMap(([group, methods]) =>
          Object.keys(methods).map((method) => `${group}.${method}`),
        ),
        // Of what electron or a preload could leave on the window, only this.
        globals: Object.keys(window).filter((key) => /ipc|electron|node/i.test(key)),
      };
    });
    expect(new Set(seen.node)).toEqual(new Set(['undefined']));
    expect(seen.frozen).toBe(true);
    expect(seen.same).toBe(true);
    expect(seen.globals).toEqual(['gpuIpc']);
    expect(seen.calls.toSorted()).toEqual([...Object.keys(calls), ...subscriptions].toSorted());
  }

  // Not in the types; where a later Electron lacks it, what the pages see above has to do.
  const preferences = await app.electron.evaluate(({ webContents }) =>
    webContents
      .getAllWebContents()
      .map((contents) =>
        (contents as { getLastWebPreferences?: () => Record<string, unknown> }).getLastWebPreferences?.(),
      ),
  );
  expect(preferences).toHaveLength(3);
  for (const each of preferences.filter((found) => found !== undefined)) {
    expect(each).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false, webSecurity: true });
    // 8, 9, 10, 11: left as they are.
    expect(each.allowRunningInsecureContent).toBeFalsy();
    expect(each.experimentalFeatures).toBeFalsy();
    expect(each.enableBlinkFeatures ?? '').toBe('');
    expect(each.webviewTag).toBeFalsy();
  }
});

test('4: every renderer process is in the sandbox of the operating system', async ({ app, inspector }) => {
  test.skip(process.getuid?.() === 0, 'Chromium has no sandbox for root');
  await inspector.waitForLoadState();
  const renderers = await app.electron.evaluate(({ app: electron }) =>
    electron.getAppMetrics().filter(({ type }) => type === 'Tab'),
  );
  expect(renderers.length).toBeGreaterThan(0);
  for (const renderer of renderers) expect(renderer.sandboxed).toBe(true);
});

test('5: permissions are refused, but for writing text to the clipboard', async ({ inspector }) => {
  // Only a page that has the focus may write to the clipboard.
  await inspector.mouse.click(2, 2);
  const answers = await inspector.evaluate(async () => {
    const outcome = (asking: Promise<unknown>) =>
      asking.then(
        (value) => `granted ${String(value)}`,
        (error: unknown) => `refused ${(error as Error).name}`,
      );
    const state = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state;
    return {
      notification: await Notification.requestPermission(),
      camera: await outcome(navigator.mediaDevices.getUserMedia({ video: true })),
      screen: await outcome(navigator.mediaDevices.getDisplayMedia()),
      location: await outcome(
        new Promise((resolve, reject) =>
          navigator.geolocation.getCurrentPosition(resolve, () => reject(new DOMException('', 'NotAllowedError'))),
        ),
      ),
      read: await outcome(navigator.clipboard.readText()),
      write: await outcome(navigator.clipboard.writeText('0x7f00')),
      midi: await state('midi'),
      microphone: await state('microphone'),
    };
  });
  expect(answers).toMatchObject({
    notification: 'denied',
    camera: expect.stringMatching(/^refused/),
    screen: expect.stringMatching(/^refused/),
    location: 'refused NotAllowedError',
    read: 'refused NotAllowedError',
    write: 'granted undefined',
    midi: 'denied',
    microphone: 'denied',
  });
});

test('7: the content security policy is there and is enforced', async ({ app, inspector }) => {
  app.expectProblem(/securitypolicyviolation|Content Security Policy|requires 'Trusted(HTML|Script|ScriptURL)'/);
  app.expectProblem(/ERR_BLOCKED_BY_CSP|Failed to load resource/);
  const headers = await inspector.evaluate(async (url) => {
    const response = await fetch(url);
    return Object.fromEntries(response.headers);
  }, `${ORIGIN}/inspector.html`);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none'/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);

  const refused = ['base-uri', 'connect-src', 'frame-src', 'img-src', 'style-src-elem', 'require-trusted-types-for'];
  const seen = await inspector.evaluate(async (told) => {
    const violations: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const thrown = (attempt: () => unknown): string => {
      try {
        attempt();
        return 'worked';
      } catch (error) {
        return (error as Error).name;
      }
    };
    const add = (tag: string, fields: Record<string, string>) => {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(fields)) element.setAttribute(name, value);
      document.body.append(element);
      return element;
    };
    const marked = window as unknown as { ran?: string[] };
    marked.ran = [];

    // Code made of text. What a debugger evaluates may do so, hence the timer.
    const strings = await new Promise<string[]>((resolve) =>
      setTimeout(() => {
        const text = 'window.ran.push("text")';
        // biome-ignore lint/security/noGlobalEval: this is the attempt
        const attempts = [() => globalThis.eval(text), () => new Function(text)(), () => setTimeout(text as never)];
        resolve(attempts.map(thrown));
      }),
    );
    const markup = [
      thrown(() => {
        document.body.innerHTML = '<img src=x onerror="window.ran.push(1)">';
      }),
      thrown(() => new DOMParser().parseFromString('<p>', 'text/html')),
      thrown(() => {
        const script = document.createElement('script');
        script.text = 'window.ran.push("script text")';
        document.body.append(script);
      }),
      thrown(() => {
        const script = document.createElement('script');
        script.src = 'https://example.com/x.js';
        document.body.append(script);
      }),
      thrown(() => new Worker('data:text/javascript,1' as never)),
      thrown(() => add('object', { data: 'https://example.com/x.swf' })),
    ];
    add('style', {}).textContent = 'body { outline: 1px solid red }';
    add('link', { rel: 'stylesheet', href: 'https://example.com/x.css' });
    add('img', { src: 'https://example.com/x.png' });
    add('iframe', { src: 'https://example.com/' });
    add('iframe', { src: location.href });
    add('base', { href: 'https://example.com/' });
    await fetch('https://example.com/').catch(() => undefined);
    // Until all are told that are looked for below; five seconds at most, and then that fails.
    const until = performance.now() + 5000;
    while (told.some((directive) => !violations.includes(directive)) && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // Time in which what was not refused would run.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return {
      strings,
      markup,
      ran: marked.ran,
      violations: [...new Set(violations)].toSorted(),
      outline: getComputedStyle(document.body).outlineStyle,
      frames: window.frames.length,
      base: document.baseURI,
    };
  }, refused);
  for (const outcome of [...seen.strings, ...seen.markup]) expect(outcome).not.toBe('worked');
  expect(seen.ran).toEqual([]);
  expect(seen.outline).toBe('none');
  expect(seen.base).toBe(`${ORIGIN}/inspector.html`);
  expect(seen.violations).toEqual(expect.arrayContaining(refused));
});

test('12: a webview is not attached', async ({ app, inspector }) => {
  await inspector.evaluate(() => {
    const view = document.createElement('webview');
    view.setAttribute('src', 'https://example.com/');
    document.body.append(view);
  });
  // Time in which it would be attached.
  await inspector.waitForTimeout(300);
  const types = await app.electron.evaluate(({ webContents }) =>
    webContents.getAllWebContents().map((c) => c.getType()),
  );
  expect(types).toEqual(['window']);
});

test('13: no page goes anywhere else, not even to another page of the app', async ({ app, inspector, gpu }) => {
  app.expectProblem(/Content Security Policy|securitypolicyviolation|Not allowed to (load|navigate)/);
  const producer = (await app.open('producer')).page;
  for (const page of [inspector, producer]) {
    const url = page.url();
    for (const target of [
      'https://example.com/',
      'file:///etc/passwd',
      `${ORIGIN}/consumer.html`,
      `${ORIGIN}/inspector.html?again`,
      'data:text/html,<p>',
      'devtools://devtools/bundled/inspector.html',
    ]) {
      await page.evaluate((to) => {
        location.assign(to);
      }, target);
      await page.evaluate((to) => {
        const link = document.createElement('a');
        link.href = to;
        document.body.append(link);
        link.click();
        link.remove();
      }, target);
      await page.evaluate((to) => {
        const form = document.createElement('form');
        form.action = to;
        document.body.append(form);
        form.submit();
        form.remove();
      }, target);
    }
    // Time in which it would go there.
    await page.waitForTimeout(200);
    expect(page.url()).toBe(url);
    expect(await getsPatches(page, gpu), 'the ledger of the page goes on').toBe(true);
    // Nothing can stop this one; the page comes back by itself.
    await page.evaluate(() => setTimeout(() => location.assign('about:blank')));
    await page.waitForURL('about:blank');
    await page.waitForURL(url);
    expect(await page.evaluate(() => typeof window.gpuIpc)).toBe('object');
    await expect.poll(() => getsPatches(page, gpu), 'the page that came back reads the ledger again').toBe(true);
  }
});

/** Whether a page that has taken its snapshot is told, within two seconds, of a buffer that the Inspector makes. */
async function getsPatches(page: Page, gpu: Api): Promise<boolean> {
  const told = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const end = window.gpuIpc.ledger.subscribe(({ changes }) => {
          if (!changes.some((change) => change.table === 'allocations' && 'put' in change)) return;
          end();
          resolve(true);
        });
        setTimeout(() => resolve(false), 2000);
      }),
  );
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 16 });
  const heard = await told;
  await gpu.buffers.free.value({ id });
  return heard;
}

test('14, 15: no page opens a window; only links to the documentation reach the browser', async ({
  app,
  inspector,
}) => {
  app.expectProblem(/Not allowed to load local resource|JavaScript URL|securitypolicyviolation: script-src-elem/);
  await app.electron.evaluate(({ shell }) => {
    const asked: string[] = [];
    (globalThis as unknown as { asked: string[] }).asked = asked;
    shell.openExternal = async (url: string) => void asked.push(url);
  });
  const opened = await inspector.evaluate(() =>
    [
      'https://docs.nvidia.com/cuda/cuda-driver-api/',
      'https://docs.nvidia.com.evil.example/',
      'https://docs.nvidia.com@evil.example/',
      'https://docs.nvidia.com:8443/',
      'http://docs.nvidia.com/',
      'https://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'app://gpu-ipc/producer.html',
      'about:blank',
    ].map((url) => window.open(url)),
  );
  expect(opened.every((result) => result === null)).toBe(true);
  expect(await app.electron.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)).toEqual([
    'https://docs.nvidia.com/cuda/cuda-driver-api/',
  ]);
  expect(app.electron.windows()).toHaveLength(1);
});

test('nothing of a page becomes a file', async ({ app, inspector }) => {
  // The listener is there before the click: main and the page are asked over connections of their own.
  await app.electron.evaluate(({ session }) => {
    (globalThis as unknown as { refused: Promise<boolean> }).refused = new Promise((resolve) => {
      session.defaultSession.once('will-download', (event) => resolve(event.defaultPrevented));
    });
  });
  await inspector.evaluate(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['bytes']));
    link.download = 'bytes.bin';
    link.click();
  });
  expect(await app.electron.evaluate(() => (globalThis as unknown as { refused: Promise<boolean> }).refused)).toBe(
    true,
  );
});

test('1: nothing is requested over a network, whoever asks', async ({ app, inspector }) => {
  await inspector.waitForLoadState();
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('reached');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const outcome = await app.electron.evaluate(
      ({ session }, at) =>
        Promise.all(
          [session.defaultSession, session.fromPartition('another')].map((each) =>
            each.fetch(at).then(
              () => 'reached',
              (error: unknown) => String(error),
            ),
          ),
        ),
      url,
    );
    for (const each of outcome) expect(each).toContain('ERR_BLOCKED_BY_CLIENT');
    expect(requests).toBe(0);
  } finally {
    server.close();
  }
});

test('17: a message counts only from a window of the app, its main frame and its own page', async ({
  app,
  inspector,
  gpu,
}) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 16 });
  await inspector.waitForLoadState();
  const read = `new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    window.postMessage('gpu-ipc:bytes-port', '*', [port2]);
    port1.postMessage([1, { id: '${id}', offset: 0, length: 16 }]);
  })`;
  // The same preload and the same page, in windows that the app did not open.
  const { answers, throughPort } = await app.electron.evaluate(
    async ({ BrowserWindow }, { url, preload, read }) => {
      const outcomes: unknown[] = [];
      const throughPort: unknown[] = [];
      for (const page of [url, 'data:text/html,<p>elsewhere']) {
        const stranger = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } });
        await stranger.loadURL(page);
        outcomes.push(
          await stranger.webContents.executeJavaScript(
            'Promise.all([gpuIpc.app.info(), gpuIpc.ledger.snapshot(), gpuIpc.buffers.create({ device: 0, bytes: 16 })])',
          ),
        );
        throughPort.push(await stranger.webContents.executeJavaScript(read));
        stranger.destroy();
      }
      return { answers: outcomes.flat(), throughPort };
    },
    { url: `${ORIGIN}/inspector.html`, preload: at('out/preload/index.cjs'), read },
  );
  expect(answers).toHaveLength(6);
  // The number without bytes.
  expect(throughPort).toEqual([[1], [1]]);
  for (const answer of answers) expect(answer).toMatchObject({ ok: false, error: { code: 'not-allowed' } });

  const listening = await app.electron.evaluate(({ ipcMain }) => ipcMain.eventNames());
  expect(listening, 'channels without an answer').toEqual(['error', 'gpu-ipc:bytes-port']);
});

test('17: forged arguments change nothing, in no call', async ({ app, gpu, inspector }) => {
  // Nobody is there to close the dialog of a call that takes no arguments.
  await app.electron.evaluate(({ dialog }) => {
    dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] });
  });
  const buffer = await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'untouched' });
  const before = await gpu.ledger.snapshot.value();
  const outcomes = await inspector.evaluate(
    async (names) => {
      const cyclic: Record<string, unknown> = {};
      cyclic.self = cyclic;
      const hostile: unknown[] = [
        null,
        0,
        -1,
        Number.NaN,
        'text',
        true,
        10n,
        [],
        [1, 2, 3],
        new Uint8Array(64),
        new Map([['id', 'p1.a1']]),
        new Date(0),
        cyclic,
        { id: null },
        { id: 7 },
        { id: '' },
        { id: '../../etc/passwd' },
        { id: 'p1.a1\0' },
        { id: 'p1.a1', offset: -1, length: 1 },
        { id: 'p1.a1', offset: 2 ** 53, length: 1 },
        { id: 'p1.a1', offset: 0.5, length: 1 },
        { id: 'p1.a1', offset: 0, length: Number.MAX_SAFE_INTEGER },
        { id: 'p1.a1', offset: 0, length: Number.POSITIVE_INFINITY },
        { id: 'p1.a1', extra: 'x' },
        { handle: new Uint8Array(63), device: 0 },
        { handle: new Uint8Array(1 << 20), device: 0 },
        { handle: 'x'.repeat(100_000), device: 0 },
        { exportId: { toString: 'p1.x1' } },
        { peerId: ['p1'] },
        { device: -1, bytes: 16 },
        { device: 0, bytes: '16' },
        { device: 0, bytes: 2 ** 53 },
        { device: 1e9, role: 'producer' },
        { theme: 'purple' },
        JSON.parse('{"__proto__": {"id": "p1.a1"}, "constructor": 1}'),
      ];
      const results: string[] = [];
      for (const name of names) {
        const [group = '', method = ''] = name.split('.');
        const groups = window.gpuIpc as unknown as Record<string, Record<string, (args: unknown) => Promise<unknown>>>;
        for (const [index, args] of hostile.entries()) {
          const answer = (await groups[group]?.[method]?.(args)) as { ok: boolean; error?: { code: string } };
          results.push(`${name} ${index} ${answer.ok ? 'ok' : answer.error?.code}`);
        }
      }
      return results;
    },
    Object.keys(calls).filter((name) => name !== 'demo.play'),
  );

  // What takes no arguments, or optional ones only, may find an empty object in some of these.
  const lenient = /^((app|settings|devices|ledger)\.\w+|contents\.snapshots|fds\.list|handles\.readFile) \d+ ok$/;
  const wrong = outcomes.filter((outcome) => !/ (invalid-argument|not-allowed|not-found|out-of-range)$/.test(outcome));
  expect(wrong.filter((outcome) => !lenient.test(outcome))).toEqual([]);
  expect(outcomes.filter((outcome) => / invalid-argument$/.test(outcome)).length).toBeGreaterThan(500);

  const after = await gpu.ledger.snapshot.value();
  const rows = ({ peers, allocations, exports, mappings, events, eventImports }: typeof before) =>
    // Looking again is allowed only when nothing is held; the buffer is.
    ({ peers: peers.map(({ id, state }) => [id, state]), allocations, exports, mappings, events, eventImports });
  expect(rows(after)).toEqual(rows(before));
  expect(await gpu.memory.read.value({ id: buffer.id, offset: 0, length: 16 })).toMatchObject({
    bytes: new Uint8Array(16),
  });
});

test('18: only files of the pages are served', async ({ app, inspector }) => {
  app.expectProblem(/Failed to load resource: the server responded with a status of 40[45]/);
  const statuses = await inspector.evaluate(async (origin) => {
    const status = async (path: string, method = 'GET') => (await fetch(`${origin}${path}`, { method })).status;
    return {
      page: await status('/inspector.html'),
      folder: await status('/'),
      missing: await status('/nothing.html'),
      up: await status('/..%2f..%2fpackage.json'),
      encoded: await status('/%2e%2e/%2e%2e/package.json'),
      backslash: await status('/..%5c..%5cpackage.json'),
      absolute: await status('/%2fetc%2fpasswd'),
      preload: await status('/../preload/index.cjs'),
      nul: await status('/inspector.html%00.js'),
      post: await status('/inspector.html', 'POST'),
    };
  }, ORIGIN);
  expect(statuses).toEqual({
    page: 200,
    folder: 404,
    missing: 404,
    up: 404,
    encoded: 404,
    backslash: 404,
    absolute: 404,
    preload: 404,
    nul: 404,
    post: 405,
  });
});

test('handles are in no window unless they are revealed', async ({ app, gpu, inspector }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'secret' });
  const made = await exportHandle(gpu, { id });
  const consumer = await app.open('consumer');
  await consumer.api.imports.open.value({ exportId: made.id, device: 0 });
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  // The bytes that make it a capability; the rest repeats what the ledger says.
  const secret = text(made.handle.slice(0, 8));
  for (const page of [inspector, consumer.page]) {
    const seen = await page.evaluate(async () => {
      const snapshot = await window.gpuIpc.ledger.snapshot();
      const hex = (value: unknown): unknown =>
        value instanceof Uint8Array ? [...value].map((byte) => byte.toString(16).padStart(2, '0')).join('') : value;
      return JSON.stringify(snapshot, (_key, value) => hex(value)) + document.documentElement.outerHTML;
    });
    expect(seen.replaceAll(/\s/g, '')).not.toContain(secret);
  }
  expect(await consumer.api.handles.reveal({ exportId: made.id })).toMatchObject({ error: { code: 'not-allowed' } });
  const producer = await app.open('producer');
  expect(await producer.api.handles.reveal({ exportId: made.id })).toMatchObject({ error: { code: 'not-allowed' } });
  expect(text((await gpu.handles.reveal.value({ exportId: made.id })).handle)).toBe(text(made.handle));
});
