/**
 * The contract: every call a window can make, in one value. Types, preload methods, main's router and the host's
 * dispatcher are all derived from this table.
 *
 * `args`      schema of the one argument object; checked by main before anything happens
 * `result`    schema of the value; gives the type, and is checked in tests
 * `roles`     which windows may call it; every other one gets `not-allowed`
 * `answers`   `main`, or `host`: the driver host of the window that asks (the Inspector's worker thread, or the
 *             process of a producer or consumer window)
 */
import type * as v from 'valibot';
import { appCalls } from './calls/app';
import { bufferCalls } from './calls/buffers';
import { contentCalls } from './calls/contents';
import type { CallDefinition } from './calls/definition';
import { demoCalls } from './calls/demo';
import { eventCalls } from './calls/events';
import { fdCalls } from './calls/fds';
import { handleCalls } from './calls/handles';
import { importCalls } from './calls/imports';
import { memoryCalls } from './calls/memory';
import { poolCalls } from './calls/pools';
import { sharingCalls } from './calls/sharing';
import { virtualCalls } from './calls/virtual';

export const calls = {
  ...appCalls,
  ...bufferCalls,
  ...importCalls,
  ...memoryCalls,
  ...contentCalls,
  ...eventCalls,
  ...poolCalls,
  ...virtualCalls,
  ...fdCalls,
  ...sharingCalls,
  ...handleCalls,
  ...demoCalls,
} as const satisfies Record<string, CallDefinition>;

export type CallName = keyof typeof calls;
export type CallArgs<C extends CallName> = v.InferInput<(typeof calls)[C]['args']>;
/** Arguments after validation: defaults filled in. */
export type CheckedArgs<C extends CallName> = v.InferOutput<(typeof calls)[C]['args']>;
export type CallValue<C extends CallName> = v.InferOutput<(typeof calls)[C]['result']>;

export type HostCallName = { [C in CallName]: (typeof calls)[C]['answers'] extends 'host' ? C : never }[CallName];
export type MainCallName = Exclude<CallName, HostCallName>;
