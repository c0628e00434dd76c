/* Streams and events within one process. */
#include <stdio.h>

#include "probe.h"

/* A stream that waits until the word at h is 1, which nobody writes unless the step does. */
#define BLOCK_FLAGS(flags) "cuStreamCreate &s " flags "; cuStreamWaitValue32_v2 s h 1 0; "
#define BLOCK BLOCK_FLAGS("1")
#define BLOCK_ORDERED BLOCK_FLAGS("0")

static void streams(void) {
  peer *one = peer_with_context();
  static const char *const commands[] = {
      "cuStreamCreate &s 2", "cuStreamCreate &s 3", "cuStreamCreate null 0", "cuStreamCreate &s 0", "cuStreamCreate &t 1",
      "cuStreamQuery s", "cuStreamSynchronize s", "cuStreamQuery null", "cuStreamQuery 1", "cuStreamQuery 2",
      "cuStreamSynchronize 2", "cuStreamDestroy_v2 null", "cuStreamDestroy_v2 1", "cuStreamDestroy_v2 2",
      "cuStreamGetFlags s null", "cuStreamGetCtx s null"};
  ask(one, "cuMemAllocHost_v2 &h 4096; memset h 0 4096; cuMemAlloc_v2 &a 4096; cuMemsetD8_v2 a 0 4096");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) step(one, commands[i], commands[i]);
  step_then(one, "flags of a default stream", "set f 7; cuStreamGetFlags s &f", "val f");
  step_then(one, "flags of a non-blocking stream", "set f 7; cuStreamGetFlags t &f", "val f");
  step_then(one, "flags of the null stream", "set f 7; cuStreamGetFlags null &f", "val f");
  step_then(one, "context of a stream", "cuStreamGetCtx s &c", "val c-ctx");
  step_then(one, "context of the null stream", "cuStreamGetCtx null &c", "val c-ctx");
  step(one, "id of a stream", "cuStreamGetId s &i");
  step_then(one, "priority -100 becomes", "cuStreamCreateWithPriority &p 0 -100; set v 0; cuStreamGetPriority p &v", "val v");
  step_then(one, "priority 100 becomes", "cuStreamCreateWithPriority &p 0 100; set v 0; cuStreamGetPriority p &v", "val v");
  step(one, "write value", "cuStreamWriteValue32_v2 s a 0x11223344 0; cuStreamSynchronize s");
  step_then(one, "the value", "cuMemcpyDtoH_v2 buf a 8", "peek buf 8");
  step(one, "write value, no barrier", "cuStreamWriteValue32_v2 s a 5 1");
  step(one, "write value again", "cuStreamWriteValue32_v2 s a 5 0; cuStreamSynchronize s");
  step(one, "write value, flags 2", "cuStreamWriteValue32_v2 s a 5 2");
  step(one, "write value, unaligned", "cuStreamWriteValue32_v2 s a+2 5 0");
  step(one, "write value of 64 bits", "cuStreamWriteValue64_v2 s a+8 5 0");
  step(one, "write value of 64 bits, aligned to 4", "cuStreamWriteValue64_v2 s a+4 5 0");
  step(one, "wait value, unaligned", "cuStreamWaitValue32_v2 s a+2 5 0");
  step(one, "wait value, equal, holds", "cuStreamWaitValue32_v2 s a 5 1; cuStreamSynchronize s");
  step(one, "wait value, at least, holds", "cuStreamWaitValue32_v2 s a 4 0; cuStreamSynchronize s");
  step(one, "wait value, at least, wraps around", "cuStreamWaitValue32_v2 s a 0xfffffff0 0; cuStreamSynchronize s");
  step(one, "wait value, and, holds", "cuStreamWaitValue32_v2 s a 1 2; cuStreamSynchronize s");
  step(one, "wait value, nor, holds", "cuStreamWaitValue32_v2 s a 2 3; cuStreamSynchronize s");
  step(one, "wait value, condition 4", "cuStreamWaitValue32_v2 s a 5 4");
  step(one, "wait value, flush", "cuStreamWaitValue32_v2 s a 5 0x40000000");
  step(one, "wait value, flag 0x80000000", "cuStreamWaitValue32_v2 s a 5 0x80000000");
  step(one, "wait value in page-locked memory, holds", "cuStreamWaitValue32_v2 s h 0 0; cuStreamSynchronize s");
  step(one, "wait value in the null stream, holds", "cuStreamWaitValue32_v2 null a 5 1; cuStreamSynchronize null");
  step(one, "wait value past the end", "cuStreamWaitValue32_v2 s a+4096 5 0");
  step(one, "host function null", "cuLaunchHostFunc s null null");
  step(one, "destroy", "cuStreamDestroy_v2 t");
  peer_end(one);
  isolated("destroy twice", "cuStreamCreate &s 0; cuStreamDestroy_v2 s; cuStreamDestroy_v2 s");
  isolated("query of a destroyed stream", "cuStreamCreate &s 0; cuStreamDestroy_v2 s; cuStreamQuery s");
  isolated("query of garbage", "cuStreamQuery buf");
  isolated("query of an event", "cuEventCreate &e 0; cuStreamQuery e");
  isolated("destroy of an event", "cuEventCreate &e 0; cuStreamDestroy_v2 e");
  isolated("synchronize of a destroyed stream", "cuStreamCreate &s 0; cuStreamDestroy_v2 s; cuStreamSynchronize s");
  isolated("copy on another context's stream", "cuStreamCreate &s 1; cuCtxCreate_v2 &c 0 0; cuMemAlloc_v2 &a 4096; cuMemAllocHost_v2 &h 4096; cuMemcpyDtoHAsync_v2 h a 16 s");
  isolated("fill on another context's stream", "cuStreamCreate &s 1; cuCtxCreate_v2 &c 0 0; cuMemAlloc_v2 &a 4096; cuMemsetD8Async a 1 16 s");
  isolated("query another context's stream", "cuStreamCreate &s 1; cuCtxCreate_v2 &c 0 0; cuStreamQuery s");
  isolated("query a stream without a current context", "cuStreamCreate &s 1; cuCtxSetCurrent null; cuStreamQuery s");
  isolated("synchronize a stream without a current context", "cuStreamCreate &s 1; cuCtxSetCurrent null; cuStreamSynchronize s");
}

