/* Sharing between processes: garbage, deaths at any moment, and what is left behind. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

typedef struct {
  CUipcMemHandle large;
  CUipcMemHandle small;
  CUipcEventHandle event;
} exports;

static void order(child *one, char letter) {
  char done;
  CHECK(send_bytes(one->to, &letter, 1) && receive_bytes(one->from, &done, 1));
}

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

/* Every one-byte change of a valid handle, and random bytes: an answer each time, and valid handles still work. */
static void garbage_handles_are_answered(void) {
  start_driver();
  child peer = start_child("exporter");
  exports theirs;
  CHECK(receive_bytes(peer.from, &theirs, sizeof theirs));
  int files = open_files();
  uint32_t random = 99;
  for (int i = 0; i < 6000; i++) {
    CUipcMemHandle memory = i % 2 ? theirs.large : theirs.small;
    CUipcEventHandle event = theirs.event;
    if (i % 3 == 0) {
      for (int j = 0; j < 64; j++) {
        memory.reserved[j] = (char)next_random(&random);
        event.reserved[j] = (char)next_random(&random);
      }
    } else {
      for (uint32_t changes = 1 + next_random(&random) % 3; changes; changes--) {
        memory.reserved[next_random(&random) % 64] = (char)next_random(&random);
        event.reserved[next_random(&random) % 64] = (char)next_random(&random);
      }
    }
    CUdeviceptr pointer = 0;
    if (cuIpcOpenMemHandle_v2(&pointer, memory, next_random(&random)) == CUDA_SUCCESS) {
      /* Any offset is believed. Reading outside the mapping would cost the process its contexts. */
      CUdeviceptr base, mapping;
      size_t size, mapped;
      OK(cuMemGetAddressRange_v2(&base, &size, pointer));
      OK(cuPointerGetAttribute(&mapping, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, pointer));
      OK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, pointer));
      unsigned char first;
      if (base - mapping < mapped) OK(cuMemcpyDtoH_v2(&first, base, 1));
      OK(cuIpcCloseMemHandle(pointer));
    }
    CUevent imported;
    if (cuIpcOpenEventHandle(&imported, event) == CUDA_SUCCESS) {
      cuEventQuery(imported);
      OK(cuEventDestroy_v2(imported));
    }
  }
  CHECK(open_files() == files);
  CUdeviceptr pointer;
  unsigned char byte = 0;
  OK(cuIpcOpenMemHandle_v2(&pointer, theirs.large, 1));
  OK(cuMemcpyDtoH_v2(&byte, pointer, 1));
  CHECK(byte == 0xab);
  CHECK(end_child(&peer) == 0);
}

