/* Pools and virtual memory: descriptors, what is left behind, the order of streams, random use against a model. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define MIB (1ull << 20)
#define CHUNK (2 * MIB)

static int open_files(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  CHECK(directory);
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

static size_t free_memory(void) {
  size_t free_bytes, total;
  OK(cuMemGetInfo_v2(&free_bytes, &total));
  return free_bytes;
}

static void *as_handle(int fd) { return (void *)(intptr_t)fd; }

static CUmemoryPool new_pool(void) {
  CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                          .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemoryPool pool;
  OK(cuMemPoolCreate(&pool, &props));
  return pool;
}

static CUmemGenericAllocationHandle new_physical(void) {
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemGenericAllocationHandle handle;
  OK(cuMemCreate(&handle, CHUNK, &prop, 0));
  return handle;
}

static cuuint64_t reserved_by(CUmemoryPool pool) {
  cuuint64_t reserved;
  OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
  return reserved;
}

static void give_access(CUdeviceptr pointer, CUmemAccess_flags flags) {
  CUmemAccessDesc desc = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
  OK(cuMemSetAccess(pointer, CHUNK, &desc, 1));
}

static void ten_thousand_exports_leave_nothing_open(void) {
  start_driver();
  CUmemoryPool pool = new_pool();
  CUdeviceptr pointer, imported;
  OK(cuMemAllocFromPoolAsync(&pointer, 4096, pool, NULL));
  CUmemGenericAllocationHandle handle = new_physical();
  /* The pool keeps a descriptor from its first export on. */
  int fd;
  OK(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  close(fd);
  CUmemPoolPtrExportData data;
  OK(cuMemPoolExportPointer(&data, pointer));
  int files = open_files();
  size_t memory = free_memory();
  for (int i = 0; i < 5000; i++) {
    CUmemoryPool theirs;
    OK(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemPoolImportFromShareableHandle(&theirs, as_handle(fd), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(fd);
    OK(cuMemPoolImportPointer(&imported, theirs, &data));
    OK(cuMemFreeAsync(imported, NULL));
    OK(cuMemPoolDestroy(theirs));
    CUmemGenericAllocationHandle other;
    OK(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemImportFromShareableHandle(&other, as_handle(fd), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    OK(cuMemRelease(other));
  }
  CHECK(open_files() == files);
  CHECK(free_memory() == memory);
  OK(cuMemRelease(handle));
  OK(cuMemFreeAsync(pointer, NULL));
  OK(cuMemPoolDestroy(pool));
  CHECK(open_files() < files);
  CHECK(free_memory() > memory);
}

static void other_files_are_refused(void) {
  start_driver();
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  int sealed = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK(ftruncate(sealed, CHUNK + 4096) == 0);
  CHECK(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  int others[] = {pipes[0], pipes[1], sealed, open("/dev/null", O_RDWR), open("/proc", O_RDONLY | O_DIRECTORY)};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    CUmemGenericAllocationHandle handle;
    CUmemoryPool pool;
    CHECK(others[i] >= 0);
    CHECK_RESULT(CUDA_ERROR_UNKNOWN, cuMemImportFromShareableHandle(&handle, as_handle(others[i]), 1));
    CHECK_RESULT(CUDA_ERROR_UNKNOWN, cuMemPoolImportFromShareableHandle(&pool, as_handle(others[i]), 1, 0));
    close(others[i]);
    CHECK_RESULT(CUDA_ERROR_UNKNOWN, cuMemImportFromShareableHandle(&handle, as_handle(others[i]), 1));
    CHECK_RESULT(CUDA_ERROR_UNKNOWN, cuMemPoolImportFromShareableHandle(&pool, as_handle(others[i]), 1, 0));
  }
}

#define STREAMS 4
#define PIECES 64
#define PIECE_BYTES (256u << 10)

/* Each piece is filled and copied out on its stream, then freed there: nobody else's fill may get in between. */
static void stream_order_keeps_pool_memory_apart(void) {
  start_driver();
  CUmemoryPool pool = new_pool();
  CUstream streams[STREAMS];
  for (int i = 0; i < STREAMS; i++) OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  void *seen;
  OK(cuMemAllocHost_v2(&seen, PIECES * PIECE_BYTES));
  /* One piece stays, so that its chunk does too and what is free in it is given again. */
  CUdeviceptr gate, kept;
  OK(cuMemAlloc_v2(&gate, 4096));
  OK(cuMemAllocFromPoolAsync(&kept, 4096, pool, NULL));
  for (int round = 0; round < 10; round++) {
    /* Everything is queued before anything runs. */
    OK(cuMemsetD32_v2(gate, 0, 1));
    for (int i = 0; i < STREAMS; i++) OK(cuStreamWaitValue32_v2(streams[i], gate, 1, CU_STREAM_WAIT_VALUE_EQ));
    for (int i = 0; i < PIECES; i++) {
      CUstream stream = streams[i % STREAMS];
      CUdeviceptr pointer;
      OK(cuMemAllocFromPoolAsync(&pointer, PIECE_BYTES, pool, stream));
      OK(cuMemsetD8Async(pointer, (unsigned char)i, PIECE_BYTES, stream));
      OK(cuMemcpyDtoHAsync_v2((char *)seen + i * PIECE_BYTES, pointer, PIECE_BYTES, stream));
      OK(cuMemFreeAsync(pointer, stream));
      unsigned char byte;
      CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&byte, pointer, 1));
    }
    OK(cuMemsetD32_v2(gate, 1, 1));
    OK(cuCtxSynchronize());
    for (size_t i = 0; i < PIECES * PIECE_BYTES; i++) CHECK(((unsigned char *)seen)[i] == (i / PIECE_BYTES) % 256);
  }
  OK(cuMemFreeAsync(kept, NULL));
  OK(cuCtxSynchronize());
  cuuint64_t used;
  OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  CHECK(used == 0 && reserved_by(pool) == 0);
}

/* Trimmed or not, and however long the work is done: only waiting for the stream gives freed memory back. */
static void freed_memory_stays_reserved_until_a_synchronisation(void) {
  start_driver();
  CUmemoryPool pool = new_pool();
  CUstream stream, other;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  size_t before = free_memory();
  CUdeviceptr pointer;
  for (int way = 0; way < 2; way++) {
    OK(cuMemAllocFromPoolAsync(&pointer, 4 * MIB, pool, stream));
    OK(cuMemFreeAsync(pointer, stream));
    CUevent event;
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventRecord(event, stream));
    while (cuEventQuery(event) == CUDA_ERROR_NOT_READY) usleep(1000);
    OK(cuMemPoolTrimTo(pool, 0));
    OK(cuStreamSynchronize(other));
    OK(cuMemPoolTrimTo(pool, 0));
    CHECK(reserved_by(pool) == 32 * MIB && free_memory() == before - 32 * MIB);
    OK(way == 0 ? cuStreamSynchronize(stream) : cuCtxSynchronize());
    CHECK(reserved_by(pool) == 0 && free_memory() == before);
  }
  /* What the threshold allows stays, and can be trimmed from then on. */
  cuuint64_t threshold = 1ull << 30;
  OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  OK(cuMemAllocFromPoolAsync(&pointer, 4 * MIB, pool, stream));
  OK(cuMemFreeAsync(pointer, stream));
  OK(cuStreamSynchronize(stream));
  CHECK(reserved_by(pool) == 32 * MIB);
  OK(cuMemPoolTrimTo(pool, 0));
  CHECK(reserved_by(pool) == 0);
  /* A pool that goes takes it along. */
  OK(cuMemAllocFromPoolAsync(&pointer, 4 * MIB, pool, stream));
  OK(cuMemFreeAsync(pointer, stream));
  OK(cuMemPoolDestroy(pool));
  CHECK(free_memory() == before);
}

/* Where pid, number of the pool, size and number of chunks are was seen in real data. */
static void pointer_data_is_laid_out_as_observed(void) {
  start_driver();
  CUmemoryPool pool = new_pool(), theirs;
  int fd;
  OK(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  OK(cuMemPoolImportFromShareableHandle(&theirs, as_handle(fd), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  close(fd);
  const struct {
    uint64_t bytes;
    uint32_t chunks;
  } seen[] = {{4 * MIB, 0x35}, {64 * MIB, 0x37}, {512 * MIB, 0x53}, {1024 * MIB, 0x73}, {4096 * MIB, 0x133}};
  uint64_t last_id = 0;
  for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
    CUdeviceptr pointer, imported;
    CUmemPoolPtrExportData data;
    OK(cuMemAllocFromPoolAsync(&pointer, seen[i].bytes, pool, NULL));
    OK(cuMemPoolExportPointer(&data, pointer));
    uint32_t words[16];
    memcpy(words, data.reserved, sizeof words);
    uint64_t id = (uint64_t)words[5] << 32 | words[4], size = (uint64_t)words[9] << 32 | words[8];
    CHECK(words[0] == (uint32_t)getpid() && words[2] > 0 && words[6] == 0 && words[7] == 0);
    CHECK(words[1] == 0 && words[3] == 0);
    CHECK(id > last_id && size == seen[i].bytes && words[10] == seen[i].chunks);
    for (int word = 11; word < 16; word++) CHECK(words[word] == 0);
    last_id = id;
    OK(cuMemPoolImportPointer(&imported, theirs, &data));
    CUmemGenericAllocationHandle handle;
    CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)imported));
    OK(cuMemFreeAsync(imported, NULL));
    /* Another process's number names nothing in this pool. */
    words[0] += 1;
    memcpy(data.reserved, words, sizeof words);
    CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&imported, theirs, &data));
    OK(cuMemFreeAsync(pointer, NULL));
    OK(cuCtxSynchronize());
  }
  OK(cuMemPoolDestroy(theirs));
}

