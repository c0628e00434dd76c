/* Loading and unloading of modules, and finding what is in them. */
#include "modules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* In the header comment of this project's modules: an entry of another program may have the same name. */
#define OWN_MODULE "GPU IPC Inspector kernels"
/** What PTX the driver that this simulator is like takes. */
#define NEWEST_PTX 90

static CUmodule modules;

static bool known(CUmodule module) {
  for (CUmodule each = modules; each; each = each->next) {
    if (each == module) return true;
  }
  return false;
}

bool sim_function_known(CUfunction function) {
  for (CUmodule module = modules; module; module = module->next) {
    if (function >= module->functions && function < module->functions + module->count) return true;
  }
  return false;
}

static void free_module(CUmodule module) {
  for (size_t i = 0; i < module->count; i++) free(module->functions[i].name);
  free(module->functions);
  free(module);
}

void sim_modules_free_context(CUcontext context) {
  for (CUmodule *link = &modules; *link;) {
    CUmodule module = *link;
    if (module->context != context) {
      link = &module->next;
      continue;
    }
    *link = module->next;
    free_module(module);
  }
}

/* The text after spaces and comments. */
static const char *skip(const char *text) {
  for (;;) {
    while (isspace((unsigned char)*text)) text++;
    if (text[0] == '/' && text[1] == '/') {
      while (*text && *text != '\n') text++;
    } else if (text[0] == '/' && text[1] == '*') {
      const char *end = strstr(text + 2, "*/");
      if (!end) return text + strlen(text);
      text = end + 2;
    } else {
      return text;
    }
  }
}

/* `.version 6.3` at the beginning: 63; -1 when there is none. */
static int version_of(const char *text) {
  char *end;
  if (strncmp(text, ".version", 8) != 0 || !isspace((unsigned char)text[8])) return -1;
  long major = strtol(text + 8, &end, 10);
  if (*end != '.' || major < 1 || major > 99) return -1;
  long minor = strtol(end + 1, &end, 10);
  return minor < 0 || minor > 9 ? -1 : (int)(major * 10 + minor);
}

static bool name_character(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

/* The entry whose name begins at `text`; false when this is no entry. */
static bool read_entry(const char *text, bool own, struct CUfunc_st *function) {
  const char *end = text;
  while (name_character(*end)) end++;
  if (end == text) return false;
  const char *after = skip(end);
  function->parameters = 0;
  if (*after == '(') {
    for (const char *at = after + 1; *at && *at != ')'; at++) {
      if (strncmp(at, ".param", 6) == 0) function->parameters++;
    }
    after = strchr(after, ')');
    if (!after) return false;
  }
  const char *body = strchr(after, '{');
  if (!body) return false;
  function->most_threads = 1024;
  const char *limit = strstr(after, ".maxntid");
  if (limit && limit < body) {
    unsigned long most = 1;
    for (char *at = (char *)limit + 8; at && at < body; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
      unsigned long size = strtoul(at, NULL, 10);
      if (size) most *= size;
    }
    if (most <= 1024) function->most_threads = (unsigned int)most;
  }
  function->name = strndup(text, (size_t)(end - text));
  if (!function->name) return false;
  function->kernel = own ? sim_kernel_find(function->name, function->parameters) : NULL;
  return true;
}

static CUresult parse(const char *text, CUmodule module) {
  const char *begin = skip(text);
  int version = version_of(begin);
  /* Neither PTX nor, as far as the simulator knows, anything else: it takes no compiled code. */
  if (version < 0) return CUDA_ERROR_INVALID_IMAGE;
  if (version > NEWEST_PTX) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (!strstr(begin, ".target")) return CUDA_ERROR_INVALID_PTX;
  const char *mark = strstr(text, OWN_MODULE);
  bool own = mark && mark < begin;
  for (const char *at = begin; (at = strstr(at, ".entry")); at++) {
    if (!isspace((unsigned char)at[6])) continue;
    struct CUfunc_st *grown = realloc(module->functions, (module->count + 1) * sizeof *grown);
    if (!grown) return CUDA_ERROR_OUT_OF_MEMORY;
    module->functions = grown;
    if (!read_entry(skip(at + 6), own, &grown[module->count])) return CUDA_ERROR_INVALID_PTX;
    module->count += 1;
  }
  for (size_t i = 0; i < module->count; i++) module->functions[i].module = module;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  SIM_ENTER_CONTEXT(cuModuleLoadData);
  if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
  CUmodule made = calloc(1, sizeof *made);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->context = context;
  CUresult result = parse(image, made);
  if (result != CUDA_SUCCESS) {
    free_module(made);
    return result;
  }
  sim_lock_take();
  made->next = modules;
  modules = made;
  sim_lock_drop();
  *module = made;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule hmod) {
  SIM_ENTER_CONTEXT(cuModuleUnload);
  (void)context;
  sim_lock_take();
  CUresult result = known(hmod) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) {
    CUmodule *link = &modules;
    while (*link != hmod) link = &(*link)->next;
    *link = hmod->next;
    /* What is queued has the C function, not the module. */
    free_module(hmod);
  }
  sim_lock_drop();
  return result;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
  SIM_ENTER_CONTEXT(cuModuleGetFunction);
  (void)context;
  if (!hfunc || !name) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = known(hmod) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
  for (size_t i = 0; result == CUDA_ERROR_NOT_FOUND && i < hmod->count; i++) {
    if (strcmp(hmod->functions[i].name, name) != 0) continue;
    *hfunc = &hmod->functions[i];
    result = CUDA_SUCCESS;
  }
  sim_lock_drop();
  return result;
}