static void garbage_pointers_are_answered(void) {
  start_driver();
  uint32_t random = 5;
  static char memory[4096];
  for (int i = 0; i < 20000; i++) {
    uint64_t number = (uint64_t)next_random(&random) << 32 | next_random(&random);
    if (i % 3 == 0) number = (uint64_t)(uintptr_t)memory + next_random(&random) % sizeof memory;
    if (i % 3 == 1) number >>= 17;
    CUdeviceptr pointer = number;
    void *object = (void *)(uintptr_t)number;
    char buffer[16];
    CUipcMemHandle handle;
    CUipcEventHandle event;
    CHECK(cuMemcpyDtoH_v2(buffer, pointer, 16) != CUDA_SUCCESS);
    CHECK(cuIpcGetMemHandle(&handle, pointer) != CUDA_SUCCESS);
    CHECK(cuIpcCloseMemHandle(pointer) != CUDA_SUCCESS);
    CHECK(pointer == 0 || cuMemFree_v2(pointer) != CUDA_SUCCESS);
    CHECK(cuPointerGetAttribute(buffer, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_SUCCESS);
    CHECK(cuEventQuery(object) != CUDA_SUCCESS);
    CHECK(cuEventDestroy_v2(object) != CUDA_SUCCESS);
    CHECK(cuIpcGetEventHandle(&event, object) != CUDA_SUCCESS);
    CHECK(number < 3 || cuStreamQuery(object) != CUDA_SUCCESS);
    CHECK(number < 3 || cuStreamDestroy_v2(object) != CUDA_SUCCESS);
    CHECK(cuCtxDestroy_v2(object) != CUDA_SUCCESS);
    /* The driver lets anything become current, and refuses to work with it. */
    if (number == 0) continue;
    CUcontext context;
    OK(cuCtxPushCurrent_v2(object));
    CHECK_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    OK(cuCtxPopCurrent_v2(&context));
  }
}

/* Exporters and importers killed at random moments: nobody hangs, nothing is left, memory comes back. */
static void deaths_leave_nothing(void) {
  start_driver();
  size_t all = free_memory();
  int files = open_files();
  uint32_t random = 2024;
  for (int round = 0; round < 60; round++) {
    child source = start_child("exporter");
    child user = start_child("hammer");
    exports theirs;
    CHECK(receive_bytes(source.from, &theirs, sizeof theirs));
    if (round % 4 >= 2) order(&source, 'b');
    CHECK(send_bytes(user.to, &theirs, sizeof theirs));
    char ready;
    CHECK(receive_bytes(user.from, &ready, 1));
    CUdeviceptr held = 0;
    CUevent event = NULL;
    if (round % 2) {
      OK(cuIpcOpenMemHandle_v2(&held, theirs.large, 1));
      OK(cuIpcOpenEventHandle(&event, theirs.event));
    }
    usleep(next_random(&random) % 8000);
    if (next_random(&random) & 1) {
      kill_child(&source);
      int status = end_child(&user);
      /* It stops by itself when the exporter is gone. */
      CHECK(status == 0);
    } else {
      kill_child(&user);
      kill_child(&source);
    }
    if (held) {
      unsigned char byte = 0;
      OK(cuMemcpyDtoH_v2(&byte, held, 1));
      CHECK(byte == 0xab);
      CHECK(free_memory() == all - (4u << 20));
      CUresult state = cuEventQuery(event);
      CHECK(state == CUDA_SUCCESS || state == CUDA_ERROR_NOT_READY);
      OK(cuIpcCloseMemHandle(held));
      OK(cuEventDestroy_v2(event));
    }
    CHECK(free_memory() == all);
    CHECK(open_files() == files);
    CUdeviceptr pointer;
    CHECK_RESULT(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle_v2(&pointer, theirs.small, 1));
  }
}

static void memory_counts_once_for_everyone(void) {
  setenv("GPU_IPC_SIM_MEMORY", "64MiB", 1);
  start_driver();
  size_t all = free_memory();
  CHECK(all == 64u << 20);
  child source = start_child("exporter");
  exports theirs;
  CHECK(receive_bytes(source.from, &theirs, sizeof theirs));
  const size_t exported = (4u << 20) + (2u << 20);
  CHECK(free_memory() == all - exported);
  child first = start_child("holder"), second = start_child("holder");
  child *holders[] = {&first, &second};
  for (int i = 0; i < 2; i++) {
    int32_t result = -1;
    CHECK(send_bytes(holders[i]->to, &theirs.large, sizeof theirs.large));
    CHECK(receive_bytes(holders[i]->from, &result, sizeof result) && result == CUDA_SUCCESS);
  }
  CHECK(free_memory() == all - exported);
  order(&source, 'f');
  CHECK(free_memory() == all - exported);
  kill_child(&source);
  CHECK(free_memory() == all - (4u << 20));
  child taker = start_child("taker");
  uint64_t wanted = 62u << 20;
  int32_t result = -1;
  CHECK(send_bytes(taker.to, &wanted, sizeof wanted) && receive_bytes(taker.from, &result, sizeof result));
  CHECK(result == CUDA_ERROR_OUT_OF_MEMORY);
  end_child(&taker);
  kill_child(&first);
  CHECK(free_memory() == all - (4u << 20));
  CHECK(end_child(&second) == 0);
  CHECK(free_memory() == all);
  taker = start_child("taker");
  CHECK(send_bytes(taker.to, &wanted, sizeof wanted) && receive_bytes(taker.from, &result, sizeof result));
  CHECK(result == CUDA_SUCCESS && free_memory() == all - wanted);
  CUdeviceptr pointer;
  CHECK_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&pointer, 4u << 20));
  kill_child(&taker);
  OK(cuMemAlloc_v2(&pointer, 4u << 20));
}

