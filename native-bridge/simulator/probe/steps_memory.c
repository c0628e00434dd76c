/* Allocation: spacing, blocks, reuse; host and pool memory; what pointers say about themselves. */
#include <stdio.h>
#include <string.h>

#include "probe.h"

static const uint64_t KIB = 1024, MIB = 1024 * 1024;

/* Three allocations of each size in a row, with what the driver says about the second. */
static void spacing_of(peer *one, const char *allocate, const char *deallocate, const char *last, uint64_t size) {
  char name[96], result[64], detail[512];
  ask(one, "cuMemGetInfo_v2 &f0 &t; set ms 0; set mb 0; set rs 0");
  snprintf(result, sizeof result, "%s", ask(one, "%s &a %llu%s", allocate, (unsigned long long)size, last));
  ask(one, "%s &b %llu%s", allocate, (unsigned long long)size, last);
  ask(one, "%s &c %llu%s", allocate, (unsigned long long)size, last);
  ask(one, "cuMemGetInfo_v2 &f1 &t; cuPointerGetAttribute &ms 18 b; cuPointerGetAttribute &mb 19 b; cuPointerGetAttribute &rs 12 b; "
           "cuPointerGetAttribute &id1 20 a; cuPointerGetAttribute &id2 20 b");
  snprintf(name, sizeof name, "%s %llu", allocate, (unsigned long long)size);
  snprintf(detail, sizeof detail,
           "second-first %lld, third-second %lld, first%%512 %llu, first%%2MiB %llu, range %llu, mapping %llu, "
           "second in mapping %lld, same block %s, used %lld",
           (long long)value(one, "b-a"), (long long)value(one, "c-b"), (unsigned long long)value(one, "a%512"),
           (unsigned long long)value(one, "a%2097152"), (unsigned long long)value(one, "rs"),
           (unsigned long long)value(one, "ms"), (long long)value(one, "b-mb"),
           value(one, "id1-id2") == 0 ? "yes" : "no", (long long)value(one, "f0-f1"));
  line(name, result, detail);
  ask(one, "%s a; %s b; %s c", deallocate, deallocate, deallocate);
  ask(one, "cuMemGetInfo_v2 &f2 &t");
  snprintf(name, sizeof name, "%s %llu, all freed: bytes not back", allocate, (unsigned long long)size);
  snprintf(detail, sizeof detail, "%lld", (long long)value(one, "f0-f2"));
  line(name, "", detail);
}

static void spacing(void) {
  const uint64_t sizes[] = {1, 255, 256, 257, 511, 512, 513, 1024, 4095, 4096, 4097, 5000, 64 * KIB, 100000, 256 * KIB,
                            512 * KIB, 512 * KIB + 1, MIB - 1, MIB, MIB + 1, MIB + 512 * KIB, 2 * MIB - 512, 2 * MIB - 1, 2 * MIB,
                            2 * MIB + 1, 3 * MIB, 4 * MIB, 5 * MIB, 32 * MIB, 33 * MIB + 7};
  peer *one = peer_with_context();
  /* Nothing is left over from one size for the next: the lines about freed memory say so. */
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    spacing_of(one, "cuMemAlloc_v2", "cuMemFree_v2", "", sizes[i]);
  }
  const uint64_t others[] = {1, 4096, 64 * KIB, MIB, 2 * MIB, 3 * MIB, 33 * MIB};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    spacing_of(one, "cuMemAllocManaged", "cuMemFree_v2", " 1", others[i]);
    spacing_of(one, "cuMemAllocHost_v2", "cuMemFreeHost", "", others[i]);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    spacing_of(one, "cuMemAllocAsync", "cuMemFree_v2", " null", others[i]);
  }
  peer_end(one);
}

