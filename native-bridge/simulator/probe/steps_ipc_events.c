/* Events between processes beyond what driver-behaviour.json states. A exports, B imports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static peer *exporter(void) {
  peer *a = peer_with_context();
  ask(a, "cuEventCreate &e 6; cuEventCreate &f 6; cuEventCreate &g 7; cuStreamCreate &s 1; cuMemAllocHost_v2 &h 4096; memset h 0 4096");
  ask(a, "cuIpcGetEventHandle &E e; cuIpcGetEventHandle &F f; cuIpcGetEventHandle &G g");
  return a;
}

static unsigned long long value_of_slot(peer *of, const char *handle) {
  return strtoull(ask(of, "get32 %s 16", handle), NULL, 10);
}

static void handles(void) {
  peer *a = exporter(), *b = peer_with_context();
  char detail[128];
  static const char *const names[] = {"E", "F", "G"};
  for (int i = 0; i < 3; i++) {
    char name[32];
    unsigned long long slot = strtoull(ask(a, "get32 %s 16", names[i]), NULL, 10);
    unsigned long long one = strtoull(ask(a, "get32 %s 8", names[i]), NULL, 10);
    snprintf(detail, sizeof detail, "slot 0x%llx, bytes 8-11 %llu", slot, one);
    snprintf(name, sizeof name, "handle %s", names[i]);
    line(name, "", detail);
    give(a, b, names[i]);
  }
  char first[256];
  snprintf(first, sizeof first, "%s", ask(a, "get E"));
  line("exported again", strcmp(first, ask(a, "cuIpcGetEventHandle &X e; get X")) == 0 ? "same bytes" : "other bytes", "");
  snprintf(detail, sizeof detail, "slot 0x%llx", strtoull(ask(a, "cuEventDestroy_v2 f; cuEventCreate &n 6; cuIpcGetEventHandle &N n; get32 N 16"), NULL, 10));
  line("slot of an event made after another was destroyed", "", detail);
  unsigned long long slot = strtoull(ask(a, "cuCtxCreate_v2 &c 0 0; cuEventCreate &m 6; cuIpcGetEventHandle &M m; get32 M 16"), NULL, 10);
  snprintf(detail, sizeof detail, "slot 0x%llx, bytes 8-11 %llu", slot, strtoull(ask(a, "get32 M 8"), NULL, 10));
  line("an event of a second context", "", detail);
  slot = strtoull(ask(a, "cuCtxCreate_v2 &d 0 0; cuEventCreate &k 6; cuIpcGetEventHandle &K k; get32 K 16"), NULL, 10);
  snprintf(detail, sizeof detail, "slot 0x%llx, bytes 8-11 %llu", slot, strtoull(ask(a, "get32 K 8"), NULL, 10));
  line("an event of a third context", "", detail);
  give(a, b, "M");
  step(b, "a second context's event", "cuIpcOpenEventHandle &m M");
  ask(a, "cuCtxDestroy_v2 d; cuCtxPopCurrent_v2 &c; cuCtxDestroy_v2 c");
  step(b, "a destroyed context's event", "cuIpcOpenEventHandle &m M");
  slot = strtoull(ask(a, "cuCtxSetCurrent ctx; cuCtxCreate_v2 &d 0 0; cuEventCreate &k 6; cuIpcGetEventHandle &K k; get32 K 16"), NULL, 10);
  snprintf(detail, sizeof detail, "slot 0x%llx, bytes 8-11 %llu", slot, strtoull(ask(a, "get32 K 8"), NULL, 10));
  line("an event of a context made after those were destroyed", "", detail);
  ask(a, "cuCtxDestroy_v2 d; cuCtxSetCurrent ctx");
  step(b, "the destroyed event's handle (slot perhaps taken again)", "cuIpcOpenEventHandle &f F");
  ask(a, "cuEventDestroy_v2 g");
  step(b, "a destroyed event's handle, slot free", "cuIpcOpenEventHandle &g G");
  ask(a, "cuEventCreate &x1 6; cuEventCreate &x2 6; cuIpcGetEventHandle &X1 x1; cuIpcGetEventHandle &X2 x2; cuEventDestroy_v2 x1; cuEventDestroy_v2 x2; cuEventCreate &x3 6; cuIpcGetEventHandle &X3 x3");
  line("after two destroys, the slot of the next event", "",
       value_of_slot(a, "X3") == value_of_slot(a, "X1") ? "the first's" : value_of_slot(a, "X3") == value_of_slot(a, "X2") ? "the second's" : "another");
  ask(a, "cuEventDestroy_v2 x3");
  peer *many = peer_with_context();
  step(many, "4096 interprocess events in one context", "repeat 4096 cuEventCreate &e 6");
  step_then(many, "and one more", "cuEventCreate &e 6; cuIpcGetEventHandle &M e", "get32 M 16");
  step_then(many, "its bytes 8-11", "val 0", "get32 M 8");
  peer_end(many);
  static const int places[] = {2, 3, 4, 8, 9, 12, 16, 17, 20, 24, 32, 40, 63};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    if (b->dead) {
      peer_end(b);
      b = peer_with_context();
    }
    char name[64], command[96];
    give(a, b, "E");
    snprintf(name, sizeof name, "byte %d changed", places[i]);
    snprintf(command, sizeof command, "xor E %d 1; cuIpcOpenEventHandle &e E", places[i]);
    step_then(b, name, command, "cuEventQuery e");
  }
  static const unsigned int slots[] = {0, 1, 0x800, 0xfff, 0x1000, 0x7fffffff, 0xffffffffu};
  for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
    if (b->dead) {
      peer_end(b);
      b = peer_with_context();
    }
    char name[64], command[96];
    give(a, b, "E");
    snprintf(name, sizeof name, "slot 0x%x", slots[i]);
    snprintf(command, sizeof command, "set32 E 16 %u; cuIpcOpenEventHandle &e E", slots[i]);
    step(b, name, command);
  }
  give(a, b, "E");
  step(b, "pid 1", "set32 E 0 1; cuIpcOpenEventHandle &e E");
  step(b, "pid of B itself", "set32 E 0 0; cuEventCreate &o 6; cuIpcGetEventHandle &O o; cuIpcOpenEventHandle &e O");
  isolated("into null", "cuEventCreate &o 6; cuIpcGetEventHandle &O o; set32 O 0 1; cuIpcOpenEventHandle null O");
  step(b, "a process that never exported an event", "set32 E 0 2; cuIpcOpenEventHandle &e E");
  ask(a, "cuMemAlloc_v2 &l 4194304; cuIpcGetMemHandle &L l");
  give(a, b, "L");
  step(b, "a memory handle opened as an event", "cuIpcOpenEventHandle &e L");
  give(a, b, "E");
  step(b, "without a current context", "cuCtxSetCurrent null; cuIpcOpenEventHandle &e E");
  peer_end(b);
  peer_end(a);
}

static void use(void) {
  peer *a = exporter(), *b = peer_with_context();
  give(a, b, "E");
  give(a, b, "G");
  step(b, "open", "cuIpcOpenEventHandle &e E");
  step(b, "open a second time", "cuIpcOpenEventHandle &f E");
  step(b, "export of an imported event", "cuIpcGetEventHandle &X e");
  step(b, "elapsed with an imported event", "cuEventElapsedTime &x e f");
  step(b, "record of an imported event", "cuEventRecord e null; cuCtxSynchronize; cuEventQuery e");
  step(b, "record on the null stream of another context", "cuCtxCreate_v2 &c 0 0; cuEventRecord e null");
  step(b, "query from another context", "cuEventQuery e");
  step(b, "open in another context", "cuIpcOpenEventHandle &g E");
  ask(b, "cuCtxDestroy_v2 c");
  step(b, "destroy one import", "cuEventDestroy_v2 f");
  step(b, "the other still works", "cuEventQuery e");
  step(a, "A records behind blocked work", "cuStreamWaitValue32_v2 s h 1 0; cuEventRecord e s; cuEventQuery e");
  step(b, "B queries", "cuEventQuery e");
  step(b, "B records the same event on its idle stream", "cuStreamCreate &q 1; cuEventRecord e q; sleep 20; cuEventQuery e");
  step(b, "B's stream after that record", "cuStreamQuery q");
  step(a, "A queries while its own record is still blocked", "cuEventQuery e");
  step(a, "A's stream still waits", "cuStreamQuery s");
  step(a, "A is released", "poke32 h 1; cuStreamSynchronize s; cuEventQuery e");
  step(b, "B queries afterwards", "sleep 20; cuEventQuery e");
  step(b, "B's stream afterwards", "cuStreamQuery q");
  step(a, "A records behind blocked work again, then destroys the event", "memset h 0 16; cuStreamWaitValue32_v2 s h 1 0; cuEventRecord e s; cuEventDestroy_v2 e");
  step(b, "B queries the destroyed pending event", "cuEventQuery e");
  step(a, "A makes a new interprocess event", "cuEventCreate &n 6; cuIpcGetEventHandle &N n");
  line("its slot", strcmp(ask(a, "get N"), ask(b, "get E")) == 0 ? "the old one" : "another one", "");
  step(a, "A is released", "poke32 h 1; cuStreamSynchronize s");
  step(b, "B queries", "sleep 20; cuEventQuery e");
  step(b, "B records and queries", "cuEventRecord e null; cuCtxSynchronize; cuEventQuery e");
  step(b, "B destroys", "cuEventDestroy_v2 e");
  step(b, "B waits for G, never recorded", "cuIpcOpenEventHandle &g G; cuStreamWaitEvent null g 0; cuStreamSynchronize null");
  step(b, "B records G behind blocked work", "cuMemAllocHost_v2 &h 4096; memset h 0 16; cuStreamCreate &s 1; cuStreamWaitValue32_v2 s h 1 0; cuEventRecord g s; cuEventQuery g");
  step(a, "A queries G", "cuEventQuery g");
  step(a, "A makes a stream wait for G", "cuStreamCreate &t 1; cuStreamWaitEvent t g 0; cuStreamQuery t");
  step(b, "B destroys its import while pending", "cuEventDestroy_v2 g");
  step(a, "A queries G", "cuEventQuery g");
  step(b, "B is released", "poke32 h 1; cuStreamSynchronize s");
  step(a, "A's stream goes on", "cuStreamSynchronize t");
  step(a, "A queries G at last", "cuEventQuery g");
  /* Slots are used again while somebody still has the old event. */
  give(a, b, "N");
  ask(b, "cuIpcOpenEventHandle &n N");
  step(a, "A destroys an idle event that B has and makes a new one", "cuEventDestroy_v2 n; cuEventCreate &m 6; cuIpcGetEventHandle &M m");
  line("its slot", strcmp(ask(a, "get M"), ask(b, "get N")) == 0 ? "the old one" : "another one", "");
  step(a, "A records the new one behind blocked work", "memset h 0 16; cuStreamWaitValue32_v2 s h 1 0; cuEventRecord m s; cuEventQuery m");
  step(b, "B queries the old one", "cuEventQuery n");
  step(a, "A is released again", "poke32 h 1; cuStreamSynchronize s");
  peer_end(b);
  peer_end(a);
}

