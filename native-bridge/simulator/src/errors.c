/* Names and texts of result codes. */
#include "sim.h"

static const struct {
  CUresult value;
  const char *name;
  const char *text;
} results[] = {
#define X(name, value, text) {name, #name, text},
#include "../abi/results.def"
#undef X
};

static CUresult find(CUresult error, const char **out, bool name) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
    if (results[i].value != error) continue;
    *out = name ? results[i].name : results[i].text;
    return CUDA_SUCCESS;
  }
  *out = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **pStr) {
  SIM_ENTER_ALWAYS(cuGetErrorName);
  return find(error, pStr, true);
}

CUresult cuGetErrorString(CUresult error, const char **pStr) {
  SIM_ENTER_ALWAYS(cuGetErrorString);
  return find(error, pStr, false);
}