static void reuse(void) {
  peer *one = peer_with_context();
  ask(one, "cuMemAlloc_v2 &a 4096; cuMemAlloc_v2 &b 4096; cuMemAlloc_v2 &c 4096");
  step_then(one, "small, middle freed, same size again: at the old place", "cuMemFree_v2 b; cuMemAlloc_v2 &d 4096", "val d-b");
  step_then(one, "small, middle freed, larger: from the first", "cuMemFree_v2 d; cuMemAlloc_v2 &d 8192", "val d-a");
  step_then(one, "small, two holes, tiny: from the first", "cuMemAlloc_v2 &e 100", "val e-a");
  step_then(one, "1 MiB beside the small ones: from the first", "cuMemAlloc_v2 &g 1048576", "val g-a");
  step_then(one, "another 1 MiB: from the first", "cuMemAlloc_v2 &h 1048576", "val h-a");
  step_then(one, "4 MiB, freed, again: at the old place", "cuMemAlloc_v2 &l 4194304; cuMemFree_v2 l; cuMemAlloc_v2 &m 4194304", "val m-l");
  step_then(one, "4 MiB, freed, 2 MiB: at the old place", "cuMemFree_v2 m; cuMemAlloc_v2 &n 2097152", "val n-m");
  step_then(one, "two of 2 MiB: distance", "cuMemAlloc_v2 &o 2097152", "val o-n");
  step_then(one, "two of 4 MiB: distance", "cuMemAlloc_v2 &q 4194304; cuMemAlloc_v2 &r 4194304", "val r-q");
  step_then(one, "two of 6 MiB: distance", "cuMemAlloc_v2 &q 6291456; cuMemAlloc_v2 &r 6291456", "val r-q");
  step_then(one, "BUFFER_ID of the first", "cuPointerGetAttribute &i 7 a", "val i");
  step_then(one, "BUFFER_ID grows with each allocation by", "cuPointerGetAttribute &i 7 q; cuPointerGetAttribute &j 7 r", "val j-i");
  step_then(one, "memory is not cleared or is: first bytes of reused 4 MiB", "cuMemAlloc_v2 &s 4194304; cuMemsetD8_v2 s 171 4194304; cuCtxSynchronize; cuMemFree_v2 s; cuMemAlloc_v2 &s 4194304; cuMemcpyDtoH_v2 buf s 16", "peek buf 16");
  step(one, "larger than the device", "cuDeviceTotalMem_v2 &t 0; cuMemAlloc_v2 &p t+1");
  step(one, "all but 64 MiB of the free memory is refused or given", "cuMemGetInfo_v2 &f &t; cuMemAlloc_v2 &p f-67108864");
  step(one, "free it", "cuMemFree_v2 p");
  step(one, "2^63 bytes", "cuMemAlloc_v2 &p 9223372036854775808");
  step(one, "2^64-1 bytes", "cuMemAlloc_v2 &p 18446744073709551615");
  step(one, "2^48 bytes", "cuMemAlloc_v2 &p 281474976710656");
  step(one, "0 bytes", "cuMemAlloc_v2 &p 0");
  step(one, "into null", "cuMemAlloc_v2 null 4096");
  step_then(one, "output after failure", "set p 77; cuMemAlloc_v2 &p 9223372036854775808", "val p");
  step(one, "free of an interior address", "cuMemFree_v2 a+16");
  step(one, "free of nobody's address", "cuMemFree_v2 4096");
  step(one, "free of ordinary memory", "cuMemFree_v2 buf");
  step(one, "free", "cuMemFree_v2 a");
  step(one, "free again", "cuMemFree_v2 a");
  peer_end(one);
}