static void ends(void) {
  peer *a = exporter(), *b = peer_with_context(), *c = peer_with_context();
  give(a, b, "E");
  give(a, b, "F");
  give(a, c, "E");
  ask(b, "cuIpcOpenEventHandle &e E; cuIpcOpenEventHandle &f F");
  step(a, "A records E behind blocked work", "cuStreamWaitValue32_v2 s h 1 0; cuEventRecord e s; cuEventQuery e");
  peer_kill(a);
  step(b, "A killed: B queries E", "cuEventQuery e");
  step(b, "A killed: B queries F", "cuEventQuery f");
  step(b, "A killed: B records E and queries", "cuStreamCreate &q 1; cuEventRecord e q; sleep 20; cuEventQuery e");
  step(b, "A killed: B's stream after that record", "cuStreamQuery q");
  step(c, "A killed: C opens E", "cuIpcOpenEventHandle &e E");
  step(c, "A killed: C queries E", "cuEventQuery e");
  step(b, "A killed: B opens E again", "cuIpcOpenEventHandle &g E");
  step(b, "A killed: B destroys E", "cuEventDestroy_v2 e");
  peer_kill(b);
  a = exporter();
  b = peer_with_context();
  give(a, b, "E");
  give(a, c, "F");
  ask(b, "cuIpcOpenEventHandle &e E");
  peer_end(a);
  step(b, "A exited: B queries", "cuEventQuery e");
  step(b, "A exited: B records, queries", "cuEventRecord e null; cuCtxSynchronize; cuEventQuery e");
  step(c, "A exited: C opens", "cuIpcOpenEventHandle &f F");
  peer_end(b);
  peer_end(c);
  /* Without anybody who still has it. */
  a = exporter();
  b = peer_with_context();
  give(a, b, "E");
  peer_end(a);
  step(b, "A exited, nobody has it: B opens", "cuIpcOpenEventHandle &e E");
  peer_end(b);
  a = exporter();
  b = peer_with_context();
  give(a, b, "E");
  peer_kill(a);
  step(b, "A killed, nobody has it: B opens", "cuIpcOpenEventHandle &e E");
  peer_end(b);
  a = exporter();
  b = peer_with_context();
  give(a, b, "E");
  give(a, b, "F");
  ask(b, "cuIpcOpenEventHandle &e E");
  step(a, "A releases its primary context", "cuDevicePrimaryCtxRelease_v2 0");
  step(b, "B queries", "cuEventQuery e");
  step(b, "B opens the other", "cuIpcOpenEventHandle &f F");
  peer_end(b);
  peer_end(a);
}

const group ipc_event_groups[] = {{"event handles", handles, false}, {"shared events", use, false}, {"events of the dead", ends, false}, {NULL, NULL, false}};
