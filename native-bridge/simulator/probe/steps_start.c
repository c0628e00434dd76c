/* Before and around cuInit; error names; finding symbols; forked children and other threads. */
#include <stdio.h>
#include <string.h>

#include "probe.h"

static void before_init(void) {
  static const char *const commands[] = {
      "cuDriverGetVersion &v", "cuDriverGetVersion null", "cuDeviceGetCount &n", "cuDeviceGet &d 0",
      "cuCtxGetCurrent &c", "cuCtxSetCurrent null", "cuMemAlloc_v2 &p 4096", "cuMemFree_v2 null",
      "cuMemGetInfo_v2 &a &b", "cuPointerGetAttribute &v 2 4096", "cuMemHostRegister_v2 buf 4096 0",
      "cuIpcGetMemHandle &H 4096", "cuIpcOpenMemHandle_v2 &p H 1", "cuIpcOpenMemHandle_v2 &p H 0",
      "cuIpcCloseMemHandle 4096", "cuIpcOpenEventHandle &e H", "cuIpcGetEventHandle &H null", "cuEventCreate &e 0",
      "cuStreamCreate &s 0", "cuStreamQuery null", "cuCtxSynchronize", "cuDevicePrimaryCtxRetain &c 0",
      "cuDeviceGetName buf 64 0", "cuCtxGetDevice &d", "cuInit 1", "cuMemcpyDtoH_v2 buf null 0"};
  peer *one = peer_start(NULL);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) step(one, commands[i], commands[i]);
  step(one, "cuInit 0", "cuInit 0");
  step(one, "cuInit 0 again", "cuInit 0");
  step(one, "cuInit 7 afterwards", "cuInit 7");
  step_then(one, "driver version", "cuDriverGetVersion &v", "val v");
  peer_end(one);
}

static void visible(void) {
  static const char *const lists[] = {"", "0", "0,0", "-1", "1", "abc", "0,abc", "0,-1,0", "0,99", " 0", "0 ,", ",0",
                                      "GPU-", "GPU-00000000", "NoDevFiles"};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    char environment[64], name[96];
    snprintf(environment, sizeof environment, "CUDA_VISIBLE_DEVICES=%s", lists[i]);
    snprintf(name, sizeof name, "cuInit with \"%s\"", lists[i]);
    peer *one = peer_start(environment);
    step_then(one, name, "cuInit 0", "cuDeviceGetCount &n; val n");
    peer_end(one);
  }
}

static void no_context(void) {
  static const char *const commands[] = {
      "cuMemAlloc_v2 &p 4096", "cuMemAlloc_v2 &p 0", "cuMemAlloc_v2 null 4096", "cuMemFree_v2 null",
      "cuMemFree_v2 4096", "cuMemGetInfo_v2 &a &b", "cuMemGetAddressRange_v2 &a &b 4096",
      "cuPointerGetAttribute &v 2 4096", "cuPointerGetAttribute null 2 4096", "cuPointerGetAttribute &v 99 4096",
      "cuMemcpyDtoH_v2 buf 4096 16", "cuMemcpyDtoH_v2 buf 4096 0", "cuMemsetD8_v2 4096 0 0", "cuIpcGetMemHandle &H 4096",
      "cuIpcGetMemHandle null 4096", "cuIpcOpenMemHandle_v2 &p H 1", "cuIpcOpenMemHandle_v2 &p H 0",
      "cuIpcCloseMemHandle null", "cuIpcCloseMemHandle 4096", "cuIpcOpenEventHandle &e H",
      "cuEventCreate &e 0", "cuEventCreate &e 4", "cuStreamCreate &s 0", "cuStreamQuery null",
      "cuStreamSynchronize null", "cuCtxSynchronize", "cuCtxGetDevice &d", "cuCtxGetFlags &f", "cuCtxPopCurrent_v2 &c",
      "cuCtxPopCurrent_v2 null", "cuCtxGetCurrent &c", "cuCtxGetCurrent null", "cuCtxSetCurrent null", "cuCtxPushCurrent_v2 null",
      "cuMemAllocHost_v2 &p 4096", "cuMemHostAlloc &p 4096 0", "cuMemFreeHost null", "cuMemFreeHost buf", "cuMemHostRegister_v2 buf 4096 0",
      "cuMemHostUnregister buf", "cuMemAllocManaged &p 4096 1", "cuMemAllocAsync &p 4096 null",
      "cuMemFreeAsync null null", "cuMemRetainAllocationHandle &h 4096", "cuCtxGetApiVersion null &v",
      "cuCtxGetId null &v", "cuDeviceGetDefaultMemPool &p 0", "cuPointerGetAttributes 0 null null 0",
      "cuCtxGetStreamPriorityRange &a &b"};
  peer *one = peer_start(NULL);
  ask(one, "cuInit 0");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) step(one, commands[i], commands[i]);
  static const char *const risky[] = {"cuEventQuery null", "cuEventDestroy_v2 null", "cuEventRecord null null",
                                      "cuIpcGetEventHandle &H null", "cuStreamDestroy_v2 null", "cuCtxDestroy_v2 null"};
  for (size_t i = 0; i < sizeof risky / sizeof risky[0]; i++) step(one, risky[i], risky[i]);
  peer_end(one);
}