static void host(void) {
  peer *one = peer_with_context();
  static const char *const commands[] = {
      "cuMemAllocHost_v2 &p 0", "cuMemAllocHost_v2 null 4096", "cuMemHostAlloc &p 0 0", "cuMemHostAlloc &p 4096 8",
      "cuMemHostAlloc &p 4096 16", "cuMemHostAlloc null 4096 0", "cuMemFreeHost null", "cuMemFreeHost buf",
      "cuMemAllocManaged &p 4096 0", "cuMemAllocManaged &p 4096 2", "cuMemAllocManaged &p 4096 3",
      "cuMemAllocManaged &p 4096 4", "cuMemAllocManaged &p 0 1", "cuMemAllocManaged null 4096 1",
      "cuMemHostRegister_v2 null 4096 0", "cuMemHostRegister_v2 buf 0 0", "cuMemHostRegister_v2 buf 4096 16",
      "cuMemHostRegister_v2 4096 4096 0", "cuMemHostUnregister null", "cuMemHostUnregister buf",
      "cuMemHostGetDevicePointer_v2 &d buf 0", "cuMemHostGetDevicePointer_v2 &d null 0", "cuMemHostGetFlags &f buf"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) step(one, commands[i], commands[i]);
  static const int flags[] = {0, 1, 2, 3, 4, 7};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    char name[64], command[128];
    snprintf(name, sizeof name, "cuMemHostAlloc flags %d, cuMemHostGetFlags", flags[i]);
    snprintf(command, sizeof command, "cuMemHostAlloc &p 4096 %d; set f 0; cuMemHostGetFlags &f p", flags[i]);
    step_then(one, name, command, "val f");
  }
  step_then(one, "cuMemAllocHost, cuMemHostGetFlags", "cuMemAllocHost_v2 &p 4096; cuMemHostGetFlags &f p", "val f");
  step_then(one, "its device pointer minus its address", "cuMemHostGetDevicePointer_v2 &d p 0", "val d-p");
  step(one, "device pointer with flags 1", "cuMemHostGetDevicePointer_v2 &d p 1");
  step_then(one, "device pointer of an interior address", "cuMemHostGetDevicePointer_v2 &d p+16 0", "val d-p");
  step(one, "cuMemFree of page-locked memory", "cuMemFree_v2 p");
  step(one, "cuMemFreeHost of an interior address", "cuMemFreeHost p+16");
  step(one, "cuMemHostUnregister of it", "cuMemHostUnregister p");
  step(one, "cuMemHostRegister of it", "cuMemHostRegister_v2 p 4096 0");
  step_then(one, "fresh page-locked memory is zero", "cuMemAllocHost_v2 &q 4096", "peek q 16");
  step(one, "cuMemFreeHost", "cuMemFreeHost p");
  step(one, "cuMemFreeHost again", "cuMemFreeHost p");
  ask(one, "cuMemAlloc_v2 &m 4096; cuMemAllocManaged &n 4096 1");
  step(one, "cuMemFreeHost of device memory", "cuMemFreeHost m");
  step(one, "cuMemFreeHost of managed memory", "cuMemFreeHost n");
  step_then(one, "cuMemHostGetFlags of managed memory", "set f 77; cuMemHostGetFlags &f n", "val f");
  step_then(one, "cuMemAllocHost of 0 bytes gives", "set z 7; cuMemAllocHost_v2 &z 0", "val z");
  step_then(one, "cuMemHostAlloc of 0 bytes gives", "set z 7; cuMemHostAlloc &z 0 0", "val z");
  step_then(one, "cuMemAlloc of 0 bytes gives", "set z 7; cuMemAlloc_v2 &z 0", "val z");
  step(one, "cuMemHostGetDevicePointer of managed memory", "cuMemHostGetDevicePointer_v2 &d n 0");
  step(one, "cuMemHostGetDevicePointer of device memory", "cuMemHostGetDevicePointer_v2 &d m 0");
  ask(one, "page g 16");
  step(one, "register pages", "cuMemHostRegister_v2 g 8192 0");
  step_then(one, "flags of registered pages", "cuMemHostGetFlags &f g", "val f");
  step(one, "register again", "cuMemHostRegister_v2 g 8192 0");
  step(one, "register an overlap", "cuMemHostRegister_v2 g+4096 8192 0");
  step(one, "register inside", "cuMemHostRegister_v2 g+100 100 0");
  step(one, "register beside", "cuMemHostRegister_v2 g+8192 4096 0");
  step(one, "unregister inside", "cuMemHostUnregister g+100");
  step(one, "cuMemFreeHost of registered memory", "cuMemFreeHost g");
  step(one, "cuMemFree of registered memory", "cuMemFree_v2 g");
  step(one, "unregister", "cuMemHostUnregister g");
  step(one, "unregister again", "cuMemHostUnregister g");
  step(one, "register unaligned", "cuMemHostRegister_v2 g+100 1000 0");
  step_then(one, "its MAPPING_SIZE", "set v 0; cuPointerGetAttribute &v 18 g+100", "val v");
  step_then(one, "its RANGE_SIZE", "set v 0; cuPointerGetAttribute &v 12 g+100", "val v");
  step_then(one, "its MAPPING_BASE from the page", "set v 0; cuPointerGetAttribute &v 19 g+100", "val v-g");
  step(one, "attribute of the same page before it", "cuPointerGetAttribute &v 2 g+10");
  step(one, "attribute of the same page behind it", "cuPointerGetAttribute &v 2 g+3000");
  step(one, "register another part of the same page", "cuMemHostRegister_v2 g+2000 1000 0");
  step(one, "unregister it", "cuMemHostUnregister g+100");
  step(one, "register managed memory", "cuMemHostRegister_v2 n 4096 0");
  step(one, "register read-only", "cuMemHostRegister_v2 g 4096 8");
  peer_end(one);
  isolated("register device memory", "cuMemAlloc_v2 &m 4096; cuMemHostRegister_v2 m 4096 0");
}

