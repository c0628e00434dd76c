/* Legacy memory sharing between processes beyond what driver-behaviour.json states. A exports, B imports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static const char *result_of(char *keep, size_t size, const char *answer) {
  snprintf(keep, size, "%s", answer);
  return keep;
}

/* A's allocations: l 4 MiB, three small ones a b c, big 64 MiB; handles L, A, B, C, G. */
static peer *exporter(void) {
  peer *a = peer_with_context();
  ask(a, "cuMemAlloc_v2 &l 4194304; cuMemAlloc_v2 &a 4096; cuMemAlloc_v2 &b 4096; cuMemAlloc_v2 &c 4096; cuMemAlloc_v2 &g 67108864; "
         "cuMemsetD8_v2 l 0xab 4194304; cuMemsetD8_v2 a 1 4096; cuMemsetD8_v2 b 2 4096; cuMemsetD8_v2 c 3 4096; cuCtxSynchronize");
  ask(a, "cuIpcGetMemHandle &L l; cuIpcGetMemHandle &A a; cuIpcGetMemHandle &B b; cuIpcGetMemHandle &C c; cuIpcGetMemHandle &G g");
  return a;
}

/* Opens a handle that B has changed, and says what came of it. Reads nothing outside the mapping: that would be a fault
   of the GPU, after which nothing in the process works any more. */
static void open_changed(peer *b, const char *name, const char *handle) {
  char result[64], detail[160] = "";
  result_of(result, sizeof result, ask(b, "set p 0; cuIpcOpenMemHandle_v2 &p %s 1", handle));
  if (strcmp(result, "CUDA_SUCCESS") == 0) {
    ask(b, "set n 0; set o 0; set m 0; set y 0; cuMemGetAddressRange_v2 &o &n p; cuPointerGetAttribute &m 18 p; "
           "cuPointerGetAttribute &y 19 p");
    unsigned long long size = value(b, "n"), mapping = value(b, "m"), within = value(b, "p-y");
    bool inside = within < mapping && mapping - within >= 4 && size >= 4;
    snprintf(detail, sizeof detail, "size %llu, mapping %llu, in mapping %llu, read %.8s", size, mapping, within,
             inside ? ask(b, "memset buf 0xee 4; cuMemcpyDtoH_v2 buf p 4; peek buf 4") : "nothing");
    ask(b, "cuIpcCloseMemHandle p");
  }
  line(name, result, detail);
}

/* A peer whose context is broken is of no more use. */
static peer *fresh_if_broken(peer *b) {
  if (!b->dead && strcmp(ask(b, "cuCtxSynchronize"), "CUDA_SUCCESS") == 0) return b;
  peer_kill(b);
  return peer_with_context();
}

