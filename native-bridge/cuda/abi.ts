/**
 * The C types of cuda.h that the declarations use, by their own names, and the check that koffi lays them out as the
 * driver does (offsets measured with gcc against cuda.h 13.0, 64-bit). Registered once for each thread.
 */
import koffi, { type TypeObject } from 'koffi';
import { GpuIpcError } from '#contract/result';

/** Names are unique in a koffi instance, and a bundler or test runner may evaluate this module twice in one. */
function named(name: string, make: () => TypeObject): TypeObject {
  try {
    return koffi.type(name);
  } catch {
    return make();
  }
}
const alias = (name: string, of: string) => named(name, () => koffi.alias(name, of));
const opaque = (name: string) => named(name, () => koffi.pointer(name, koffi.opaque(`${name}_st`)));
const bytes = (length: number) => koffi.array('uint8_t', length, 'Typed');

for (const name of ['CUresult', 'CUdevice', 'CUenum']) alias(name, 'int');
alias('CUdeviceptr', 'uint64_t');
alias('CUmemGenericAllocationHandle', 'uint64_t');
for (const name of ['CUcontext', 'CUstream', 'CUevent', 'CUmemoryPool', 'CUmodule', 'CUfunction']) opaque(name);

named('CUipcMemHandle', () => koffi.struct('CUipcMemHandle', { reserved: bytes(64) }));
named('CUipcEventHandle', () => koffi.struct('CUipcEventHandle', { reserved: bytes(64) }));
named('CUuuid', () => koffi.struct('CUuuid', { bytes: bytes(16) }));
named('CUmemPoolPtrExportData', () => koffi.struct('CUmemPoolPtrExportData', { reserved: bytes(64) }));
named('CUmemLocation', () => koffi.struct('CUmemLocation', { type: 'int', id: 'int' }));
named('CUmemAccessDesc', () => koffi.struct('CUmemAccessDesc', { location: 'CUmemLocation', flags: 'int' }));
named('CUmemAllocationProp', () =>
  koffi.struct('CUmemAllocationProp', {
    type: 'int',
    requestedHandleTypes: 'int',
    location: 'CUmemLocation',
    win32HandleMetaData: 'void *',
    compressionType: 'uint8_t',
    gpuDirectRDMACapable: 'uint8_t',
    usage: 'uint16_t',
    reserved: bytes(4),
  }),
);
named('CUmemPoolProps', () =>
  koffi.struct('CUmemPoolProps', {
    allocType: 'int',
    handleTypes: 'int',
    location: 'CUmemLocation',
    win32SecurityAttributes: 'void *',
    maxSize: 'size_t',
    usage: 'uint16_t',
    reserved: bytes(54),
  }),
);

interface Layout {
  readonly size: number;
  readonly align: number;
  readonly offsets?: Readonly<Record<string, number>>;
}

/** cuda-abi 2.2. */
export const layouts: Readonly<Record<string, Layout>> = {
  CUresult: { size: 4, align: 4 },
  CUdevice: { size: 4, align: 4 },
  CUdeviceptr: { size: 8, align: 8 },
  CUmemGenericAllocationHandle: { size: 8, align: 8 },
  CUcontext: { size: 8, align: 8 },
  CUstream: { size: 8, align: 8 },
  CUevent: { size: 8, align: 8 },
  CUmemoryPool: { size: 8, align: 8 },
  size_t: { size: 8, align: 8 },
  CUipcMemHandle: { size: 64, align: 1, offsets: { reserved: 0 } },
  CUipcEventHandle: { size: 64, align: 1, offsets: { reserved: 0 } },
  CUmemPoolPtrExportData: { size: 64, align: 1, offsets: { reserved: 0 } },
  CUuuid: { size: 16, align: 1, offsets: { bytes: 0 } },
  CUmemLocation: { size: 8, align: 4, offsets: { type: 0, id: 4 } },
  CUmemAccessDesc: { size: 12, align: 4, offsets: { location: 0, flags: 8 } },
  CUmemAllocationProp: {
    size: 32,
    align: 8,
    offsets: {
      type: 0,
      requestedHandleTypes: 4,
      location: 8,
      win32HandleMetaData: 16,
      compressionType: 24,
      gpuDirectRDMACapable: 25,
      usage: 26,
    },
  },
  CUmemPoolProps: {
    size: 88,
    align: 8,
    offsets: {
      allocType: 0,
      handleTypes: 4,
      location: 8,
      win32SecurityAttributes: 16,
      maxSize: 24,
      usage: 32,
      reserved: 34,
    },
  },
};

/**
 * Compares koffi's layout of every type with `expected`.
 * @returns the differences in words; empty when the driver and koffi agree
 */
export function layoutDifferences(expected: Readonly<Record<string, Layout>> = layouts): string[] {
  const differences: string[] = [];
  const compare = (what: string, found: number, wanted: number) => {
    if (found !== wanted) differences.push(`${what} is ${found}, the driver expects ${wanted}`);
  };
  for (const [name, layout] of Object.entries(expected)) {
    compare(`size of ${name}`, koffi.sizeof(name), layout.size);
    compare(`alignment of ${name}`, koffi.alignof(name), layout.align);
    for (const [field, offset] of Object.entries(layout.offsets ?? {})) {
      compare(`offset of ${name}.${field}`, koffi.offsetof(name, field), offset);
    }
  }
  return differences;
}

/** Throws when a struct does not have the driver's layout: every call would then read or write the wrong bytes. */
export function assertLayouts(): void {
  const differences = layoutDifferences();
  if (differences.length > 0) {
    throw new GpuIpcError({
      code: 'unsupported',
      message: `The C types of the CUDA driver do not have their layout here: ${differences.join('; ')}.`,
    });
  }
}