static void pools(void) {
  peer *one = peer_with_context();
  step(one, "cuMemAllocAsync of 0 bytes", "cuMemAllocAsync &p 0 null");
  step(one, "cuMemAllocAsync into null", "cuMemAllocAsync null 4096 null");
  step(one, "cuMemAllocAsync larger than the device", "cuDeviceTotalMem_v2 &t 0; cuMemAllocAsync &p t+1 null");
  ask(one, "cuMemAllocAsync &p 1048576 null; cuMemAlloc_v2 &m 4096");
  step_then(one, "MEMPOOL_HANDLE is the default pool", "cuDeviceGetDefaultMemPool &d 0; cuPointerGetAttribute &v 17 p", "val v-d");
  step(one, "cuMemFreeAsync of null", "cuMemFreeAsync null null");
  step(one, "cuMemFreeAsync of an interior address", "cuMemFreeAsync p+16 null");
  step(one, "cuMemFreeAsync of cuMemAlloc memory", "cuMemFreeAsync m null");
  step(one, "... and is it gone", "cuMemcpyDtoH_v2 buf m 16");
  step(one, "... after the stream was synchronized", "cuStreamSynchronize null; cuMemcpyDtoH_v2 buf m 16");
  step(one, "... after the context was synchronized", "cuCtxSynchronize; cuMemcpyDtoH_v2 buf m 16");
  step(one, "... cuMemFree of it", "cuMemFree_v2 m");
  step(one, "cuMemFreeAsync of nobody's address", "cuMemFreeAsync 4096 null");
  step(one, "cuMemFreeAsync of page-locked memory", "cuMemAllocHost_v2 &h 4096; cuMemFreeAsync h null");
  step_then(one, "cuMemAllocAsync of 0 bytes gives", "set z 7; cuMemAllocAsync &z 0 null", "val z");
  step(one, "cuMemFreeAsync", "cuMemFreeAsync p null");
  step(one, "cuMemFreeAsync again", "cuMemFreeAsync p null");
  step(one, "read afterwards", "cuMemcpyDtoH_v2 buf p 16");
  step(one, "cuMemFree of pool memory", "cuMemAllocAsync &p 1048576 null; cuMemFree_v2 p");
  step(one, "cuMemFree again", "cuMemFree_v2 p");
  step(one, "export it", "cuMemAllocAsync &p 1048576 null; cuIpcGetMemHandle &H p");
  step(one, "cuMemRetainAllocationHandle of cuMemAlloc memory", "cuMemAlloc_v2 &m 4194304; cuMemRetainAllocationHandle &h m");
  step(one, "cuMemRetainAllocationHandle into null", "cuMemRetainAllocationHandle null m");
  step(one, "cuMemRetainAllocationHandle of null", "cuMemRetainAllocationHandle &h null");
  step(one, "cuMemRetainAllocationHandle of ordinary memory", "cuMemRetainAllocationHandle &h buf");
  peer_end(one);
}

static void attributes_of(peer *one, const char *kind, const char *pointer) {
  for (int id = 1; id <= 21; id++) {
    char name[96], detail[64] = "", result[64];
    snprintf(result, sizeof result, "%s", ask(one, "set v 0; cuPointerGetAttribute &v %d %s", id, pointer));
    uint64_t number = value(one, "v");
    /* Ids, handles and addresses differ from run to run; relative to the pointer they do not. */
    if (strcmp(result, "CUDA_SUCCESS") != 0) detail[0] = '\0';
    else if (id == 1) snprintf(detail, sizeof detail, "%s", number == 0 ? "null" : value(one, "v-ctx") == 0 ? "current" : "other");
    else if (id == 5 || id == 7 || id == 17 || id == 20) snprintf(detail, sizeof detail, "%s", number ? "set" : "0");
    else if (id == 3 || id == 4 || id == 11 || id == 19) {
      snprintf(detail, sizeof detail, "pointer%+lld", (long long)(number - value(one, pointer)));
    } else snprintf(detail, sizeof detail, "%llu", (unsigned long long)number);
    snprintf(name, sizeof name, "%s: attribute %d", kind, id);
    line(name, result, detail);
  }
}

