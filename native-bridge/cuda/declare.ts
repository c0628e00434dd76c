/**
 * Declarations: one value for each driver function, with its exported symbol and C signature in one string and the
 * typed function built from it. A table of declarations becomes a frozen object of functions (`bindTable`), each bound
 * on its first use, so a driver that lacks one function fails where that function is needed and nowhere else.
 */
import type { LibraryHandle } from 'koffi';
import { GpuIpcError } from '#contract/result';
import './abi';

/** A 64-byte handle on its way into the driver by value. */
export interface HandleByValue {
  reserved: Uint8Array;
}

/** What is passed to C. Out-parameters are typed arrays that the driver writes into. */
export type CallArgument = number | bigint | ArrayBufferView | HandleByValue | object | null;

/**
 * Sees every driver call, on the thread that made it.
 * @param name exported symbol: `cuMemAlloc_v2`
 * @param args the inputs in C order, without out-parameters. Handle bytes are in here (a HandleByValue): they are a
 *   capability and must not be logged
 * @param result the CUresult
 * @param us duration in microseconds
 */
export type CallObserver = (name: string, args: readonly CallArgument[], result: number, us: number) => void;

/** Calls C and checks the result: 0 and the declaration's `answers` return, everything else throws. */
export type Call = (...args: CallArgument[]) => number;

export interface Declaration<F> {
  /** `cuMemAlloc_v2` */
  readonly symbol: string;
  /** The whole prototype as koffi takes it; `_Out_` marks what the driver writes. */
  readonly c: string;
  /** Places of the inputs among the parameters. */
  readonly inputs: readonly number[];
  /** CUDA version whose driver first exported the symbol: `11.7`. */
  readonly since: string;
  /** Symbol with the same parameters that older drivers have instead. */
  readonly older: string | undefined;
  /** Results besides 0 that are answers rather than failures (NOT_READY of a query). */
  readonly answers: readonly number[];
  /** Builds the typed function; called once for each driver that is opened. */
  readonly make: (call: Call) => F;
}

/**
 * Declares a driver function.
 * @param c prototype in C with the names of cuda.h: `cuMemAlloc_v2(_Out_ CUdeviceptr *dptr, size_t bytesize)`
 * @param make builds the typed function from the checked call
 */
export function declare<F>(
  c: string,
  make: (call: Call) => F,
  options: { since?: string; older?: string; answers?: readonly number[] } = {},
): Declaration<F> {
  const parsed = /^(\w+)\((.*)\)$/s.exec(c);
  if (parsed?.[1] === undefined || parsed[2] === undefined) throw new SyntaxError(`no C prototype: ${c}`);
  const parameters = parsed[2] === '' || parsed[2] === 'void' ? [] : parsed[2].split(',');
  const inputs = parameters.flatMap((parameter, index) => (parameter.includes('_Out_') ? [] : [index]));
  const { since = '11.0', older, answers = [] } = options;
  return { symbol: parsed[1], c: `CUresult ${c}`, inputs, since, older, answers, make };
}

/** The functions a table of declarations turns into. */
export type Bound<T extends Readonly<Record<string, Declaration<unknown>>>> = {
  readonly [K in keyof T]: T[K] extends Declaration<infer F> ? F : never;
};

export interface BindOptions {
  readonly library: Pick<LibraryHandle, 'func'>;
  /** Makes the error for a result that is no answer. */
  readonly failure: (symbol: string, result: number) => GpuIpcError;
  /** CUDA version of the driver for the message about a missing symbol, `12.4`. */
  readonly version?: () => string | undefined;
  readonly observer?: CallObserver | undefined;
  /** Told before each call: a call that then never comes back is the one that hangs. */
  readonly starting?: ((name: string) => void) | undefined;
}

/** Binds a table to a loaded library. The object is frozen; nothing is looked up before its first call. */
export function bindTable<const T extends Readonly<Record<string, Declaration<unknown>>>>(
  table: T,
  options: BindOptions,
): Bound<T> {
  const functions = Object.entries(table).map(([name, declaration]) => [
    name,
    declaration.make(checkedCall(declaration, options)),
  ]);
  return Object.freeze(Object.fromEntries(functions)) as Bound<T>;
}

type Raw = (...args: CallArgument[]) => number;

function find(declaration: Declaration<unknown>, { library, version }: Pick<BindOptions, 'library' | 'version'>): Raw {
  try {
    return library.func(declaration.c) as Raw;
  } catch (error) {
    if (!(error instanceof Error) || !/cannot find function/i.test(error.message)) throw error;
    const { older, symbol, c } = declaration;
    if (older !== undefined) {
      return find({ ...declaration, older: undefined, c: c.replace(symbol, older) }, { library, version });
    }
    throw missing(declaration, version?.());
  }
}

/** The error for a function that this driver does not have, because it is older, or because it is not a whole driver. */
function missing({ symbol, since }: Declaration<unknown>, has: string | undefined): GpuIpcError {
  const tooOld = has === undefined || olderThan(has, since);
  const supports = has === undefined ? '' : `, and this one supports CUDA ${has}`;
  return new GpuIpcError({
    code: 'unsupported',
    message: tooOld
      ? `This driver is too old: ${symbol} came with CUDA ${since}${supports}.`
      : `This driver has no ${symbol}.`,
    ...(tooOld ? { hint: `Install an NVIDIA driver for CUDA ${since} or later.` } : {}),
    call: symbol,
  });
}

function olderThan(version: string, other: string): boolean {
  const number = (text: string) => {
    const [major = 0, minor = 0] = text.split('.').map(Number);
    return major * 100 + minor;
  };
  return number(version) < number(other);
}

/**
 * The hot path of every call. Measured on one machine: koffi itself 70-80 ns, this wrapper under 5 ns more, and two
 * clock readings 110 ns, which is why time is only taken when somebody looks.
 */
function checkedCall(declaration: Declaration<unknown>, options: BindOptions): Call {
  const { symbol, answers, inputs } = declaration;
  const { observer, starting, failure } = options;
  let raw: Raw | undefined;

  if (observer === undefined && starting === undefined) {
    return (...args) => {
      raw ??= find(declaration, options);
      const result = raw(...args);
      if (result !== 0 && !answers.includes(result)) throw failure(symbol, result);
      return result;
    };
  }
  return (...args) => {
    raw ??= find(declaration, options);
    starting?.(symbol);
    const began = performance.now();
    const result = raw(...args);
    const us = (performance.now() - began) * 1000;
    if (observer !== undefined) {
      const seen: CallArgument[] = [];
      for (const index of inputs) seen.push(args[index] ?? null);
      observer(symbol, seen, result, us);
    }
    if (result !== 0 && !answers.includes(result)) throw failure(symbol, result);
    return result;
  };
}
