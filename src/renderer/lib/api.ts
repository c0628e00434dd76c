/** The window's side of the contract: `window.gpuIpc`, unwrapped to values or a thrown GpuIpcError. */
import type { GpuIpcApi } from '#contract/api';
import type { CallArgs, CallName, CallValue } from '#contract/calls';
import { GpuIpcError, type Result } from '#contract/result';

declare global {
  interface Window {
    readonly gpuIpc: GpuIpcApi;
  }
}

/** The value of an answer. Throws GpuIpcError with the typed error when the call failed. */
export async function unwrap<T>(answer: Promise<Result<T>>): Promise<T> {
  const result = await answer;
  if (result.ok) return result.value;
  throw new GpuIpcError(result.error);
}

/**
 * Makes one call of the contract by its name: `request('buffers.free', { id })`.
 * Throws GpuIpcError; never anything else comes over the bridge.
 */
export function request<C extends CallName>(
  name: C,
  ...args: undefined extends CallArgs<C> ? [args?: CallArgs<C>] : [args: CallArgs<C>]
): Promise<CallValue<C>> {
  const [group, method] = name.split('.') as [string, string];
  const groups = window.gpuIpc as unknown as Record<
    string,
    Record<string, (args: unknown) => Promise<Result<CallValue<C>>>>
  >;
  const call = groups[group]?.[method];
  if (call === undefined) {
    return Promise.reject(
      new GpuIpcError({ code: 'internal', message: `${name} is not part of this window's interface` }),
    );
  }
  return unwrap(call(args[0] ?? {}));
}