static void corrupt(void) {
  peer *a = exporter(), *b = peer_with_context();
  static const int places[] = {0, 3, 7, 10, 12, 15, 16, 17, 20, 23, 24, 25, 27, 28, 29, 30, 31, 32, 33, 36, 37, 39,
                               40, 41, 43, 44, 47, 48, 50, 51, 52, 53, 54, 55, 56, 60, 63};
  char name[96];
  for (int small = 0; small < 2; small++) {
    const char *handle = small ? "B" : "L";
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
      b = fresh_if_broken(b);
      give(a, b, handle);
      ask(b, "xor %s %d 1", handle, places[i]);
      snprintf(name, sizeof name, "%s, byte %d changed", small ? "small" : "4 MiB", places[i]);
      open_changed(b, name, handle);
    }
  }
  static const unsigned int sizes[] = {0, 1, 2048, 8192, 4194303, 4194305, 8388608};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    b = fresh_if_broken(b);
    give(a, b, "L");
    ask(b, "set32 L 16 %u", sizes[i]);
    snprintf(name, sizeof name, "4 MiB, size %u", sizes[i]);
    open_changed(b, name, "L");
  }
  static const unsigned int small_sizes[] = {0, 1, 4095, 8192, 2097152, 2101248, 4194304};
  for (size_t i = 0; i < sizeof small_sizes / sizeof small_sizes[0]; i++) {
    b = fresh_if_broken(b);
    give(a, b, "B");
    ask(b, "set32 B 16 %u", small_sizes[i]);
    snprintf(name, sizeof name, "small, size %u", small_sizes[i]);
    open_changed(b, name, "B");
  }
  static const unsigned int offsets[] = {4096, 100, 1048576, 2097152, 4194304};
  for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
    b = fresh_if_broken(b);
    give(a, b, "A");
    ask(b, "set32 A 28 %u", offsets[i]);
    snprintf(name, sizeof name, "small, offset %u", offsets[i]);
    open_changed(b, name, "A");
  }
  static const unsigned int pages[] = {0, 1, 512, 1023, 1025, 2048};
  for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
    b = fresh_if_broken(b);
    give(a, b, "L");
    ask(b, "set32 L 24 %u", pages[i]);
    snprintf(name, sizeof name, "4 MiB, pages %u", pages[i]);
    open_changed(b, name, "L");
  }
  b = fresh_if_broken(b);
  give(a, b, "L");
  static const unsigned int flags[] = {4, 5, 8, 9, 0x80000000u, 0x80000001u, 0xffffffffu};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    char command[96];
    snprintf(name, sizeof name, "flags 0x%x", flags[i]);
    snprintf(command, sizeof command, "set p 0; cuIpcOpenMemHandle_v2 &p L %u", flags[i]);
    step(b, name, command);
    ask(b, "cuIpcCloseMemHandle p");
  }
  isolated("into null", "cuIpcOpenMemHandle_v2 null H 1");
  step(b, "zero handle, flags 0", "cuIpcOpenMemHandle_v2 &p Z 0");
  step(b, "zero handle", "cuIpcOpenMemHandle_v2 &p Z 1");
  step(b, "zero handle with 1 page", "set32 Z 24 1; cuIpcOpenMemHandle_v2 &p Z 1");
  step(b, "zero handle with 1 page and size 4096", "set32 Z 16 4096; cuIpcOpenMemHandle_v2 &p Z 1");
  step(b, "the same with the constants", "set32 Z 32 6; set32 Z 36 0xff00; cuIpcOpenMemHandle_v2 &p Z 1");
  for (int i = 0; i < 64; i++) ask(b, "xor F %d 255", i);
  step(b, "all bytes 0xff", "cuIpcOpenMemHandle_v2 &p F 1");
  static const char *const pids[] = {"0", "1", "0xffffffff"};
  for (size_t i = 0; i < 3; i++) {
    b = fresh_if_broken(b);
    give(a, b, "L");
    ask(b, "set32 L 8 %s", pids[i]);
    snprintf(name, sizeof name, "pid %s", pids[i]);
    open_changed(b, name, "L");
  }
  ask(b, "cuMemAlloc_v2 &w 4194304; cuIpcGetMemHandle &W w");
  step(b, "B's own handle with another pid", "set32 W 8 1; cuIpcOpenMemHandle_v2 &p W 1");
  step(b, "B's own handle with pid 0", "set32 W 8 0; cuIpcOpenMemHandle_v2 &p W 1");
  ask(a, "cuEventCreate &e 6; cuIpcGetEventHandle &E e");
  b = fresh_if_broken(b);
  give(a, b, "E");
  step(b, "an event's handle opened as memory", "cuIpcOpenMemHandle_v2 &p E 1");
  give(a, b, "C");
  open_changed(b, "a plain open afterwards", "C");
  peer_kill(b);

  /* With the same object open already. */
  b = peer_with_context();
  give(a, b, "L");
  give(a, b, "A");
  give(a, b, "B");
  step(b, "while 4 MiB and small a are open: open both", "cuIpcOpenMemHandle_v2 &l L 1; cuIpcOpenMemHandle_v2 &a A 1");
  static const int twice[] = {0, 8, 16, 17, 24, 28, 29, 32, 37, 40, 44, 56};
  for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
    char command[128];
    give(a, b, "L");
    snprintf(name, sizeof name, "while 4 MiB is open: byte %d changed", twice[i]);
    snprintf(command, sizeof command, "xor L %d 2; set p 0; cuIpcOpenMemHandle_v2 &p L 1", twice[i]);
    step_then(b, name, command, "val p-l");
  }
  step_then(b, "while small a is open: b with a's size changed", "set32 B 16 8192; set p 0; cuIpcOpenMemHandle_v2 &p B 1", "val p-a");
  peer_kill(b);
  peer_end(a);
}

