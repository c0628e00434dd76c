/* Copies and fills with odd arguments. */
#include <stdio.h>

#include "probe.h"

static void copies(void) {
  peer *one = peer_with_context();
  ask(one, "cuMemAlloc_v2 &a 4096; cuMemAlloc_v2 &b 4096; cuMemAlloc_v2 &c 4096; cuMemAllocHost_v2 &h 4096; "
           "cuMemAllocManaged &m 4096 1; cuMemAlloc_v2 &l 4194304; page g 4");
  static const char *const commands[] = {
      "cuMemcpyDtoH_v2 null a 16", "cuMemcpyHtoD_v2 a null 16", "cuMemcpyDtoH_v2 null a 0", "cuMemcpyDtoH_v2 buf 4096 0",
      "cuMemcpyDtoH_v2 buf 4096 16", "cuMemcpyDtoH_v2 buf buf+64 16", "cuMemcpyDtoH_v2 buf h 16",
      "cuMemcpyDtoH_v2 buf m 16", "cuMemcpyDtoH_v2 h a 16", "cuMemcpyDtoH_v2 m a 16", "cuMemcpyDtoH_v2 a b 16",
      "cuMemcpyHtoD_v2 a b 16", "cuMemcpyHtoD_v2 buf a 16", "cuMemcpyHtoD_v2 h buf 16", "cuMemcpyHtoD_v2 m buf 16",
      "cuMemcpyDtoD_v2 a b 4096", "cuMemcpyDtoD_v2 a a+16 64", "cuMemcpyDtoD_v2 a buf 16", "cuMemcpyDtoD_v2 buf a 16",
      "cuMemcpyDtoD_v2 h a 16", "cuMemcpyDtoD_v2 a h 16", "cuMemcpyDtoD_v2 a b 4097", "cuMemcpyDtoD_v2 null a 0",
      "cuMemcpyDtoH_v2 buf a+4090 16", "cuMemcpyDtoH_v2 buf a 4097", "cuMemcpyDtoH_v2 buf a 8192",
      "cuMemcpyDtoH_v2 buf l+4194300 8", "cuMemcpyHtoD_v2 l+4194300 buf 8", "cuMemcpyDtoH_v2 buf a 18446744073709551615",
      "cuMemcpy buf buf+64 16", "cuMemcpy a buf 16", "cuMemcpy buf a 16", "cuMemcpy a b 16", "cuMemcpy null a 16",
      "cuMemcpyAsync a buf 16 null", "cuMemcpyDtoHAsync_v2 buf a 16 null", "cuMemcpyDtoHAsync_v2 null a 16 null",
      "cuMemcpyHtoDAsync_v2 a null 16 null", "cuMemcpyDtoHAsync_v2 buf a 8192 null", "cuMemcpyDtoDAsync_v2 a b 16 null",
      "cuMemcpyPeer a ctx b ctx 16", "cuMemcpyPeer a null b ctx 16",
      "cuMemsetD8_v2 a 1 0", "cuMemsetD8_v2 null 1 0", "cuMemsetD8_v2 4096 1 0", "cuMemsetD8_v2 4096 1 16", "cuMemsetD8_v2 a 1 4097",
      "cuMemsetD8_v2 a+1 1 3", "cuMemsetD16_v2 a 1 2", "cuMemsetD16_v2 a+1 1 2", "cuMemsetD16_v2 a+1 1 0",
      "cuMemsetD32_v2 a 1 2", "cuMemsetD32_v2 a+1 1 2", "cuMemsetD32_v2 a+2 1 2", "cuMemsetD32_v2 a 1 1025",
      "cuMemsetD32_v2 a 1 4611686018427387905", "cuMemsetD8_v2 h 1 16", "cuMemsetD8_v2 m 1 16", "cuMemsetD8_v2 buf 1 16",
      "cuMemsetD8Async a 1 16 null", "cuMemsetD16Async a+1 1 2 null", "cuMemsetD32Async a+2 1 2 null", "cuMemsetD8Async a 1 4097 null"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) step(one, commands[i], commands[i]);
  step_then(one, "a D16 fill", "cuMemsetD16_v2 a 0x1234 2; cuMemcpyDtoH_v2 buf a 8", "peek buf 4");
  step_then(one, "a D32 fill", "cuMemsetD32_v2 a 0x12345678 1; cuMemcpyDtoH_v2 buf a 8", "peek buf 4");
  step_then(one, "a D8 fill takes the low byte", "cuMemsetD8_v2 a 0x1ff 2; cuMemcpyDtoH_v2 buf a 8", "peek buf 2");
  step(one, "context usable afterwards", "cuCtxSynchronize");
  step(one, "registered memory as a device address", "cuMemHostRegister_v2 g 16384 0; cuMemsetD8_v2 g 5 16");
  step(one, "past the end of registered memory", "cuMemcpyHtoD_v2 a g+16380 8");
  step(one, "two neighbours in one copy", "cuMemcpyDtoH_v2 buf a 8192");
  peer_end(one);
  isolated("cuMemcpyPeer with a garbage context", "cuMemAlloc_v2 &a 4096; cuMemAlloc_v2 &b 4096; cuMemcpyPeer a buf b ctx 16");
  isolated("DtoH to an unmapped host address", "cuMemAlloc_v2 &a 4096; cuMemcpyDtoH_v2 4096 a 16");
  isolated("HtoD from an unmapped host address", "cuMemAlloc_v2 &a 4096; cuMemcpyHtoD_v2 a 4096 16");
  isolated("DtoH of 1 MiB to an unmapped host address", "cuMemAlloc_v2 &a 1048576; cuMemcpyDtoH_v2 4096 a 1048576");
}

const group copy_groups[] = {{"copies", copies, false}, {NULL, NULL, false}};
