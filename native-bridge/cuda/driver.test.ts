import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuIpcError } from '#contract/result';
import { type CallArgument, type CudaCalls, openCuda, PoolAttribute } from './index';
import {
  type AllocationHandle,
  asDevicePtr,
  asMemHandle,
  asPoolPointer,
  type DeviceId,
  type MemPool,
  type Stream,
} from './types';

/** Stands for an old driver: few functions, and each answers what its arguments say, so that the ABI can be seen. */
const source = `
#include <stdint.h>
#include <string.h>
typedef struct { char reserved[64]; } Handle;
int cuDriverGetVersion(int *v) { *v = 11020; return 0; }
int cuDeviceGetUuid(char *uuid, int device) { memset(uuid, device, 16); return 0; }
int cuMemGetInfo_v2(size_t *f, size_t *t) { *f = 1ull << 33; *t = (1ull << 40) + 1; return 0; }
int cuMemAlloc_v2(uint64_t *p, size_t n) { *p = 0x7f0000000000ull + n; return 0; }
int cuMemFree_v2(uint64_t p) { return p == 0x7f0000001000ull ? 0 : 1; }
int cuIpcGetMemHandle(Handle *h, uint64_t p) { memset(h, 0, 64); memcpy(h, &p, 8); h->reserved[63] = 9; return 0; }
int cuIpcOpenMemHandle_v2(uint64_t *p, Handle h, unsigned flags) {
  memcpy(p, &h, 8);
  return h.reserved[63] == 9 && flags == 1 ? 0 : 400;
}
int cuEventQuery(void *e) { return (int)(intptr_t)e; }
typedef struct { int type, id; } Location;
typedef struct { int allocType, handleTypes; Location location; void *win32; size_t maxSize; unsigned short usage; unsigned char reserved[54]; } PoolProps;
typedef struct { int type, handleTypes; Location location; void *win32; unsigned char compression, rdma; unsigned short usage; unsigned char reserved[4]; } AllocationProp;
typedef struct { Location location; int flags; } AccessDesc;
int cuMemPoolCreate(void **pool, const PoolProps *p) {
  *pool = (void *)0x7f00beef0000;
  return p->allocType == 1 && p->handleTypes == 1 && p->location.type == 1 && p->location.id == 3 && !p->win32 && p->maxSize == 4096 ? 0 : 1;
}
int cuMemCreate(uint64_t *handle, size_t size, const AllocationProp *p, unsigned long long flags) {
  *handle = size;
  return p->type == 1 && p->handleTypes == 8 && p->location.type == 1 && p->location.id == 2 && !p->win32 && flags == 0 ? 0 : 1;
}
int cuMemSetAccess(uint64_t p, size_t size, const AccessDesc *desc, size_t count) {
  return p == 0x7f0000001000ull && size == 4096 && desc->location.type == 1 && desc->location.id == 2 && desc->flags == 3 && count == 1 ? 0 : 1;
}
int cuMemExportToShareableHandle(void *out, uint64_t handle, int type, unsigned long long flags) {
  *(int *)out = 77;
  return handle == 5 && type == 1 && flags == 0 ? 0 : 1;
}
int cuMemImportFromShareableHandle(uint64_t *handle, void *os, int type) { *handle = (uint64_t)os; return type == 1 ? 0 : 1; }
int cuMemPoolImportFromShareableHandle(void **pool, void *os, int type, unsigned long long flags) {
  *pool = (void *)((intptr_t)os + 0x1000);
  return type == 1 && flags == 0 ? 0 : 1;
}
int cuMemPoolExportPointer(Handle *data, uint64_t p) { memset(data, 0x5a, 64); memcpy(data, &p, 8); return 0; }
int cuMemPoolImportPointer(uint64_t *p, void *pool, Handle *data) {
  memcpy(p, data, 8);
  return pool == (void *)0x1004 && data->reserved[63] == 0x5a ? 0 : 1;
}
int cuMemPoolGetAttribute(void *pool, int attribute, void *value) {
  if (attribute <= 3) *(int *)value = 1;
  else *(uint64_t *)value = (1ull << 33) + (uint64_t)attribute;
  return pool == (void *)0x1004 ? 0 : 1;
}
int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  return pool == (void *)0x1004 && attribute == 4 && *(uint64_t *)value == 1ull << 33 ? 0 : 1;
}
int cuMemPoolGetAccess(int *flags, void *pool, Location *location) {
  *flags = location->type * 100 + location->id;
  return pool == (void *)0x1004 ? 0 : 1;
}
int cuMemGetAccess(unsigned long long *flags, const Location *location, uint64_t p) {
  *flags = location->type * 100 + location->id;
  return p == 0x7f0000001000ull ? 0 : 1;
}
int cuMemGetAllocationPropertiesFromHandle(AllocationProp *p, uint64_t handle) {
  memset(p, 0, sizeof *p);
  p->handleTypes = 9; p->location.type = 1; p->location.id = (int)handle;
  return 0;
}
int cuModuleLoadData(void **module, const void *image) { *module = (void *)0x11; return strcmp(image, "ptx text"); }
int cuModuleGetFunction(void **f, void *module, const char *name) { *f = (void *)0x22; return module == (void *)0x11 ? strcmp(name, "copy") : 400; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
  return f == (void *)0x22 && gx == 1 && gy == 2 && gz == 3 && bx == 4 && by == 5 && bz == 6 && shared == 0 && stream == (void *)0x33 &&
         *(uint64_t *)params[0] == 0x7f0000001000ull && *(uint64_t *)params[1] == 42 && !extra ? 0 : 1;
}
int cuDeviceGetAttribute(int *v, int attribute, int device) { *v = attribute * 10 + device; return attribute > 100; }
`;