/* A context that goes takes queued frees of its memory with it. */
static void frees_may_outlive_their_context(void) {
  start_driver();
  size_t before = free_memory();
  CUcontext second;
  OK(cuCtxCreate_v2(&second, 0, 0));
  CUstream stream;
  CUdeviceptr flag, ordinary, pooled;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc_v2(&flag, 4096));
  OK(cuMemsetD32_v2(flag, 0, 1));
  OK(cuMemAlloc_v2(&ordinary, 4 * MIB));
  OK(cuMemAllocAsync(&pooled, 4 * MIB, stream));
  OK(cuStreamWaitValue32_v2(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuMemFreeAsync(ordinary, stream));
  OK(cuMemFreeAsync(pooled, stream));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(ordinary, stream));
  OK(cuMemsetD32_v2(flag, 1, 1));
  OK(cuCtxDestroy_v2(second));
  start_driver();
  CHECK(free_memory() == before);
}

#define PLACES 8
#define ALLOCATIONS 4

/* Random maps, unmaps, access and fills of one reservation, against what should be at each place. */
static void random_mappings_agree_with_a_model(void) {
  start_driver();
  CUdeviceptr range;
  OK(cuMemAddressReserve(&range, PLACES * CHUNK, 0, 0, 0));
  CUmemGenericAllocationHandle handles[ALLOCATIONS];
  unsigned char content[ALLOCATIONS] = {0};
  int at[PLACES], access[PLACES] = {0};
  for (int i = 0; i < ALLOCATIONS; i++) handles[i] = new_physical();
  for (int i = 0; i < PLACES; i++) at[i] = -1;
  uint32_t random = 7;
  for (int step = 0; step < 4000; step++) {
    uint32_t place = next_random(&random) % PLACES, what = next_random(&random) % 5;
    CUdeviceptr pointer = range + place * CHUNK;
    unsigned char byte = (unsigned char)step;
    bool mapped = at[place] >= 0;
    if (what == 0) {
      int which = (int)(next_random(&random) % ALLOCATIONS);
      CHECK_RESULT(mapped ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS, cuMemMap(pointer, CHUNK, 0, handles[which], 0));
      if (!mapped) at[place] = which;
    } else if (what == 1) {
      /* Also where nothing is mapped. */
      OK(cuMemUnmap(pointer, CHUNK));
      at[place] = -1;
      access[place] = 0;
    } else if (what == 2 && mapped) {
      static const int kinds[] = {0, 1, 3};
      access[place] = kinds[next_random(&random) % 3];
      give_access(pointer, (CUmemAccess_flags)access[place]);
    } else if (what == 3) {
      bool may = mapped && access[place] == 3;
      CHECK_RESULT(may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(pointer, byte, CHUNK));
      if (may) content[at[place]] = byte;
    } else {
      bool may = mapped && access[place] != 0;
      CHECK_RESULT(may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&byte, pointer + CHUNK - 1, 1));
      if (may) CHECK(byte == content[at[place]]);
    }
  }
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range, CHUNK));
  for (int i = 0; i < PLACES; i++) {
    if (at[i] >= 0) OK(cuMemUnmap(range + (CUdeviceptr)i * CHUNK, CHUNK));
  }
  OK(cuMemAddressFree(range, PLACES * CHUNK));
  for (int i = 0; i < ALLOCATIONS; i++) OK(cuMemRelease(handles[i]));
  for (int i = 0; i < ALLOCATIONS; i++) CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handles[i]));
}

