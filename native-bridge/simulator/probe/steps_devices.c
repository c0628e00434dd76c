/* Devices and contexts. */
#include <stdio.h>
#include <string.h>

#include "probe.h"

static void device(void) {
  peer *one = peer_with_context();
  static const char *const commands[] = {
       "cuDeviceGet &d -1", "cuDeviceGet &d 99", 
      "cuDeviceGetName buf 64 99", 
      "cuDeviceGetUuid_v2 buf 99", "cuDeviceTotalMem_v2 &v 99",
      "cuDeviceGetAttribute &v 1 99", "cuDeviceGetPCIBusId buf 12 0",
      "cuDeviceGetPCIBusId buf 13 0", "cuDeviceGetPCIBusId buf 64 99", 
      "cuDeviceCanAccessPeer &v 0 0", "cuDeviceCanAccessPeer &v 0 99", "cuDeviceGetP2PAttribute &v 1 0 0",
      "cuDeviceGetP2PAttribute &v 9 0 0", "cuDeviceGetP2PAttribute &v 1 0 99", 
      "cuDeviceGetDefaultMemPool &v 99", "cuCtxEnablePeerAccess ctx 0",
      "cuCtxEnablePeerAccess ctx 1", "cuCtxDisablePeerAccess ctx", "cuCtxEnablePeerAccess null 0"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) step(one, commands[i], commands[i]);
  step_then(one, "name in 5 bytes", "memset buf 0xee 64; cuDeviceGetName buf 5 0", "peek buf 8");
  step_then(one, "bus id in 64 bytes", "memset buf 0xee 64; cuDeviceGetPCIBusId buf 64 0", "text buf");
  step_then(one, "device by its bus id", "cuDeviceGetByPCIBusId &d buf", "val d");
  step(one, "device by a bus id of nobody", "string buf 0000:ff:1e.0; cuDeviceGetByPCIBusId &d buf");
  step(one, "device by a text that is no bus id", "string buf hello; cuDeviceGetByPCIBusId &d buf");
  step_then(one, "can access itself", "set v 7; cuDeviceCanAccessPeer &v 0 0", "val v");
  step_then(one, "total memory is what cuMemGetInfo says", "cuDeviceTotalMem_v2 &t 0; cuMemGetInfo_v2 &f &g", "val t-g");
  peer_end(one);
  static const char *const risky[] = {
      "cuDeviceGetCount null", "cuDeviceGet null 0", "cuDeviceGetName null 64 0", "cuDeviceGetName buf 0 0",
      "cuDeviceGetName buf -1 0", "cuDeviceGetUuid_v2 null 0", "cuDeviceTotalMem_v2 null 0", "cuDeviceGetAttribute null 1 0",
      "cuDeviceGetPCIBusId null 16 0", "cuDeviceGetPCIBusId buf 0 0", "cuDeviceGetPCIBusId buf 5 0",
      "cuDeviceCanAccessPeer null 0 0", "cuDeviceGetP2PAttribute null 1 0 0", "cuDeviceGetDefaultMemPool null 0",
      "cuCtxGetFlags null", "cuCtxGetDevice null", "cuCtxGetApiVersion ctx null", "cuCtxGetId ctx null"};
  for (size_t i = 0; i < sizeof risky / sizeof risky[0]; i++) isolated(risky[i], risky[i]);
  one = peer_start(NULL);
  ask(one, "cuInit 0");
  for (int i = 0; i <= 155; i++) {
    char name[32], command[64];
    snprintf(name, sizeof name, "attribute %d", i);
    snprintf(command, sizeof command, "set v 0; cuDeviceGetAttribute &v %d 0", i);
    step_then(one, name, command, "val v");
  }
  step(one, "attribute -1", "cuDeviceGetAttribute &v -1 0");
  step(one, "attribute 100000", "cuDeviceGetAttribute &v 100000 0");
  peer_end(one);
}