static void words_that_differ(const char *first, const char *second, char *out, size_t size) {
  out[0] = '\0';
  for (int i = 0; i < 64; i += 4) {
    if (strncmp(first + 2 * i, second + 2 * i, 8) == 0) continue;
    snprintf(out + strlen(out), size - strlen(out), "%d ", i);
  }
}

static void bytes(void) {
  peer *a = exporter();
  static const char *const handles[] = {"A", "B", "C", "L", "G"};
  for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) {
    char name[64], detail[256];
    snprintf(name, sizeof name, "handle %s", handles[i]);
    unsigned long long words[16];
    for (int j = 0; j < 16; j++) words[j] = strtoull(ask(a, "get32 %s %d", handles[i], 4 * j), NULL, 10);
    snprintf(detail, sizeof detail, "size %llu, pages %llu, offset %llu, constants %08llx %08llx, counter from A's %lld, client %04llx...., object from A's %lld, zero %llx %llx %llx",
             words[4] | words[5] << 32, words[6], words[7], words[8], words[9],
             (long long)words[10] - (long long)strtoull(ask(a, "get32 A 40"), NULL, 10), words[12] >> 16,
             (long long)words[13] - (long long)strtoull(ask(a, "get32 A 52"), NULL, 10), words[3], words[11], words[14] | words[15]);
    line(name, "", detail);
  }
  char first[256], second[256];
  result_of(first, sizeof first, ask(a, "get L"));
  ask(a, "set o l; cuMemFree_v2 l; cuMemAlloc_v2 &l 4194304; cuIpcGetMemHandle &L l");
  result_of(second, sizeof second, ask(a, "get L"));
  char detail[256];
  words_that_differ(first, second, detail, sizeof detail);
  line("freed and allocated again: words that differ", value(a, "l-o") == 0 ? "same address" : "other address", detail);
  result_of(first, sizeof first, ask(a, "cuIpcGetMemHandle &A a; get A"));
  result_of(second, sizeof second, ask(a, "cuCtxCreate_v2 &x 0 0; cuIpcGetMemHandle &X a; get X"));
  words_that_differ(first, second, detail, sizeof detail);
  line("exported from a second context: words that differ", "", detail);
  ask(a, "cuMemAlloc_v2 &y 4096; cuIpcGetMemHandle &Y y");
  result_of(second, sizeof second, ask(a, "get Y"));
  words_that_differ(first, second, detail, sizeof detail);
  line("allocated in a second context: words that differ from A's", "", detail);
  /* Which object numbers come back, and in what order. */
  ask(a, "cuCtxSetCurrent ctx; cuMemAlloc_v2 &q1 4194304; cuMemAlloc_v2 &q2 4194304; cuMemAlloc_v2 &q3 4194304; cuIpcGetMemHandle &Q1 q1; "
         "cuIpcGetMemHandle &Q2 q2; cuIpcGetMemHandle &Q3 q3; cuMemFree_v2 q1; cuMemFree_v2 q3; cuMemFree_v2 q2");
  ask(a, "cuMemAlloc_v2 &r1 4194304; cuMemAlloc_v2 &r2 4194304; cuMemAlloc_v2 &r3 4194304; cuIpcGetMemHandle &R1 r1; "
         "cuIpcGetMemHandle &R2 r2; cuIpcGetMemHandle &R3 r3");
  long long base = strtoll(ask(a, "get32 Q1 52"), NULL, 10);
  static const char *const order[] = {"Q2", "Q3", "R1", "R2", "R3"};
  detail[0] = '\0';
  for (int i = 0; i < 5; i++) {
    snprintf(detail + strlen(detail), sizeof detail - strlen(detail), "%s %lld ", order[i], strtoll(ask(a, "get32 %s 52", order[i]), NULL, 10) - base);
  }
  line("object numbers from the first, after first, third and second were freed", "", detail);
  step(a, "export, one past the end", "cuIpcGetMemHandle &H a+4096");
  step(a, "export into null", "cuIpcGetMemHandle null a");
  step(a, "export of ordinary memory", "cuIpcGetMemHandle &H buf");
  step(a, "export of registered memory", "page r 4; cuMemHostRegister_v2 r 4096 0; cuIpcGetMemHandle &H r");
  static const unsigned long long sizes[] = {1, 1000, 1048576, 1048577, 1572864, 2097151, 2097153, 3145728, 5242880};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    char name[64];
    snprintf(name, sizeof name, "%llu bytes: handle", sizes[i]);
    ask(a, "cuMemAlloc_v2 &z %llu; cuIpcGetMemHandle &Z z", sizes[i]);
    unsigned long long size = strtoull(ask(a, "get32 Z 16"), NULL, 10), pages = strtoull(ask(a, "get32 Z 24"), NULL, 10);
    snprintf(detail, sizeof detail, "size %llu, pages %llu", size, pages);
    line(name, "", detail);
  }
  peer_end(a);
}