static void killed_recorder_stays_unready(void) {
  start_driver();
  child source = start_child("exporter");
  exports theirs;
  CHECK(receive_bytes(source.from, &theirs, sizeof theirs));
  CUevent event;
  CUstream stream;
  OK(cuIpcOpenEventHandle(&event, theirs.event));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuEventQuery(event));
  order(&source, 'b');
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  order(&source, 'u');
  OK(cuEventSynchronize(event));
  order(&source, 'b');
  OK(cuStreamWaitEvent(stream, event, 0));
  kill_child(&source);
  usleep(50000);
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  /* Its table of events lives as long as somebody has it open, so it can even be opened again. */
  CUevent again;
  OK(cuIpcOpenEventHandle(&again, theirs.event));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(again));
  /* A later record waits for the lost one for ever. */
  OK(cuEventRecord(again, stream));
  CHECK_RESULT(CUDA_ERROR_NOT_READY, cuEventQuery(again));
  OK(cuEventDestroy_v2(again));
  /* A context whose stream waits for ever can still be given up, unlike the real driver's. */
  OK(cuDevicePrimaryCtxRelease_v2(0));
}

static void event_slots_are_used_again(void) {
  start_driver();
  CUevent events[64];
  for (int round = 0; round < 400; round++) {
    for (int i = 0; i < 64; i++) OK(cuEventCreate(&events[i], 6));
    for (int i = 0; i < 64; i++) OK(cuEventDestroy_v2(events[i]));
  }
  CUevent *all = calloc(4097, sizeof *all);
  CHECK(all);
  /* One more than a table holds. */
  for (int i = 0; i < 4097; i++) OK(cuEventCreate(&all[i], 6));
  CUipcEventHandle first, last;
  OK(cuIpcGetEventHandle(&first, all[0]));
  OK(cuIpcGetEventHandle(&last, all[4096]));
  CHECK(memcmp(&first, &last, 8) == 0 && memcmp(&first, &last, sizeof first) != 0);
}

/* What an old handle means after its memory was freed and allocated again: as measured, the new memory. */
static void old_handles_open_new_memory(void) {
  start_driver();
  child source = start_child("exporter");
  exports theirs;
  CHECK(receive_bytes(source.from, &theirs, sizeof theirs));
  CUdeviceptr old, fresh;
  OK(cuIpcOpenMemHandle_v2(&old, theirs.large, 1));
  order(&source, 'f');
  unsigned char byte = 0;
  OK(cuMemcpyDtoH_v2(&byte, old, 1));
  CHECK(byte == 0xab);
  OK(cuIpcCloseMemHandle(old));
  CHECK_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&fresh, theirs.large, 1));
  order(&source, 'a');
  OK(cuIpcOpenMemHandle_v2(&fresh, theirs.large, 1));
  OK(cuMemcpyDtoH_v2(&byte, fresh, 1));
  CHECK(byte == 0xee);
  CHECK(end_child(&source) == 0);
}

const test_case sharing_tests[] = {{"garbage handles are answered", garbage_handles_are_answered},
                                   {"garbage pointers are answered", garbage_pointers_are_answered},
                                   {"deaths leave nothing", deaths_leave_nothing},
                                   {"memory counts once for everyone", memory_counts_once_for_everyone},
                                   {"a killed recorder's event stays unready", killed_recorder_stays_unready},
                                   {"old handles open new memory", old_handles_open_new_memory},
                                   {"event slots are used again", event_slots_are_used_again},
                                   {NULL, NULL}};