static void primary(void) {
  peer *one = peer_start(NULL);
  ask(one, "cuInit 0");
  step_then(one, "state before use", "cuDevicePrimaryCtxGetState 0 &f &a", "val a");
  step(one, "state into null", "cuDevicePrimaryCtxGetState 0 null &a");
  step(one, "release before use", "cuDevicePrimaryCtxRelease_v2 0");
  step(one, "reset before use", "cuDevicePrimaryCtxReset_v2 0");
  step(one, "set flags 4", "cuDevicePrimaryCtxSetFlags_v2 0 4");
  step(one, "set flags 3", "cuDevicePrimaryCtxSetFlags_v2 0 3");
  step(one, "set flags 0x100", "cuDevicePrimaryCtxSetFlags_v2 0 0x100");
  step_then(one, "flags before use", "cuDevicePrimaryCtxGetState 0 &f &a", "val f");
  step(one, "retain", "cuDevicePrimaryCtxRetain &c 0");
  step_then(one, "retain again: same", "cuDevicePrimaryCtxRetain &d 0", "val c-d");
  step(one, "retain into null", "cuDevicePrimaryCtxRetain null 0");
  step(one, "retain of no device", "cuDevicePrimaryCtxRetain &d 99");
  step_then(one, "state in use", "cuDevicePrimaryCtxGetState 0 &f &a", "val a");
  step(one, "set flags in use", "cuDevicePrimaryCtxSetFlags_v2 0 0");
  step(one, "set current", "cuCtxSetCurrent c");
  step_then(one, "cuCtxGetFlags", "cuCtxGetFlags &f", "val f");
  step_then(one, "cuCtxGetApiVersion", "cuCtxGetApiVersion c &v", "val v");
  step_then(one, "cuCtxGetId", "cuCtxGetId c &v", "val v");
  step_then(one, "priority range, least", "cuCtxGetStreamPriorityRange &a &b", "val a");
  step_then(one, "priority range, greatest", "set b 0; cuCtxGetStreamPriorityRange &a &b", "val b");
  step(one, "cuCtxDestroy of the primary context", "cuCtxDestroy_v2 c");
  ask(one, "cuMemAlloc_v2 &p 4096; cuEventCreate &e 6; cuStreamCreate &s 0");
  step(one, "release, one retain left", "cuDevicePrimaryCtxRelease_v2 0");
  step(one, "memory still there", "cuMemcpyDtoH_v2 buf p 16");
  step(one, "last release", "cuDevicePrimaryCtxRelease_v2 0");
  step(one, "release once more", "cuDevicePrimaryCtxRelease_v2 0");
  step_then(one, "state afterwards", "cuDevicePrimaryCtxGetState 0 &f &a", "val a");
  step_then(one, "still current", "cuCtxGetCurrent &d", "val c-d");
  step(one, "cuCtxGetDevice", "cuCtxGetDevice &d");
  step(one, "cuMemAlloc", "cuMemAlloc_v2 &q 4096");
  step(one, "cuMemFree", "cuMemFree_v2 p");
  step(one, "cuMemcpyDtoH", "cuMemcpyDtoH_v2 buf p 16");
  step(one, "cuMemGetAddressRange", "cuMemGetAddressRange_v2 &a &b p");
  step(one, "cuPointerGetAttribute", "cuPointerGetAttribute &v 2 p");
  step(one, "cuIpcGetMemHandle", "cuIpcGetMemHandle &H p");
  step(one, "cuCtxSynchronize", "cuCtxSynchronize");
  step(one, "cuEventCreate", "cuEventCreate &f 0");
  step(one, "cuCtxSetCurrent of it", "cuCtxSetCurrent c");
  step(one, "cuCtxGetApiVersion of it", "cuCtxGetApiVersion c &v");
  step_then(one, "retain: same context", "cuDevicePrimaryCtxRetain &d 0", "val c-d");
  step(one, "current again without setting", "cuMemAlloc_v2 &q 4096");
  step(one, "old memory", "cuMemcpyDtoH_v2 buf p 16");
  step(one, "reset", "cuDevicePrimaryCtxReset_v2 0");
  step_then(one, "state after reset", "cuDevicePrimaryCtxGetState 0 &f &a", "val a");
  step(one, "use after reset", "cuMemAlloc_v2 &q 4096");
  step(one, "release after reset", "cuDevicePrimaryCtxRelease_v2 0");
  peer_end(one);
  alone("last release with a blocked stream", "cuStreamCreate &s 1; cuStreamWaitValue32_v2 s h 1 0; cuDevicePrimaryCtxRelease_v2 0");
  alone("reset with a blocked stream", "cuStreamCreate &s 1; cuStreamWaitValue32_v2 s h 1 0; cuDevicePrimaryCtxReset_v2 0");
  alone("event query after the last release", "cuEventCreate &e 6; cuDevicePrimaryCtxRelease_v2 0; cuEventQuery e");
  alone("event destroy after the last release", "cuEventCreate &e 6; cuDevicePrimaryCtxRelease_v2 0; cuEventDestroy_v2 e");
  alone("stream query after the last release", "cuStreamCreate &s 0; cuDevicePrimaryCtxRelease_v2 0; cuStreamQuery s");
  alone("stream destroy after the last release", "cuStreamCreate &s 0; cuDevicePrimaryCtxRelease_v2 0; cuStreamDestroy_v2 s");
}