let folder = '';
let library = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-driver-'));
  library = join(folder, 'libcuda-old.so');
  writeFileSync(join(folder, 'old.c'), source);
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(folder, 'old.c')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function errorOf(action: () => unknown): GpuIpcError['error'] {
  try {
    action();
  } catch (error) {
    if (error instanceof GpuIpcError) return error.error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('bindings', () => {
  it('pass and return values as C has them', () => {
    const cuda = openCuda(library);
    expect(cuda.memGetInfo()).toEqual({ freeBytes: 2 ** 33, totalBytes: 2 ** 40 + 1 });
    const pointer = cuda.memAlloc(4096);
    expect(pointer).toBe(0x7f00_0000_1000n);
    cuda.memFree(pointer);
    const handle = cuda.ipcGetMemHandle(pointer);
    expect(handle).toHaveLength(64);
    expect(cuda.ipcOpenMemHandle(handle, 1)).toBe(pointer);
    const mine = new Uint8Array(64);
    expect(cuda.ipcGetMemHandle(asDevicePtr(0xffff_ffff_ffff_fff0n), mine)).toBe(mine);
    expect(cuda.ipcOpenMemHandle(asMemHandle(mine), 1)).toBe(0xffff_ffff_ffff_fff0n);
  });

  it('lay out the structs that pools and virtual memory take', () => {
    const cuda = openCuda(library);
    expect(cuda.memPoolCreate({ handleTypes: 1, deviceOrdinal: 3, maxBytes: 4096 })).toBe(0x7f00_beef_0000n);
    expect(cuda.memCreate(2 ** 21, { handleTypes: 8, deviceOrdinal: 2 })).toBe(2n ** 21n);
    expect(() => cuda.memSetAccess(asDevicePtr(0x7f00_0000_1000n), 4096, 2, 3)).not.toThrow();
  });

  it('pass descriptors as the driver takes them', () => {
    const cuda = openCuda(library);
    expect(cuda.memExportToShareableHandle(5n as AllocationHandle)).toBe(77);
    expect(cuda.memImportFromShareableHandle(77)).toBe(77n);
    expect(cuda.memImportFromShareableHandle(-1)).toBe(2n ** 64n - 1n);
    const pool = cuda.memPoolImportFromShareableHandle(4);
    expect(pool).toBe(0x1004n);
    const data = cuda.memPoolExportPointer(asDevicePtr(0x7f00_0000_1000n));
    expect(data).toHaveLength(64);
    expect(cuda.memPoolImportPointer(pool, asPoolPointer(new Uint8Array(data)))).toBe(0x7f00_0000_1000n);
  });

  it('read and write attributes and access of pools and virtual memory', () => {
    const cuda = openCuda(library);
    const pool = 0x1004n as MemPool;
    expect(cuda.memPoolGetAttribute(pool, PoolAttribute.USED_MEM_HIGH)).toBe(2 ** 33 + 8);
    expect(cuda.memPoolGetAttribute(pool, PoolAttribute.REUSE_ALLOW_OPPORTUNISTIC)).toBe(1);
    expect(() => cuda.memPoolSetAttribute(pool, PoolAttribute.RELEASE_THRESHOLD, 2 ** 33)).not.toThrow();
    expect(cuda.memPoolGetAccess(pool, 3)).toBe(103);
    expect(cuda.memGetAccess(asDevicePtr(0x7f00_0000_1000n), 2)).toBe(102);
    expect(cuda.memGetAllocationPropertiesFromHandle(6n as AllocationHandle)).toEqual({
      handleTypes: 9,
      locationType: 1,
      deviceOrdinal: 6,
    });
  });

  it('launch a kernel with its arguments behind pointers', () => {
    const cuda = openCuda(library);
    const kernel = cuda.moduleGetFunction(cuda.moduleLoadData('ptx text'), 'copy');
    for (let i = 0; i < 3; i++) {
      cuda.launchKernel(kernel, {
        grid: [1, 2, 3],
        block: [4, 5, 6],
        stream: 0x33n as Stream,
        arguments: [0x7f00_0000_1000n, 42n],
      });
    }
  });

  it('return answers and throw failures', () => {
    const cuda = openCuda(library);
    expect(cuda.eventQuery(0n as Parameters<CudaCalls['eventQuery']>[0])).toBe('ready');
    expect(cuda.eventQuery(600n as Parameters<CudaCalls['eventQuery']>[0])).toBe('not-ready');
    expect(cuda.deviceGetAttribute(75, 2 as DeviceId)).toBe(752);
    expect(cuda.deviceGetAttribute(101, 2 as DeviceId)).toBeUndefined();
    expect(errorOf(() => cuda.memFree(asDevicePtr(5n)))).toMatchObject({
      code: 'driver-error',
      call: 'cuMemFree_v2',
      message: 'cuMemFree_v2 answered INVALID_VALUE 1: invalid argument.',
      cuda: { result: 1, name: 'CUDA_ERROR_INVALID_VALUE', text: 'invalid argument' },
      hint: expect.any(String),
    });
  });

  it('refuse arguments that C would misread', () => {
    const cuda = openCuda(library);
    expect(errorOf(() => cuda.memAlloc(-1)).code).toBe('invalid-argument');
    expect(errorOf(() => cuda.memAlloc(Number.NaN)).code).toBe('invalid-argument');
    expect(() => cuda.ipcGetMemHandle(asDevicePtr(1n), new Uint8Array(63))).toThrow(RangeError);
    expect(() => asMemHandle(new Uint8Array(65))).toThrow(RangeError);
    expect(errorOf(() => cuda.memcpyDtoH(new Uint8Array(4), asDevicePtr(1n), 5)).code).toBe('invalid-argument');
  });

  it('say what a driver lacks, when it is needed and not before', () => {
    const cuda = openCuda(library);
    expect(errorOf(() => cuda.streamWaitValue32(0n as never, asDevicePtr(0n), 1, 0))).toMatchObject({
      code: 'unsupported',
      call: 'cuStreamWaitValue32_v2',
      message: 'This driver is too old: cuStreamWaitValue32_v2 came with CUDA 11.7, and this one supports CUDA 11.2.',
    });
  });

  it('do not call a driver old that only lacks something', () => {
    expect(errorOf(() => openCuda(library).memFreeAsync(asDevicePtr(1n), 0n as never))).toMatchObject({
      code: 'unsupported',
      message: 'This driver has no cuMemFreeAsync.',
    });
  });

  it('take the older symbol where it does the same', () => {
    expect(openCuda(library).deviceGetUuid(7 as DeviceId)).toEqual(new Uint8Array(16).fill(7));
  });

  it('show every call to an observer, and its name before it begins', () => {
    const calls: [string, readonly CallArgument[], number][] = [];
    const begun: string[] = [];
    const cuda = openCuda(library, {
      observer: (name, args, result) => calls.push([name, args, result]),
      starting: (name) => begun.push(name),
    });
    const pointer = cuda.memAlloc(4096);
    errorOf(() => cuda.memFree(asDevicePtr(5n)));
    cuda.ipcGetMemHandle(pointer);
    expect(calls).toEqual([
      ['cuMemAlloc_v2', [4096], 0],
      ['cuMemFree_v2', [5n], 1],
      ['cuIpcGetMemHandle', [pointer], 0],
    ]);
    expect(begun).toEqual(['cuMemAlloc_v2', 'cuMemFree_v2', 'cuIpcGetMemHandle']);
  });

  it('can be opened several times and in several places at once', () => {
    const [first, second] = [openCuda(library), openCuda(library)];
    expect(first.memAlloc(1)).toBe(second.memAlloc(1));
    expect(Object.isFrozen(first)).toBe(true);
  });
});
