/** The shape of `window.gpuIpc`, derived from the table of calls. */
import type { CallArgs, CallName, CallValue } from './calls';
import type { Progress } from './host-protocol';
import type { LedgerPatch } from './records';
import type { Result } from './result';
import type { Settings } from './settings';

type Group<C extends string> = C extends `${infer G}.${string}` ? G : never;
type Method<C extends string, G extends string> = C extends `${G}.${infer M}` ? M : never;
type Caller<C extends CallName> =
  undefined extends CallArgs<C>
    ? (args?: CallArgs<C>) => Promise<Result<CallValue<C>>>
    : (args: CallArgs<C>) => Promise<Result<CallValue<C>>>;

type Calls = {
  readonly [G in Group<CallName>]: { readonly [M in Method<CallName, G>]: Caller<Extract<CallName, `${G}.${M}`>> };
};

/** What main pushes to windows without being asked. */
export interface Pushes {
  'ledger.patch': LedgerPatch;
  'settings.changed': Settings;
  /** Of work that the process of this window, or main for it, does under a name: at most ten times a second for each. */
  'contents.progress': Progress;
}
export type PushName = keyof Pushes;

export type GpuIpcApi = Calls & {
  readonly ledger: { readonly subscribe: (listener: (patch: LedgerPatch) => void) => () => void };
  readonly settings: { readonly subscribe: (listener: (settings: Settings) => void) => () => void };
  readonly contents: { readonly subscribe: (listener: (progress: Progress) => void) => () => void };
};
