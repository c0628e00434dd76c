/** A loaded driver library as one frozen object of typed functions. */
import koffi from 'koffi';
import { type CudaResult, GpuIpcError } from '#contract/result';
import { assertLayouts } from './abi';
import { contexts } from './calls/contexts';
import { copies } from './calls/copies';
import { descriptors } from './calls/descriptors';
import { devices } from './calls/devices';
import { events } from './calls/events';
import { kernels } from './calls/kernels';
import { memory } from './calls/memory';
import { pointers } from './calls/pointers';
import { pools } from './calls/pools';
import { sharing } from './calls/sharing';
import { start } from './calls/start';
import { streams } from './calls/streams';
import { virtualMemory } from './calls/virtual-memory';
import { type Bound, bindTable, type CallObserver } from './declare';
import { hintFor } from './hints';
import { resultNames, shortResult } from './results';

/** Every declared driver function, by the name it has here. */
export const declarations = {
  ...start,
  ...devices,
  ...contexts,
  ...memory,
  ...pointers,
  ...copies,
  ...streams,
  ...events,
  ...sharing,
  ...pools,
  ...virtualMemory,
  ...descriptors,
  ...kernels,
} as const;

/** The typed functions: `cuda.memAlloc(4096)` calls cuMemAlloc_v2. Every failure is a GpuIpcError. */
export type CudaCalls = Bound<typeof declarations>;

export type Cuda = CudaCalls & {
  /** Name and text of a CUresult in the driver's own words. */
  readonly describeResult: (result: number) => CudaResult;
};

export interface OpenOptions {
  readonly observer?: CallObserver | undefined;
  readonly starting?: ((name: string) => void) | undefined;
}

/**
 * Opens a library that exports the driver's symbols, without initialising it.
 * @param path file name or path for the dynamic loader
 * @throws Error of the dynamic loader when there is no such library
 */
export function openCuda(path: string, { observer, starting }: OpenOptions = {}): Cuda {
  assertLayouts();
  const library = koffi.load(path);
  const describeResult = resultNames(library);
  const failure = (symbol: string, result: number) => driverError(symbol, describeResult(result));
  const calls: CudaCalls = bindTable(declarations, {
    library,
    failure,
    observer,
    starting,
    version: () => {
      try {
        return versionText(calls.driverGetVersion());
      } catch {
        return undefined;
      }
    },
  });
  return Object.freeze({ ...calls, describeResult });
}

/** The error of a driver call, with the hint that holds whatever the situation. */
export function driverError(symbol: string, cuda: CudaResult): GpuIpcError {
  const hint = hintFor(symbol, cuda.result);
  return new GpuIpcError({
    code: 'driver-error',
    message: `${symbol} answered ${shortResult(cuda)}: ${cuda.text}.`,
    ...(hint === undefined ? {} : { hint }),
    call: symbol,
    cuda,
  });
}

/** 13000 → `13.0` */
export const versionText = (version: number): string =>
  `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