static void errors(void) {
  peer *one = peer_start(NULL);
  for (int code = 0; code <= 1000; code++) {
    char result[64], text[600];
    snprintf(result, sizeof result, "%s", ask(one, "cuGetErrorName %d &t", code));
    if (strcmp(result, "CUDA_SUCCESS") != 0 && code != 9 && code != 1000) continue;
    snprintf(text, sizeof text, "%s", ask(one, "text t"));
    char name[32];
    snprintf(name, sizeof name, "name of %d", code);
    line(name, result, text);
    snprintf(name, sizeof name, "text of %d", code);
    snprintf(result, sizeof result, "%s", ask(one, "cuGetErrorString %d &t", code));
    line(name, result, ask(one, "text t"));
  }
  step(one, "name of -1", "cuGetErrorName -1 &t");
  peer_end(one);
  isolated("name into null", "cuGetErrorName 0 null");
}

static void symbols(void) {
  static const struct {
    const char *symbol;
    int version;
    int flags;
  } cases[] = {{"cuMemAlloc", 13000, 0},      {"cuMemAlloc", 3020, 0},     {"cuMemAlloc", 2000, 0},
               {"cuMemAlloc", 1000, 0},       {"cuMemAlloc_v2", 13000, 0}, {"cuNothing", 13000, 0},
               {"cuCtxCreate", 12050, 0},     {"cuCtxCreate", 11040, 0},   {"cuIpcOpenMemHandle", 10000, 0},
               {"cuMemAllocAsync", 11010, 0}, {"cuMemAlloc", 13000, 3},    {"cuMemAlloc", 13000, 1},
               {"cuMemAlloc", 13000, 4},      {"cuStreamWaitValue32", 11070, 0}, {"cuMemAlloc", 99000, 0}, {"cuMemAlloc", 0, 0}};
  peer *one = peer_start(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char name[96], result[64], detail[64];
    snprintf(name, sizeof name, "%s %d flags %d", cases[i].symbol, cases[i].version, cases[i].flags);
    ask(one, "string buf %s; set f 7; set s 9", cases[i].symbol);
    snprintf(result, sizeof result, "%s", ask(one, "cuGetProcAddress_v2 buf &f %d %d &s", cases[i].version, cases[i].flags));
    uint64_t function = value(one, "f"), status = value(one, "s");
    snprintf(detail, sizeof detail, "%s, status %llu", function == 0 ? "null" : function == 7 ? "unset" : "function",
             (unsigned long long)status);
    line(name, result, detail);
  }
  peer_end(one);
  isolated("null symbol", "cuGetProcAddress_v2 null &f 13000 0 &s");
  isolated("null function", "string buf cuMemAlloc; cuGetProcAddress_v2 buf null 13000 0 &s");
  isolated("null status", "string buf cuNothing; cuGetProcAddress_v2 buf &f 13000 0 null");
  isolated("null status, version too low", "string buf cuMemAllocAsync; cuGetProcAddress_v2 buf &f 11010 0 null");
  isolated("first variant, nothing", "string buf cuNothing; cuGetProcAddress buf &f 13000 0");
  isolated("first variant", "string buf cuMemAlloc; cuGetProcAddress buf &f 13000 0");
}

static void processes(void) {
  peer *one = peer_with_context();
  ask(one, "cuMemAlloc_v2 &p 4096; cuEventCreate &e 6");
  static const char *const commands[] = {"cuInit 0", "cuDeviceGetCount &n", "cuCtxGetCurrent &c", "cuMemAlloc_v2 &q 4096",
                                         "cuMemcpyDtoH_v2 buf p 16", "cuIpcGetMemHandle &H p", "cuEventQuery e",
                                         "cuDriverGetVersion &v", "cuMemFree_v2 p", "cuPointerGetAttribute &v 2 p"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    char name[96], command[128];
    snprintf(name, sizeof name, "in a forked child: %s", commands[i]);
    snprintf(command, sizeof command, "fork %s", commands[i]);
    step(one, name, command);
  }
  step(one, "the parent afterwards", "cuMemcpyDtoH_v2 buf p 16");
  step_then(one, "in another thread: cuCtxGetCurrent", "thread cuCtxGetCurrent &c", "val c");
  step(one, "in another thread: cuMemAlloc", "thread cuMemAlloc_v2 &q 4096");
  step(one, "in another thread: cuMemcpyDtoH", "thread cuMemcpyDtoH_v2 buf p 16");
  step(one, "in another thread: cuEventQuery", "thread cuEventQuery e");
  step(one, "in another thread: cuIpcGetMemHandle", "thread cuIpcGetMemHandle &H p");
  step(one, "in another thread: cuPointerGetAttribute", "thread cuPointerGetAttribute &v 2 p");
  step(one, "in another thread: cuPointerGetAttributes", "poke32 buf 2; set w buf+64; thread cuPointerGetAttributes 1 buf &w p");
  step(one, "in another thread: cuEventDestroy", "thread cuEventDestroy_v2 e");
  step(one, "in another thread: cuMemFree", "thread cuMemFree_v2 p");
  peer_end(one);
  one = peer_start(NULL);
  step(one, "fork before cuInit, cuInit in the child", "fork cuInit 0");
  step(one, "cuInit in the parent afterwards", "cuInit 0");
  peer_end(one);
}

const group start_groups[] = {{"before cuInit", before_init, false}, {"visible devices", visible, false}, {"no context", no_context, false},
                              {"errors", errors, false},             {"symbols", symbols, false},         {"processes", processes, false},
                              {NULL, NULL, false}};