static void imports(void) {
  peer *a = exporter(), *b = peer_with_context();
  static const char *const handles[] = {"A", "B", "C", "L", "G"};
  for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) give(a, b, handles[i]);
  step_then(b, "free memory in B before and after an open", "cuMemGetInfo_v2 &f &t; cuIpcOpenMemHandle_v2 &g G 1; cuMemGetInfo_v2 &h &t", "val f-h");
  ask(a, "cuMemAlloc_v2 &z 2097153; cuIpcGetMemHandle &Z z; cuMemAlloc_v2 &y 3145728; cuIpcGetMemHandle &Y y");
  give(a, b, "Z");
  give(a, b, "Y");
  step_then(b, "2097153 bytes: size of the import", "cuIpcOpenMemHandle_v2 &z Z 1; cuMemGetAddressRange_v2 &o &n z", "val n");
  step_then(b, "2097153 bytes: MAPPING_SIZE of the import", "cuPointerGetAttribute &v 18 z", "val v");
  step_then(b, "3145728 bytes: size of the import", "cuIpcOpenMemHandle_v2 &y Y 1; cuMemGetAddressRange_v2 &o &n y", "val n");
  step_then(b, "3145728 bytes: MAPPING_SIZE of the import", "cuPointerGetAttribute &v 18 y", "val v");
  step(b, "open small b", "cuIpcOpenMemHandle_v2 &b B 1");
  step_then(b, "its offset in its mapping", "cuPointerGetAttribute &m 19 b", "val b-m");
  step_then(b, "its MAPPING_SIZE", "cuPointerGetAttribute &v 18 b", "val v");
  step_then(b, "its RANGE_SIZE", "cuPointerGetAttribute &v 12 b", "val v");
  step_then(b, "its RANGE_START from it", "cuPointerGetAttribute &v 11 b", "val v-b");
  step_then(b, "address range inside", "cuMemGetAddressRange_v2 &o &n b+100", "val n");
  step(b, "address range one past the end", "cuMemGetAddressRange_v2 &o &n b+4096");
  step(b, "address range before", "cuMemGetAddressRange_v2 &o &n b-1");
  step(b, "open small a", "cuIpcOpenMemHandle_v2 &a A 1");
  step_then(b, "distance b-a", "val 0", "val b-a");
  step(b, "close b", "cuIpcCloseMemHandle b");
  step(b, "read b", "cuMemcpyDtoH_v2 buf b 16");
  step(b, "read a", "cuMemcpyDtoH_v2 buf a 16");
  step(b, "open b again", "cuIpcOpenMemHandle_v2 &q B 1");
  step_then(b, "at the same address", "val 0", "val q-b");
  step(b, "close an interior address", "cuIpcCloseMemHandle b+16");
  step(b, "still open", "cuMemcpyDtoH_v2 buf b 16");
  step(b, "copy past the end", "cuMemcpyDtoH_v2 buf b 4097");
  step(b, "fill past the end", "cuMemsetD8_v2 b 9 4097");
  step(b, "cuMemFree", "cuMemFree_v2 b");
  step(b, "cuMemFreeAsync", "cuMemFreeAsync b null");
  step(b, "export of it", "cuIpcGetMemHandle &X b");
  step(b, "cuMemRetainAllocationHandle of it", "cuMemRetainAllocationHandle &x b");
  step(b, "set SYNC_MEMOPS on it", "set v 1; cuPointerSetAttribute &v 6 b");
  step(b, "wait value in it", "cuStreamWaitValue32_v2 null b 0 0; cuStreamSynchronize null");
  for (int id = 1; id <= 21; id++) {
    char name[64], result[64], detail[64];
    result_of(result, sizeof result, ask(b, "set v 0; cuPointerGetAttribute &v %d b", id));
    uint64_t number = value(b, "v");
    if (id == 1) snprintf(detail, sizeof detail, "%s", value(b, "v-ctx") == 0 ? "current" : number ? "other" : "null");
    else if (id == 3 || id == 4 || id == 11 || id == 19) snprintf(detail, sizeof detail, "pointer%+lld", (long long)value(b, "v-b"));
    else if (id == 5 || id == 7 || id == 17 || id == 20) snprintf(detail, sizeof detail, "%s", number ? "set" : "0");
    else snprintf(detail, sizeof detail, "%llu", (unsigned long long)number);
    snprintf(name, sizeof name, "imported: attribute %d", id);
    line(name, result, strcmp(result, "CUDA_SUCCESS") == 0 ? detail : "");
  }
  step_then(b, "BUFFER_IDs of two imports of one block differ", "cuPointerGetAttribute &v 7 a; cuPointerGetAttribute &w 7 b", "val v-w");
  step(b, "DtoD between imported and own", "cuMemAlloc_v2 &o 4096; cuMemcpyDtoD_v2 o b 4096; cuMemcpyDtoD_v2 b o 4096");
  ask(b, "cuCtxCreate_v2 &c 0 0");
  step(b, "second context: read of the first one's import", "cuMemcpyDtoH_v2 buf b 16");
  step(b, "second context: open of another handle of the same exporter", "cuIpcOpenMemHandle_v2 &l L 1");
  step(b, "second context: open of the neighbour", "cuIpcOpenMemHandle_v2 &n C 1");
  give(a, b, "L");
  step(b, "second context: another token", "xor L 0 1; cuIpcOpenMemHandle_v2 &l L 1");
  step(b, "second context: another pid", "xor L 0 1; set32 L 8 1; cuIpcOpenMemHandle_v2 &l L 1");
  give(a, b, "L");
  step(b, "second context destroyed, its import read in the first", "cuCtxDestroy_v2 c; cuCtxSetCurrent ctx; cuMemcpyDtoH_v2 buf l 16");
  step(b, "and opened in the first", "cuIpcOpenMemHandle_v2 &l L 1");
  step(b, "no current context: close", "cuCtxSetCurrent null; cuIpcCloseMemHandle l");
  step(b, "close in another thread without a context", "cuCtxSetCurrent ctx; thread cuIpcCloseMemHandle l");
  step(b, "last release of the primary context with imports open", "cuDevicePrimaryCtxRelease_v2 0");
  step(b, "retained again: read", "cuDevicePrimaryCtxRetain &ctx 0; cuCtxSetCurrent ctx; cuMemcpyDtoH_v2 buf b 16");
  step(b, "retained again: open", "cuIpcOpenMemHandle_v2 &b B 1");
  step(a, "A is unharmed", "cuMemcpyDtoH_v2 buf b 16");
  peer_end(b);
  peer_end(a);
}

