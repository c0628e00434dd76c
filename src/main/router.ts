/**
 * Answers the calls of windows, all by the table in src/contract/calls.ts. Before a call reaches anything it has passed
 * three checks: who asks, whether that role may, and whether the arguments are what the call takes.
 */
import * as v from 'valibot';
import { type CallName, type CallValue, type CheckedArgs, calls, type MainCallName } from '#contract/calls';
import type { HostRequest } from '#contract/host-protocol';
import { fail, GpuIpcError, type IpcError, ok, type Result, toIpcError } from '#contract/result';
import type { DriverHost } from './hosts/driver-host';
import { HOST_LOST_HINT } from './hosts/ending';
import { misplacedBytes } from './plain-arguments';
import type { WindowRecord } from './windows/registry';

/** One handler for each call that main answers; a missing or surplus one does not compile. Handlers may throw. */
export type MainHandlers = {
  readonly [C in MainCallName]: (args: CheckedArgs<C>, caller: WindowRecord) => CallValue<C> | Promise<CallValue<C>>;
};

export interface RouterOptions {
  readonly handlers: MainHandlers;
  readonly host: (peerId: string) => DriverHost | undefined;
  /** Compares every answer with the schema of its call, which tests do. */
  readonly checkResults?: boolean;
}

export class Router {
  constructor(private readonly options: RouterOptions) {}

  /** Answers one call of a window that is known to be one of ours. Never rejects. */
  async answer(name: CallName, caller: WindowRecord, rawArgs: unknown): Promise<Result<unknown>> {
    try {
      const { args, roles, answers } = calls[name];
      if (!(roles as readonly string[]).includes(caller.role)) return fail(notForRole(name, caller.role));
      const misplaced = misplacedBytes(rawArgs);
      if (misplaced !== undefined) return fail(bytesNotTaken(name, misplaced));
      const checked = v.safeParse(args, rawArgs);
      if (!checked.success) return fail(invalidArgument(checked.issues[0]));
      const result =
        answers === 'main'
          ? ok(await this.options.handlers[name as MainCallName](checked.output as never, caller))
          : await this.ask(name as HostRequest['name'], caller, checked.output);
      return this.options.checkResults === true ? checkedResult(name, result) : result;
    } catch (thrown) {
      // A defect: the page learns that there is one, its place is of use here only.
      if (!(thrown instanceof GpuIpcError)) console.error(`${name} failed:`, thrown);
      return fail(toIpcError(thrown));
    }
  }

  private async ask(name: HostRequest['name'], caller: WindowRecord, args: unknown): Promise<Result<unknown>> {
    const host = this.options.host(caller.peerId());
    if (host === undefined) {
      return fail({
        code: 'host-lost',
        message: `The process of ${caller.name} is gone.`,
        hint: HOST_LOST_HINT,
      });
    }
    return host.request(name, args as never);
  }
}

function notForRole(name: CallName, role: string): IpcError {
  return {
    code: 'not-allowed',
    message: `${name} is not for ${role === 'inspector' ? 'the Inspector' : `a ${role}`} window.`,
  };
}

function bytesNotTaken(name: CallName, path: string): IpcError {
  return {
    code: 'invalid-argument',
    message: `${path === '' ? '' : `${path}: `}${name} takes no binary data ${path === '' ? 'as its argument' : 'there'}.`,
  };
}

/** Names the place and the problem: `fill.text: Expected string but received 7`. */
export function invalidArgument(issue: v.BaseIssue<unknown>): IpcError {
  const path = v.getDotPath(issue);
  const text = issue.message.replace(/^Invalid [a-z ]+: /, '').slice(0, 200);
  return { code: 'invalid-argument', message: path === null ? text : `${path}: ${text}` };
}

function checkedResult(name: CallName, result: Result<unknown>): Result<unknown> {
  if (!result.ok) return result;
  const checked = v.safeParse(calls[name].result as v.GenericSchema, result.value);
  if (checked.success) return result;
  const { message } = invalidArgument(checked.issues[0]);
  return fail({ code: 'internal', message: `${name} answered something else than the contract says: ${message}` });
}
