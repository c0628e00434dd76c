/* Modules and launches: what is refused, the order of the stream, and what a touch of nothing does. */
#include <string.h>
#include <unistd.h>

#include "check.h"

/* The head of this project's modules, and an entry that is like `gather`. */
#define HEAD "// GPU IPC Inspector kernels: test\n.version 6.3\n.target sm_75\n.address_size 64\n"
#define GATHER                                                                                                 \
  HEAD                                                                                                         \
  ".visible .entry gather(\n.param .u64 a,\n.param .u64 b,\n.param .u64 c,\n.param .u64 d,\n.param .u64 e)\n" \
  ".maxntid 256, 1, 1\n{\n ret;\n}\n"

static void modules_are_read(void) {
  start_driver();
  CUmodule module;
  CUfunction function;
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(NULL, GATHER));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
  CHECK_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, ""));
  CHECK_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "nonsense"));
  CHECK_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "\177ELF"));
  CHECK_RESULT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, ".version 6.3\n"));
  CHECK_RESULT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, HEAD ".entry f("));
  CHECK_RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&module, ".version 99.0\n.target sm_75\n"));
  OK(cuModuleLoadData(&module, GATHER));
  CHECK_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "gathe"));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, module, NULL));
  OK(cuModuleGetFunction(&function, module, "gather"));
  OK(cuModuleUnload(module));
  CHECK_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
  CHECK_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, module, "gather"));
  CHECK_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

static CUresult launch(CUfunction function, CUstream stream, CUdeviceptr from, uint64_t step, uint64_t size,
                       uint64_t count, CUdeviceptr to) {
  uint64_t values[] = {from, step, size, count, to};
  void *arguments[5];
  for (int i = 0; i < 5; i++) arguments[i] = &values[i];
  return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
}

static void launches_keep_the_order_of_their_stream(void) {
  start_driver();
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr memory;
  void *gate;
  OK(cuModuleLoadData(&module, GATHER));
  OK(cuModuleGetFunction(&function, module, "gather"));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc_v2(&memory, 4096));
  OK(cuMemAllocHost_v2(&gate, 4096));
  OK(cuMemsetD8_v2(memory, 0, 4096));
  OK(cuStreamWaitValue32_v2(stream, (CUdeviceptr)(uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuMemsetD32Async(memory, 0x04030201, 4, stream));
  OK(launch(function, stream, memory, 3, 1, 4, memory + 1024));
  /* The kernel that is queued does not need its module. */
  OK(cuModuleUnload(module));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  *(_Atomic uint32_t *)gate = 1;
  OK(cuStreamSynchronize(stream));
  unsigned char found[4];
  OK(cuMemcpyDtoH_v2(found, memory + 1024, 4));
  /* Bytes 0, 3, 6, 9 of 1 2 3 4 1 2 3 4 … */
  CHECK(found[0] == 1 && found[1] == 4 && found[2] == 3 && found[3] == 2);
}

static void launches_are_checked(void) {
  CUcontext context = start_driver();
  (void)context;
  CUmodule module, other;
  CUfunction function, unknown;
  uint64_t value = 0;
  void *arguments[] = {&value, &value, &value, &value, &value};
  OK(cuModuleLoadData(&module, GATHER));
  OK(cuModuleGetFunction(&function, module, "gather"));
  CHECK_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 0, 1, 0, NULL, arguments, NULL));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL));
  /* More threads than .maxntid allows. */
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 257, 1, 1, 0, NULL, arguments, NULL));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
  OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  /* The same name in another program's module is another kernel, which nothing here can run. */
  OK(cuModuleLoadData(&other, strchr(GATHER, '\n') + 1));
  OK(cuModuleGetFunction(&unknown, other, "gather"));
  CHECK_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel(unknown, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  OK(cuCtxSynchronize());
}

static void an_address_without_memory_ends_everything(void) {
  start_driver();
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr memory;
  OK(cuModuleLoadData(&module, GATHER));
  OK(cuModuleGetFunction(&function, module, "gather"));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc_v2(&memory, 4096));
  /* Past the allocation, but in its block: the GPU finds memory there. */
  OK(launch(function, stream, memory + 8192, 1, 1, 16, memory));
  OK(cuStreamSynchronize(stream));
  OK(launch(function, stream, memory + (64ull << 40), 1, 1, 16, memory));
  cuStreamSynchronize(stream);
  CUdeviceptr more;
  CHECK_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&more, 4096));
  CHECK_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  CHECK_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, launch(function, stream, memory, 1, 1, 16, memory));
}

const test_case kernel_tests[] = {
    {"modules are read", modules_are_read},
    {"launches keep the order of their stream", launches_keep_the_order_of_their_stream},
    {"launches are checked", launches_are_checked},
    {"an address without memory ends everything", an_address_without_memory_ends_everything},
    {NULL, NULL},
};