/* Fabric handles: only where there is a channel, of memory that was made for it, while it is there. */
static void fabric_handles_name_memory(void) {
  start_driver();
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemGenericAllocationHandle handle, other;
  unsigned char bytes[64], changed[64];
  CHECK_RESULT(CUDA_ERROR_NOT_PERMITTED, cuMemCreate(&handle, CHUNK, &prop, 0));
  CHECK(setenv("GPU_IPC_SIM_FABRIC", "1", 1) == 0);
  OK(cuMemCreate(&handle, CHUNK, &prop, 0));
  int fd;
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&fd, handle, 1, 0));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(bytes, new_physical(), 8, 0));
  OK(cuMemExportToShareableHandle(bytes, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0));
  int files = open_files();
  for (int i = 0; i < 64; i++) {
    memcpy(changed, bytes, 64);
    changed[i] ^= 0x40;
    CUresult result = cuMemImportFromShareableHandle(&other, changed, CU_MEM_HANDLE_TYPE_FABRIC);
    if (result == CUDA_SUCCESS) OK(cuMemRelease(other));
    else CHECK(result == CUDA_ERROR_INVALID_VALUE);
  }
  OK(cuMemImportFromShareableHandle(&other, bytes, CU_MEM_HANDLE_TYPE_FABRIC));
  OK(cuMemRelease(handle));
  CUdeviceptr pointer;
  OK(cuMemAddressReserve(&pointer, CHUNK, 0, 0, 0));
  OK(cuMemMap(pointer, CHUNK, 0, other, 0));
  give_access(pointer, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  OK(cuMemsetD8_v2(pointer, 7, CHUNK));
  OK(cuMemUnmap(pointer, CHUNK));
  OK(cuMemRelease(other));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemImportFromShareableHandle(&other, bytes, CU_MEM_HANDLE_TYPE_FABRIC));
  CHECK(open_files() <= files);
}

