import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnUrl } from './origin';
import { pageFile } from './page-files';

const root = '/app/out/renderer';
const path = (url: string) => pageFile(root, url)?.path;

describe('pageFile', () => {
  it('serves what is built', () => {
    expect(pageFile(root, 'app://gpu-ipc/inspector.html')).toEqual({
      path: '/app/out/renderer/inspector.html',
      type: 'text/html; charset=utf-8',
    });
    expect(pageFile(root, 'app://gpu-ipc/assets/inspector-a1B2.js?v=1#x')).toEqual({
      path: '/app/out/renderer/assets/inspector-a1B2.js',
      type: 'text/javascript; charset=utf-8',
    });
    expect(pageFile(root, 'app://gpu-ipc/assets/Inter%20Variable.woff2')?.path).toBe(
      '/app/out/renderer/assets/Inter Variable.woff2',
    );
  });

  it.each([
    'app://gpu-ipc/../../package.json',
    'app://gpu-ipc/%2e%2e/%2e%2e/package.json',
    'app://gpu-ipc/..%2f..%2fpackage.json',
    'app://gpu-ipc/..%5c..%5cpackage.json',
    'app://gpu-ipc/%2fetc/passwd.html',
    'app://gpu-ipc/inspector.html%00.png',
    'app://gpu-ipc/C:/windows/win.html',
    'app://gpu-ipc/%zz.html',
    'app://gpu-ipc/',
    'app://gpu-ipc/assets',
    'app://gpu-ipc/main.cjs',
    'app://gpu-ipc/.env',
    'app://other/inspector.html',
    'app://gpu-ipc@other/inspector.html',
    'app://gpu-ipc:80/inspector.html',
    'file:///app/out/renderer/inspector.html',
    'https://gpu-ipc/inspector.html',
    'nonsense',
  ])('does not serve %s from elsewhere', (url) => {
    const served = path(url);
    expect(served === undefined || served.startsWith(`${root}/`)).toBe(true);
    if (!url.startsWith('app://gpu-ipc/')) expect(served).toBeUndefined();
  });

  it('never leaves its folder, whatever the URL says', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2e',
      '/',
      '%2f',
      '\\',
      '%5c',
      'a',
      '.html',
      '%00',
      '//',
      ':',
      '~',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const served = path(`app://gpu-ipc/${pieces.join('')}`);
        expect(served === undefined || served.startsWith(`${root}/`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('isOwnUrl', () => {
  it('compares scheme and host, not beginnings', () => {
    expect(isOwnUrl('app://gpu-ipc/x')).toBe(true);
    for (const url of ['app://gpu-ipc.evil/x', 'app://gpu-ipcx/', 'apps://gpu-ipc/', 'https://app//gpu-ipc/', '']) {
      expect(isOwnUrl(url)).toBe(false);
    }
  });
});
