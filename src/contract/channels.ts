/** Channel names between preload and main, generated from the table of calls: never typed by hand. */
import type { PushName } from './api';
import type { CallName, CallValue } from './calls';
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

/**
 * What a page says to the preload, with one port, and the preload passes on to main: bytes come through that port. What
 * passes through the preload is copied twice more than what a port brings.
 */
export const BYTES_PORT = 'gpu-ipc:bytes-port';

/** Through the port: a number of the page's, and the arguments of `memory.read`. */
export type BytesRequest = readonly [id: number, args: unknown];

/** The number again, and the bytes; without them the read failed, and the call itself says why. */
export type BytesReply = readonly [id: number, page?: CallValue<'memory.read'>];