static void lifetimes(void) {
  peer *a = exporter(), *b = peer_with_context(), *c = peer_with_context();
  static const char *const handles[] = {"A", "B", "C", "L", "G"};
  for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) {
    give(a, b, handles[i]);
    give(a, c, handles[i]);
  }
  step(a, "A frees small b, neighbours live", "cuMemFree_v2 b");
  step(c, "C opens the freed small b", "cuIpcOpenMemHandle_v2 &b B 1");
  step(c, "C closes it", "cuIpcCloseMemHandle b");
  step(a, "A exports the freed one", "cuIpcGetMemHandle &X b");
  step_then(a, "A allocates small again: at b's place", "cuMemAlloc_v2 &n 4096; cuIpcGetMemHandle &N n", "val n-b");
  line("its handle", strcmp(ask(a, "get N"), ask(c, "get B")) == 0 ? "equals the old one" : "differs from the old one", "");
  step(a, "A frees all small ones", "cuMemFree_v2 a; cuMemFree_v2 c; cuMemFree_v2 n");
  step(c, "C opens a freed small one, no neighbour left", "cuIpcOpenMemHandle_v2 &a A 1");
  step(b, "B opens 4 MiB", "cuIpcOpenMemHandle_v2 &l L 1");
  step_then(c, "free memory seen by C while A and B have 64 MiB + 4 MiB", "cuIpcOpenMemHandle_v2 &l L 1; cuIpcCloseMemHandle l; cuMemGetInfo_v2 &f &t", "val 0");
  step(a, "A frees 4 MiB", "cuMemFree_v2 l");
  step_then(c, "free memory gained while B still holds it", "cuMemGetInfo_v2 &h &t", "val h-f");
  step(b, "B reads", "cuMemcpyDtoH_v2 buf l 16");
  step(b, "B opens again", "cuIpcOpenMemHandle_v2 &m L 1");
  step(b, "B closes one", "cuIpcCloseMemHandle l");
  step(b, "B closes the last", "cuIpcCloseMemHandle l");
  step_then(c, "free memory gained after B closed", "cuMemGetInfo_v2 &h &t", "val h-f");
  step(b, "B opens 64 MiB", "cuIpcOpenMemHandle_v2 &g G 1");
  peer_kill(a);
  step(b, "A killed: B reads", "cuMemcpyDtoH_v2 buf g 16");
  step(b, "A killed: B opens the same handle again", "cuIpcOpenMemHandle_v2 &h G 1");
  step(b, "A killed: B closes", "cuIpcCloseMemHandle g");
  step(b, "A killed: B closes again", "cuIpcCloseMemHandle g");
  step(b, "A killed: B opens when nothing is open", "cuIpcOpenMemHandle_v2 &g G 1");
  step(c, "A killed: C opens", "cuIpcOpenMemHandle_v2 &g G 1");
  peer_end(b);
  peer_end(c);

  a = exporter();
  b = peer_with_context();
  c = peer_with_context();
  give(a, b, "G");
  give(a, c, "G");
  give(a, c, "L");
  step(b, "B opens 64 MiB", "cuIpcOpenMemHandle_v2 &g G 1");
  peer_end(a);
  step(b, "A exited: B reads", "cuMemcpyDtoH_v2 buf g 16");
  step(b, "A exited: B opens the same handle again", "cuIpcOpenMemHandle_v2 &h G 1");
  step(c, "A exited: C opens what B holds", "cuIpcOpenMemHandle_v2 &g G 1");
  step(c, "A exited: C opens what nobody holds", "cuIpcOpenMemHandle_v2 &l L 1");
  peer_end(b);
  peer_end(c);

  a = exporter();
  b = peer_with_context();
  give(a, b, "L");
  step(a, "A exports, then releases its primary context", "cuDevicePrimaryCtxRelease_v2 0");
  step(b, "B opens", "cuIpcOpenMemHandle_v2 &l L 1");
  peer_end(b);
  peer_end(a);

  a = exporter();
  b = peer_with_context();
  give(a, b, "L");
  ask(a, "cuMemAllocHost_v2 &h 4096; memset h 0 4096; cuStreamCreate &s 1");
  step(b, "B opens", "cuIpcOpenMemHandle_v2 &l L 1");
  ask(b, "cuMemAllocHost_v2 &h 4096; memset h 0 4096; cuStreamCreate &s 1");
  step(b, "B queues a wait on the imported memory", "cuStreamWaitValue32_v2 s l 7 1; cuStreamQuery s");
  step(a, "A writes the value", "cuMemsetD32_v2 l 7 1; cuCtxSynchronize");
  step(b, "B's stream goes on", "cuStreamSynchronize s");
  step(b, "B closes one of two references beside a blocked stream", "cuIpcOpenMemHandle_v2 &l L 1; memset h 0 16; cuStreamWaitValue32_v2 s h 1 0; cuIpcCloseMemHandle l");
  step(b, "released", "poke32 h 1; cuStreamSynchronize s; memset h 0 16");
  step(b, "B closes with work queued that waits (may hang)", "cuMemsetD32_v2 l 0 1; cuCtxSynchronize; cuStreamWaitValue32_v2 s h 1 0; cuMemsetD8Async l 9 16 s; cuIpcCloseMemHandle l");
  step(b, "afterwards the stream goes on", "poke32 h 1; cuStreamSynchronize s");
  step_then(a, "whether A sees the late write", "cuMemcpyDtoH_v2 buf l 4", "peek buf 4");
  peer_end(b);
  peer_end(a);
}

