/** Calls of `window.gpuIpc` from a test: `api(page).buffers.create({ … })` runs in the page. */

import type { Page } from '@playwright/test';
import type { GpuIpcApi } from '#contract/api';
import type { Result } from '#contract/result';

/** A call; `.value` answers the value itself and fails the test where the call answers an error. */
type Call<F> = F extends (...args: infer A) => Promise<Result<infer V>>
  ? ((...args: A) => Promise<Result<V>>) & { value: (...args: A) => Promise<V> }
  : never;

export type Api = {
  readonly [G in keyof GpuIpcApi]: {
    readonly [M in Exclude<keyof GpuIpcApi[G], 'subscribe'>]: Call<GpuIpcApi[G][M]>;
  };
};

/** Calls any method with anything, for arguments that the types forbid. */
export async function raw(page: Page, name: string, ...args: unknown[]): Promise<Result<unknown>> {
  return page.evaluate(
    ([callName, callArgs]) => {
      const [group = '', method = ''] = callName.split('.');
      const groups = window.gpuIpc as unknown as Record<string, Record<string, (...a: unknown[]) => unknown>>;
      return groups[group]?.[method]?.(...callArgs) as Promise<Result<unknown>>;
    },
    [name, args] as const,
  );
}

export function api(page: Page): Api {
  return new Proxy({} as Api, {
    get: (_, group: string) =>
      new Proxy(
        {},
        {
          get: (__, method: string) => {
            const name = `${group}.${method}`;
            const call = (...args: unknown[]) => raw(page, name, ...args);
            const value = async (...args: unknown[]) => {
              const result = await call(...args);
              if (!result.ok) throw new Error(`${name} answered ${JSON.stringify(result.error)}`);
              return result.value;
            };
            return Object.assign(call, { value });
          },
        },
      ),
  });
}

/** Exports memory that has a legacy handle, and answers the 64 bytes with it; fails the test where there are none. */
export async function exportHandle(api: Api, args: { readonly id: string }) {
  const { handle, ...exported } = await api.buffers.export.value(args);
  if (handle === null) throw new Error(`${args.id} travels by descriptor`);
  return { ...exported, handle };
}