static void pointers(void) {
  peer *one = peer_with_context();
  ask(one, "cuMemAlloc_v2 &a 4194304; cuMemAlloc_v2 &b 4096; cuMemAlloc_v2 &c 4096; cuMemAllocManaged &m 1048576 1; "
           "cuMemAllocHost_v2 &h 1048576; cuMemHostAlloc &i 1048576 3; page g 4; cuMemHostRegister_v2 g 16384 0; "
           "cuMemAllocAsync &q 1048576 null");
  attributes_of(one, "4 MiB", "a");
  attributes_of(one, "4 MiB inside", "a+4096");
  attributes_of(one, "second small", "c");
  attributes_of(one, "managed", "m");
  attributes_of(one, "page-locked", "h");
  attributes_of(one, "page-locked, mapped", "i");
  attributes_of(one, "registered", "g");
  attributes_of(one, "registered inside", "g+8192");
  attributes_of(one, "default pool", "q");
  attributes_of(one, "ordinary memory", "buf");
  static const char *const invalid[] = {"cuPointerGetAttribute &v 0 a", "cuPointerGetAttribute &v 22 a", "cuPointerGetAttribute &v 99 a",
                                        "cuPointerGetAttribute &v -1 a", "cuPointerGetAttribute null 2 a",
                                        "cuPointerGetAttribute &v 13 4096", "cuPointerGetAttribute &v 2 null",
                                        "cuPointerSetAttribute &v 6 a", "cuPointerSetAttribute &v 2 a", "cuPointerSetAttribute null 6 a",
                                        "cuPointerSetAttribute &v 6 4096", "cuPointerGetAttributes 0 buf buf a",
                                        "cuMemGetAddressRange_v2 null null a", "cuMemGetAddressRange_v2 null null 4096",
                                        "cuMemGetAddressRange_v2 &x &y buf", "cuMemGetInfo_v2 null &t", "cuMemGetInfo_v2 &t null",
                                        "cuMemGetInfo_v2 null null"};
  for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) step(one, invalid[i], invalid[i]);
  step(one, "address range, one past the end", "cuMemGetAddressRange_v2 &x &y b+4096");
  step_then(one, "address range of an odd size", "cuMemAlloc_v2 &o 1000; cuMemGetAddressRange_v2 &x &y o+999", "val y");
  step(one, "address range past an odd size, inside its 512 bytes", "cuMemGetAddressRange_v2 &x &y o+1000");
  step_then(one, "address range of page-locked memory", "cuMemGetAddressRange_v2 &x &y h+100", "val y");
  step_then(one, "address range of registered memory", "cuMemGetAddressRange_v2 &x &y g+100", "val y");
  step_then(one, "address range of managed memory", "cuMemGetAddressRange_v2 &x &y m+100", "val y");
  for (int id = 1; id <= 21; id++) {
    char name[64], command[128];
    snprintf(name, sizeof name, "bytes written for attribute %d", id);
    snprintf(command, sizeof command, "memset buf 0xee 32; cuPointerGetAttribute buf %d %s", id, id == 4 ? "h" : "a");
    char result[64];
    snprintf(result, sizeof result, "%s", ask(one, "%s", command));
    const char *bytes = ask(one, "peek buf 32");
    int written = 32;
    while (written > 0 && strncmp(bytes + 2 * (written - 1), "ee", 2) == 0) written--;
    char detail[16];
    snprintf(detail, sizeof detail, "%d", written);
    line(name, result, detail);
  }
  /* cuPointerGetAttributes: ids at buf, pointers to results at buf+64, results at buf+128, 16 bytes apart. */
  static const struct {
    const char *name;
    const char *pointer;
  } kinds[] = {{"4 MiB", "a"}, {"page-locked", "h"}, {"ordinary memory", "buf"}, {"address of nobody", "4096"}, {"null", "null"},
               {"default pool", "q"}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    for (int id = 1; id <= 22; id++) {
      char name[96], result[64];
      snprintf(name, sizeof name, "many: attribute %d of %s", id, kinds[i].name);
      snprintf(result, sizeof result, "%s",
               ask(one, "memset buf+128 0xee 32; set w buf+128; poke32 buf %d; cuPointerGetAttributes 1 buf &w %s", id, kinds[i].pointer));
      const char *bytes = ask(one, "peek buf+128 16");
      bool shown = id == 2 || id == 6 || id == 8 || id == 9 || id == 10 || (id >= 12 && id <= 16) || id == 18;
      bool zero = strncmp(bytes, "0000000000000000", 16) == 0, untouched = strncmp(bytes, "eeeeeeee", 8) == 0;
      line(name, result, shown ? bytes : zero ? "zero" : untouched ? "untouched" : "set");
    }
  }
  peer_end(one);
}

const group memory_groups[] = {{"spacing", spacing, true}, {"reuse", reuse, true},       {"host memory", host, false},
                               {"pools", pools, false},     {"pointers", pointers, false}, {NULL, NULL, false}};