static void contexts(void) {
  peer *one = peer_with_context();
  static const int flags[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, 128, 256, 0x18};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    char name[48], command[64], detail[64] = "";
    snprintf(name, sizeof name, "cuCtxCreate_v2 flags %d", flags[i]);
    snprintf(command, sizeof command, "set c 0; cuCtxCreate_v2 &c %d 0", flags[i]);
    char result[64];
    snprintf(result, sizeof result, "%s", ask(one, "%s", command));
    if (strcmp(result, "CUDA_SUCCESS") == 0) {
      ask(one, "set f 0; cuCtxGetFlags &f");
      snprintf(detail, sizeof detail, "flags %llu", (unsigned long long)value(one, "f"));
      ask(one, "cuCtxDestroy_v2 c");
    }
    line(name, result, detail);
  }
  step(one, "cuCtxCreate_v4 without parameters", "cuCtxCreate_v4 &c null 0 0");
  step_then(one, "API version of a v4 context", "cuCtxGetApiVersion c &v", "val v");
  step(one, "destroy it", "cuCtxDestroy_v2 c");
  step(one, "cuCtxCreate_v2 into null", "cuCtxCreate_v2 null 0 0");
  step(one, "cuCtxCreate_v2 on no device", "cuCtxCreate_v2 &c 0 99");
  step_then(one, "primary current again", "cuCtxGetCurrent &d", "val d-ctx");
  step(one, "create", "cuCtxCreate_v2 &c 0 0");
  step_then(one, "it is current", "cuCtxGetCurrent &d", "val d-c");
  step(one, "pop", "cuCtxPopCurrent_v2 &d");
  step_then(one, "the primary is current", "cuCtxGetCurrent &d", "val d-ctx");
  step(one, "push", "cuCtxPushCurrent_v2 c");
  step(one, "set current to the primary: replaces the top", "cuCtxSetCurrent ctx; cuCtxPopCurrent_v2 &d");
  step_then(one, "what is below", "cuCtxGetCurrent &d", "val d-ctx");
  step_then(one, "set current to null pops one", "cuCtxPushCurrent_v2 c; cuCtxSetCurrent null; cuCtxGetCurrent &d", "val d-ctx");
  step(one, "set current to null pops the last", "cuCtxSetCurrent null");
  step_then(one, "nothing is current", "cuCtxGetCurrent &d", "val d");
  step(one, "set current with an empty stack", "cuCtxSetCurrent c");
  ask(one, "cuMemAlloc_v2 &p 4096");
  step(one, "destroy while current", "cuCtxDestroy_v2 c");
  step_then(one, "current afterwards", "set d 7; cuCtxGetCurrent &d", "val d");
  step(one, "memory of the destroyed context, primary current", "cuCtxSetCurrent ctx; cuMemcpyDtoH_v2 buf p 16");
  step(one, "its address range", "cuMemGetAddressRange_v2 &a &b p");
  peer_end(one);
  isolated("destroy while current in another thread's stack below", "cuCtxCreate_v2 &c 0 0; cuCtxPushCurrent_v2 ctx; cuCtxDestroy_v2 c; cuCtxPopCurrent_v2 &d; cuMemAlloc_v2 &p 4096");
  isolated("current of a context destroyed elsewhere", "cuCtxCreate_v2 &c 0 0; thread cuCtxDestroy_v2 c; cuMemAlloc_v2 &p 4096");
  isolated("get current of a context destroyed elsewhere", "cuCtxCreate_v2 &c 0 0; cuCtxPushCurrent_v2 ctx; cuCtxPushCurrent_v2 c; thread cuCtxDestroy_v2 c; cuCtxGetCurrent &d");
  isolated("destroy with its own stream blocked", "cuCtxCreate_v2 &c 0 0; cuStreamCreate &s 1; cuStreamWaitValue32_v2 s h 1 0; cuCtxDestroy_v2 c");
  isolated("destroy twice", "cuCtxCreate_v2 &c 0 0; cuCtxDestroy_v2 c; cuCtxDestroy_v2 c");
  isolated("set current of a destroyed one", "cuCtxCreate_v2 &c 0 0; cuCtxDestroy_v2 c; cuCtxSetCurrent c");
  isolated("push a destroyed one", "cuCtxCreate_v2 &c 0 0; cuCtxDestroy_v2 c; cuCtxPushCurrent_v2 c");
  isolated("API version of a destroyed one", "cuCtxCreate_v2 &c 0 0; cuCtxDestroy_v2 c; cuCtxGetApiVersion c &v");
  alone("set current of garbage", "cuCtxSetCurrent buf");
  isolated("destroy garbage", "cuCtxDestroy_v2 buf");
  isolated("destroy null", "cuCtxDestroy_v2 null");
  isolated("event of a destroyed context", "cuCtxCreate_v2 &c 0 0; cuEventCreate &e 6; cuCtxDestroy_v2 c; cuCtxSetCurrent ctx; cuEventQuery e");
  isolated("stream of a destroyed context", "cuCtxCreate_v2 &c 0 0; cuStreamCreate &s 0; cuCtxDestroy_v2 c; cuCtxSetCurrent ctx; cuStreamQuery s");
}

const group device_groups[] = {{"device", device, true}, {NULL, NULL, false}};
const group context_groups[] = {{"primary context", primary, false}, {"contexts", contexts, false}, {NULL, NULL, false}};
