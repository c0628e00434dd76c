/* cuGetProcAddress: from a plain name and a CUDA version to the variant of that version. */
#include "sim.h"

#include <string.h>

static const struct {
  const char *plain;
  int since;
  void (*function)(void);
} exports[] = {
#define X(symbol, plain, since, params) {#plain, since, (void (*)(void))symbol},
#include "../abi/exports.def"
#undef X
};

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus) {
  SIM_ENTER_ALWAYS(cuGetProcAddress_v2);
  /* Flags: 1 legacy stream, 2 per-thread default stream (the same entries here). */
  if (!symbol || !pfn || flags > 3 || cudaVersion > SIM_DRIVER_VERSION) return CUDA_ERROR_INVALID_VALUE;
  void (*found)(void) = NULL;
  bool known = false;
  for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
    if (strcmp(exports[i].plain, symbol) != 0) continue;
    known = true;
    if (exports[i].since <= cudaVersion) found = exports[i].function;
  }
  /* ISO C has no cast from function to object pointer; POSIX promises that the representations agree. */
  memcpy(pfn, &found, sizeof found);
  /* Only the status says that there is none, also where nobody asks for it. */
  if (symbolStatus) {
    *symbolStatus = found   ? CU_GET_PROC_ADDRESS_SUCCESS
                    : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
  CUdriverProcAddressQueryResult status;
  CUresult result = cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, &status);
  return result == CUDA_SUCCESS && status != CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}