/* Neither can be exported with a legacy handle. */
static void legacy_handles_are_refused(void) {
  start_driver();
  CUmemoryPool pool = new_pool();
  CUdeviceptr pointer;
  CUipcMemHandle handle;
  OK(cuMemAllocFromPoolAsync(&pointer, 4 * MIB, pool, NULL));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, pointer));
  OK(cuMemAddressReserve(&pointer, CHUNK, 0, 0, 0));
  OK(cuMemMap(pointer, CHUNK, 0, new_physical(), 0));
  give_access(pointer, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, pointer));
}

const test_case shareable_tests[] = {
    {"ten thousand exports leave nothing open", ten_thousand_exports_leave_nothing_open},
    {"other files are refused", other_files_are_refused},
    {"stream order keeps pool memory apart", stream_order_keeps_pool_memory_apart},
    {"freed memory stays reserved until a synchronisation", freed_memory_stays_reserved_until_a_synchronisation},
    {"pointer data is laid out as observed", pointer_data_is_laid_out_as_observed},
    {"frees may outlive their context", frees_may_outlive_their_context},
    {"random mappings agree with a model", random_mappings_agree_with_a_model},
    {"fabric handles name memory", fabric_handles_name_memory},
    {"pools and virtual memory have no legacy handles", legacy_handles_are_refused},
    {NULL, NULL},
};
