/** Channel names between preload and main, generated from the table of calls: never typed by hand. */
import type { PushName } from './api';
import type { CallName } from './calls';
import type { Result } from './result';

/** Where a window asks, and main answers. */
export const callChannel = (call: CallName): string => `gpu-ipc:call:${call}`;

/** Where main tells a window something unasked. */
export const pushChannel = (push: PushName): string => `gpu-ipc:push:${push}`;

/**
 * What main answers to preload: the result, and the number of the last ledger patch sent to this window before it (0 when
 * it gets none). Electron keeps no order between answers and pushes; preload hands out the result after that patch, so
 * that whoever has the answer finds its object in the ledger.
 */
export type Reply = readonly [result: Result<unknown>, afterPatch: number];