/* What waits, what does not, while a stream is blocked. */
static void blocked(void) {
  static const struct {
    const char *name;
    const char *command;
  } cases[] = {
      {"query", BLOCK "cuStreamQuery s"},
      {"query the null stream beside a non-blocking one", BLOCK "cuStreamQuery null"},
      {"query the null stream beside an ordered one", BLOCK_ORDERED "cuStreamQuery null"},
      {"query another ordered stream", BLOCK_ORDERED "cuStreamCreate &t 0; cuStreamQuery t"},
      {"query another ordered stream after null-stream work", BLOCK_ORDERED "cuMemAlloc_v2 &a 4096; cuStreamCreate &t 0; cuMemsetD8Async a 1 16 null; cuStreamQuery t"},
      {"the same after work on it", BLOCK_ORDERED "cuMemAlloc_v2 &a 4096; cuStreamCreate &t 0; cuMemsetD8Async a 1 16 null; cuMemsetD8Async a 1 16 t; cuStreamQuery t"},
      {"cuMemAlloc", BLOCK_ORDERED "cuMemAlloc_v2 &a 4096"},
      {"cuMemAlloc of 64 MiB", BLOCK_ORDERED "cuMemAlloc_v2 &a 67108864"},
      {"cuMemFree of a small one, non-blocking stream", "cuMemAlloc_v2 &a 4096; cuMemAlloc_v2 &b 4096; " BLOCK "cuMemFree_v2 a"},
      {"cuMemFree of 4 MiB, non-blocking stream", "cuMemAlloc_v2 &a 4194304; " BLOCK "cuMemFree_v2 a"},
      {"cuMemFree of 4 MiB, ordered stream", "cuMemAlloc_v2 &a 4194304; " BLOCK_ORDERED "cuMemFree_v2 a"},
      {"cuMemAllocHost", BLOCK "cuMemAllocHost_v2 &p 4096"},
      {"cuMemFreeHost of another", "cuMemAllocHost_v2 &p 8388608; " BLOCK "cuMemFreeHost p"},
      {"cuMemHostRegister", BLOCK "cuMemHostRegister_v2 buf 65536 0"},
      {"cuMemGetInfo", BLOCK "cuMemGetInfo_v2 &f &t"},
      {"cuIpcGetMemHandle", "cuMemAlloc_v2 &a 4194304; " BLOCK "cuIpcGetMemHandle &H a"},
      {"cuMemsetD8 beside a non-blocking stream", "cuMemAlloc_v2 &a 4096; " BLOCK "cuMemsetD8_v2 a 1 16"},
      {"cuMemcpyDtoH beside a non-blocking stream", "cuMemAlloc_v2 &a 4096; " BLOCK "cuMemcpyDtoH_v2 buf a 16"},
      {"cuMemsetD8 beside an ordered stream", "cuMemAlloc_v2 &a 4096; " BLOCK_ORDERED "cuMemsetD8_v2 a 1 16"},
      {"cuMemcpyDtoD beside an ordered stream", "cuMemAlloc_v2 &a 4096; cuMemAlloc_v2 &b 4096; " BLOCK_ORDERED "cuMemcpyDtoD_v2 a b 16"},
      {"cuMemcpyHtoD of 16 bytes beside an ordered stream", "cuMemAlloc_v2 &a 4096; " BLOCK_ORDERED "cuMemcpyHtoD_v2 a buf 16"},
      {"cuMemcpyHtoD of 1 MiB beside an ordered stream", "cuMemAlloc_v2 &a 1048576; " BLOCK_ORDERED "cuMemcpyHtoD_v2 a buf 1048576"},
      {"cuMemcpyDtoH beside an ordered stream", "cuMemAlloc_v2 &a 4096; " BLOCK_ORDERED "cuMemcpyDtoH_v2 buf a 16"},
      {"cuMemcpyHtoDAsync pageable on it", "cuMemAlloc_v2 &a 4096; " BLOCK "cuMemcpyHtoDAsync_v2 a buf 16 s"},
      {"cuMemcpyHtoDAsync of 1 MiB pageable on it", "cuMemAlloc_v2 &a 1048576; " BLOCK "cuMemcpyHtoDAsync_v2 a buf 1048576 s"},
      {"cuMemcpyDtoHAsync pageable on it", "cuMemAlloc_v2 &a 4096; " BLOCK "cuMemcpyDtoHAsync_v2 buf a 16 s"},
      {"cuMemcpyDtoHAsync page-locked on it", "cuMemAlloc_v2 &a 4096; " BLOCK "cuMemcpyDtoHAsync_v2 h+64 a 16 s"},
      {"cuMemsetD8Async on it", "cuMemAlloc_v2 &a 4096; " BLOCK "cuMemsetD8Async a 1 16 s"},
      {"cuMemAllocAsync on it", BLOCK "cuMemAllocAsync &a 4096 s"},
      {"cuMemFreeAsync on it", "cuMemAllocAsync &a 4096 null; cuCtxSynchronize; " BLOCK "cuMemFreeAsync a s"},
      {"cuMemFree of pool memory used on it", "cuMemAllocAsync &a 4096 null; cuCtxSynchronize; " BLOCK "cuMemFree_v2 a"},
      {"cuEventRecord and query", "cuEventCreate &e 0; " BLOCK "cuEventRecord e s; cuEventQuery e"},
      {"cuEventDestroy while pending", "cuEventCreate &e 0; " BLOCK "cuEventRecord e s; cuEventDestroy_v2 e"},
      {"cuEventElapsedTime while pending", "cuEventCreate &e 0; cuEventCreate &g 0; cuEventRecord g null; " BLOCK "cuEventRecord e s; cuEventElapsedTime &x g e"},
      {"cuStreamWaitEvent of a pending event", "cuEventCreate &e 2; cuStreamCreate &t 1; " BLOCK "cuEventRecord e s; cuStreamWaitEvent t e 0; cuStreamQuery t"},
      {"record again on the idle null stream", "cuEventCreate &e 2; " BLOCK "cuEventRecord e s; cuEventRecord e null; cuEventQuery e"},
      {"interprocess: record again on the idle null stream", "cuEventCreate &e 6; " BLOCK "cuEventRecord e s; cuEventRecord e null; cuEventQuery e"},
      {"interprocess: the null stream after such a record", "cuEventCreate &e 6; " BLOCK "cuEventRecord e s; cuEventRecord e null; cuStreamQuery null"},
      {"interprocess: record twice on the blocked stream, release", "cuEventCreate &e 6; " BLOCK "cuEventRecord e s; cuEventRecord e s; poke32 h 1; cuStreamSynchronize s; cuEventQuery e"},
      {"query after the stream's destruction", "cuEventCreate &e 2; " BLOCK "cuEventRecord e s; cuStreamDestroy_v2 s; cuEventQuery e"},
      {"cuStreamDestroy", BLOCK "cuStreamDestroy_v2 s"},
      {"cuStreamCreate", BLOCK "cuStreamCreate &t 0"},
      {"cuCtxCreate", BLOCK "cuCtxCreate_v2 &c 0 0"},
      {"cuCtxDestroy of another context", "cuCtxCreate_v2 &c 0 0; cuCtxSetCurrent ctx; " BLOCK "cuCtxDestroy_v2 c"},
      {"cuIpcGetEventHandle", "cuEventCreate &e 6; " BLOCK "cuEventRecord e s; cuIpcGetEventHandle &H e"},
      {"cuMemHostUnregister", "cuMemHostRegister_v2 buf 65536 0; " BLOCK "cuMemHostUnregister buf"},
      {"cuMemAllocManaged", BLOCK "cuMemAllocManaged &a 4096 1"},
      {"cuMemFree of managed memory", "cuMemAllocManaged &a 4096 1; " BLOCK "cuMemFree_v2 a"},
      {"cuMemFree of a second context's memory", "cuCtxCreate_v2 &c 0 0; cuMemAlloc_v2 &a 4194304; cuCtxPopCurrent_v2 &c; " BLOCK "cuMemFree_v2 a"},
      {"cuCtxSynchronize of a second context", "cuCtxCreate_v2 &c 0 0; cuCtxPopCurrent_v2 &c; " BLOCK "cuCtxSetCurrent c; cuCtxSynchronize"},
      {"cuCtxSynchronize", BLOCK "cuCtxSynchronize"},
      {"released by the CPU", BLOCK "poke32 h 1; cuStreamSynchronize s"},
      {"released by another stream", BLOCK "cuStreamCreate &t 1; cuStreamWriteValue32_v2 t h 1 0; cuStreamSynchronize s"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) isolated(cases[i].name, cases[i].command);
}

static void events(void) {
  peer *one = peer_with_context();
  for (int flags = 0; flags <= 16; flags++) {
    char name[48], command[64];
    snprintf(name, sizeof name, "cuEventCreate flags %d", flags);
    snprintf(command, sizeof command, "cuEventCreate &e %d", flags);
    step(one, name, command);
  }
  step(one, "cuEventCreate into null", "cuEventCreate null 0");
  ask(one, "cuEventCreate &e 0; cuEventCreate &g 0; cuEventCreate &u 2; cuEventCreate &i 6; cuStreamCreate &s 1");
  step(one, "query before the first record", "cuEventQuery e");
  step(one, "synchronize before the first record", "cuEventSynchronize e");
  step(one, "wait before the first record", "cuStreamWaitEvent s e 0");
  step(one, "wait with flags 1", "cuStreamWaitEvent s e 1");
  step(one, "wait with flags 2", "cuStreamWaitEvent s e 2");
  step(one, "elapsed before the first record", "cuEventElapsedTime &x e g");
  step(one, "elapsed into null", "cuEventElapsedTime null e g");
  step(one, "record", "cuEventRecord e s; cuStreamSynchronize s");
  step(one, "elapsed, one recorded", "cuEventElapsedTime &x e g");
  step(one, "elapsed, the other recorded", "cuEventElapsedTime &x g e");
  step_then(one, "elapsed of one event", "cuEventElapsedTime &x e e", "float x");
  step_then(one, "elapsed", "sleep 5; cuEventRecord g s; cuStreamSynchronize s; cuEventElapsedTime &x e g", "float x");
  step_then(one, "elapsed backwards", "cuEventElapsedTime &x g e", "float x");
  step_then(one, "elapsed, second variant", "cuEventElapsedTime_v2 &x e g", "float x");
  step(one, "elapsed, timing disabled", "cuEventRecord u s; cuStreamSynchronize s; cuEventElapsedTime &x e u");
  step(one, "elapsed, interprocess", "cuEventRecord i s; cuStreamSynchronize s; cuEventElapsedTime &x e i");
  step(one, "record with flags 1", "cuEventRecordWithFlags e s 1");
  step(one, "record with flags 2", "cuEventRecordWithFlags e s 2");
  step(one, "export of a plain event", "cuIpcGetEventHandle &H e");
  step(one, "export into null", "cuIpcGetEventHandle null i");
  step(one, "export", "cuIpcGetEventHandle &H i");
  step(one, "destroy", "cuEventDestroy_v2 u");
  ask(one, "cuCtxCreate_v2 &c 0 0; cuStreamCreate &t 1");
  step(one, "record an event of another context on the current one's stream", "cuEventRecord e t");
  step(one, "... on the null stream", "cuEventRecord e null");
  step(one, "... on its own context's stream", "cuEventRecord e s");
  step(one, "interprocess event of another context on the current one's stream", "cuEventRecord i t");
  step(one, "query an event of another context", "sleep 20; cuEventQuery e");
  step(one, "wait for an event of another context", "cuStreamWaitEvent t e 0");
  step(one, "query without a current context", "cuCtxSetCurrent null; cuCtxSetCurrent null; cuEventQuery e");
  step(one, "record without a current context", "cuEventRecord e s");
  step(one, "export without a current context", "cuIpcGetEventHandle &H i");
  step(one, "synchronize without a current context", "cuEventSynchronize i");
  step(one, "destroy without a current context", "cuEventDestroy_v2 i");
  peer_end(one);
  isolated("export an event of another context", "cuEventCreate &i 6; cuCtxCreate_v2 &c 0 0; cuIpcGetEventHandle &H i");
  isolated("wait for an interprocess event of another context", "cuEventCreate &i 6; cuCtxCreate_v2 &c 0 0; cuStreamWaitEvent null i 0");
  isolated("destroy an event of another context", "cuEventCreate &i 6; cuCtxCreate_v2 &c 0 0; cuEventDestroy_v2 i");
  isolated("destroy twice", "cuEventCreate &e 0; cuEventDestroy_v2 e; cuEventDestroy_v2 e");
  isolated("query of a destroyed event", "cuEventCreate &e 0; cuEventDestroy_v2 e; cuEventQuery e");
  isolated("export of a destroyed event", "cuEventCreate &e 6; cuEventDestroy_v2 e; cuIpcGetEventHandle &H e");
  isolated("record of a destroyed event", "cuEventCreate &e 0; cuEventDestroy_v2 e; cuEventRecord e null");
  isolated("query of null", "cuEventQuery null");
  isolated("destroy of null", "cuEventDestroy_v2 null");
  isolated("record of null", "cuEventRecord null null");
  isolated("wait for null", "cuStreamWaitEvent null null 0");
  isolated("export of null", "cuIpcGetEventHandle &H null");
  isolated("query of garbage", "cuEventQuery buf");
  isolated("query of a stream", "cuStreamCreate &s 0; cuEventQuery s");
}

const group stream_groups[] = {{"streams", streams, false}, {"blocked stream", blocked, false}, {NULL, NULL, false}};
const group event_groups[] = {{"events", events, false}, {NULL, NULL, false}};
