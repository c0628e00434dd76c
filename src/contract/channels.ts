/** Channel names between preload and main, generated from the table of calls: never typed by hand. */
import type { PushName } from './api';
import type { CallName } from './calls';

/** Where a window asks, and main answers. */
export const callChannel = (call: CallName): string => `gpu-ipc:call:${call}`;

/** Where main tells a window something unasked. */
export const pushChannel = (push: PushName): string => `gpu-ipc:push:${push}`;
