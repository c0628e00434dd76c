/** Kernels from PTX text. */
import koffi from 'koffi';
import { declare } from '../declare';
import type { Kernel, Module, Stream } from '../types';

const MAX_ARGUMENTS = 32;

export interface Launch {
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly stream: Stream;
  /** Arguments as 64-bit values: device addresses and sizes. */
  readonly arguments: readonly bigint[];
}

export const kernels = {
  /** Compiles PTX for the device of the current context. */
  moduleLoadData: declare('cuModuleLoadData(_Out_ CUmodule *module, const void *image)', (call) => {
    const module = new BigUint64Array(1);
    return (ptx: string): Module => {
      call(module, new TextEncoder().encode(`${ptx}\0`));
      return (module[0] ?? 0n) as Module;
    };
  }),

  moduleUnload: declare('cuModuleUnload(CUmodule hmod)', (call) => (module: Module): void => {
    call(module);
  }),

  moduleGetFunction: declare(
    'cuModuleGetFunction(_Out_ CUfunction *hfunc, CUmodule hmod, const char *name)',
    (call) => {
      const kernel = new BigUint64Array(1);
      return (module: Module, name: string): Kernel => {
        call(kernel, module, new TextEncoder().encode(`${name}\0`));
        return (kernel[0] ?? 0n) as Kernel;
      };
    },
  ),

  launchKernel: declare(
    'cuLaunchKernel(CUfunction f, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX, ' +
      'unsigned int blockY, unsigned int blockZ, unsigned int sharedBytes, CUstream stream, void *params, void *extra)',
    (call) => {
      // C wants an array of pointers to the arguments, and copies them before it returns. Both arrays live as long as
      // this function: memory that only an address points to could be collected before the call.
      const storage = new BigUint64Array(MAX_ARGUMENTS);
      const base = koffi.address(storage);
      const addresses = BigUint64Array.from(storage, (_, index) => base + BigInt(8 * index));
      return (kernel: Kernel, { grid, block, stream, arguments: values }: Launch): void => {
        if (values.length > MAX_ARGUMENTS) throw new RangeError(`at most ${MAX_ARGUMENTS} kernel arguments`);
        storage.set(values);
        call(kernel, ...grid, ...block, 0, stream, addresses, null);
      };
    },
  ),
};