/* A frees and allocates again while B holds the old memory, and the other way round. */
static void stale(void) {
  peer *a = exporter(), *b = peer_with_context(), *c = peer_with_context();
  give(a, b, "L");
  give(a, c, "L");
  step(b, "B opens 4 MiB", "cuIpcOpenMemHandle_v2 &l L 1");
  step_then(a, "A frees and allocates 4 MiB: at the old address", "set o l; cuMemFree_v2 l; cuMemAlloc_v2 &l 4194304; cuMemsetD8_v2 l 0x11 4194304; cuCtxSynchronize; cuIpcGetMemHandle &N l", "val l-o");
  give(a, b, "N");
  give(a, c, "N");
  step_then(b, "B, holding the old one, opens the new handle: distance", "set n 0; cuIpcOpenMemHandle_v2 &n N 1", "val n-l");
  step_then(b, "B reads what it got", "memset buf 0xee 4; cuMemcpyDtoH_v2 buf n 4", "peek buf 4");
  step_then(b, "B reads the old one", "memset buf 0xee 4; cuMemcpyDtoH_v2 buf l 4", "peek buf 4");
  step_then(b, "B opens the old handle again: distance", "set m 0; cuIpcOpenMemHandle_v2 &m L 1", "val m-l");
  step_then(c, "C opens the old handle", "set l 0; cuIpcOpenMemHandle_v2 &l L 1", "val 0");
  step_then(c, "C reads", "memset buf 0xee 4; cuMemcpyDtoH_v2 buf l 4", "peek buf 4");
  step_then(c, "C opens the new handle: distance", "set n 0; cuIpcOpenMemHandle_v2 &n N 1", "val n-l");
  peer_end(b);
  peer_end(c);
  b = peer_with_context();
  step_then(a, "A frees and allocates 8 MiB", "cuMemFree_v2 l; cuMemAlloc_v2 &l 8388608; cuMemsetD8_v2 l 0x22 8388608; cuCtxSynchronize; cuIpcGetMemHandle &N l", "get32 N 24");
  give(a, b, "L");
  step(b, "B opens the old handle of 4 MiB", "set l 0; cuIpcOpenMemHandle_v2 &l L 1");
  peer_end(b);
  /* Contexts and exporters. */
  b = peer_with_context();
  give(a, b, "N");
  give(a, b, "G");
  ask(b, "cuIpcOpenMemHandle_v2 &n N 1; cuCtxCreate_v2 &c 0 0");
  step(b, "second context, first holds one: another handle", "cuIpcOpenMemHandle_v2 &g G 1");
  step(b, "first closed all: second context", "cuIpcCloseMemHandle n; cuIpcOpenMemHandle_v2 &g G 1");
  step(b, "now the first context", "cuCtxSetCurrent ctx; cuIpcOpenMemHandle_v2 &n N 1");
  step(b, "an event of the same exporter meanwhile", "cuEventCreate &e 6");
  peer_end(b);
  peer_end(a);
}

const group ipc_memory_groups[] = {{"memory handles", bytes, false}, {"corrupt memory handles", corrupt, false}, {"memory imports", imports, true},
                                   {"memory lifetimes", lifetimes, true}, {"stale memory handles", stale, false}, {NULL, NULL, false}};
