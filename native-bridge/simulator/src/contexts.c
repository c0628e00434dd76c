/* Creating, destroying and selecting contexts. */
#include "contexts.h"

#include <stdlib.h>

#include "blocks.h"
#include "control.h"
#include "devices.h"
#include "event_tables.h"
#include "events.h"
#include "modules.h"
#include "streams.h"

#define FLAGS_KNOWN 0xffu
/* Scheduling: auto, spin, yield, blocking sync. */
static bool flags_valid(unsigned int flags) {
  unsigned int schedule = flags & CU_CTX_SCHED_MASK;
  return (flags & ~FLAGS_KNOWN) == 0 && (schedule == 0 || schedule == 1 || schedule == 2 || schedule == 4);
}

_Thread_local sim_thread_contexts sim_thread;
static CUcontext contexts;
/* What stands for a pointer that was never a context. */
static struct CUctx_st nobody;
static CUcontext primaries[SIM_MAX_DEVICES];
static unsigned int primary_flags[SIM_MAX_DEVICES];

bool sim_context_known(CUcontext context) {
  for (CUcontext known = contexts; known; known = known->next) {
    if (known == context) return true;
  }
  return false;
}

static bool bring_up(CUcontext context) {
  context->legacy = sim_stream_create(context, CU_STREAM_DEFAULT, 0, true);
  context->alive = context->legacy != NULL;
  context->peers = 0;
  return context->alive;
}

/* Everything that lives in the context goes; the work that is queued is dropped. */
static void tear_down(CUcontext context) {
  context->alive = false;
  sim_streams_free_context(context);
  sim_modules_free_context(context);
  context->legacy = NULL;
  sim_events_free_context(context);
  sim_event_tables_free_context(context);
  sim_free_context(context);
}

static CUcontext new_context(CUdevice device, unsigned int flags, unsigned int api_version) {
  CUcontext context = calloc(1, sizeof *context);
  if (!context) return NULL;
  context->device = device;
  /* CU_CTX_USER_COREDUMP_ENABLE (0x40) is reported as CU_CTX_COREDUMP_ENABLE (0x20). */
  context->flags = flags & 0x40 ? (flags & ~0x40u) | 0x20 : flags;
  context->api_version = api_version;
  context->id = sim_next_id();
  /* Shaped like the heap address that the driver puts there. */
  context->token = (sim_own->token & ~0xffffffffull) | ((uint32_t)sim_own->token + (uint32_t)context->id * 0x2a80u);
  context->next = contexts;
  contexts = context;
  return context;
}

static CUresult push(CUcontext context) {
  if (sim_thread.depth == SIM_CONTEXT_DEPTH) return CUDA_ERROR_OUT_OF_MEMORY;
  sim_thread.stack[sim_thread.depth++] = context;
  return CUDA_SUCCESS;
}

static CUcontext known_or_nobody(CUcontext context) {
  sim_lock_take();
  bool known = sim_context_known(context);
  sim_lock_drop();
  return known ? context : &nobody;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  SIM_ENTER(cuDevicePrimaryCtxRetain);
  if (!pctx) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  CUcontext context = primaries[dev];
  if (!context) {
    context = new_context(dev, primary_flags[dev], 3020);
    if (context) context->primary = true;
    primaries[dev] = context;
  }
  if (context && !context->alive) {
    context->flags = primary_flags[dev];
    if (!bring_up(context)) context = NULL;
  }
  if (context) context->retains += 1;
  sim_lock_drop();
  if (!context) return CUDA_ERROR_OUT_OF_MEMORY;
  *pctx = context;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  SIM_ENTER(cuDevicePrimaryCtxRelease_v2);
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  CUcontext context = primaries[dev];
  bool held = context && context->retains > 0;
  if (held && --context->retains == 0 && context->alive) tear_down(context);
  sim_lock_drop();
  return held ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  SIM_ENTER(cuDevicePrimaryCtxReset_v2);
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  CUcontext context = primaries[dev];
  /* The retains stay: each still has its release. */
  if (context && context->alive) tear_down(context);
  sim_lock_drop();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  SIM_ENTER(cuDevicePrimaryCtxSetFlags_v2);
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  if (!flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  primary_flags[dev] = flags;
  if (primaries[dev]) primaries[dev]->flags = flags;
  sim_lock_drop();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  SIM_ENTER(cuDevicePrimaryCtxGetState);
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  *flags = primary_flags[dev];
  *active = primaries[dev] && primaries[dev]->alive;
  sim_lock_drop();
  return CUDA_SUCCESS;
}

static CUresult create(CUcontext *pctx, unsigned int flags, CUdevice dev, unsigned int api_version) {
  if (!pctx || !flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  sim_lock_take();
  CUcontext context = new_context(dev, flags, api_version);
  bool up = context && bring_up(context);
  sim_lock_drop();
  if (!up) return CUDA_ERROR_OUT_OF_MEMORY;
  *pctx = context;
  return push(context);
}

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  SIM_ENTER(cuCtxCreate_v2);
  return create(pctx, flags, dev, 3020);
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                        CUdevice dev) {
  SIM_ENTER(cuCtxCreate_v3);
  if (numParams < 0 || (numParams > 0 && !paramsArray)) return CUDA_ERROR_INVALID_VALUE;
  /* Execution affinity needs MPS. */
  if (numParams > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(pctx, flags, dev, 3020);
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev) {
  SIM_ENTER(cuCtxCreate_v4);
  (void)ctxCreateParams;
  return create(pctx, flags, dev, 3020);
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  SIM_ENTER(cuCtxDestroy_v2);
  if (!ctx) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  CUresult result = CUDA_SUCCESS;
  if (!sim_context_known(ctx) || !ctx->alive) result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  else if (ctx->primary) result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS) {
    /* Waits for the work of the whole process, other contexts' included. */
    for (CUcontext any = contexts; any; any = any->next) sim_streams_wait_context(any);
    if (ctx->alive) tear_down(ctx);
  }
  sim_lock_drop();
  if (result != CUDA_SUCCESS) return result;
  if (sim_thread.depth && sim_thread.stack[sim_thread.depth - 1] == ctx) sim_thread.depth -= 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  SIM_ENTER(cuCtxPushCurrent_v2);
  if (!ctx) return CUDA_ERROR_INVALID_VALUE;
  return push(known_or_nobody(ctx));
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx) {
  SIM_ENTER(cuCtxPopCurrent_v2);
  if (!sim_thread.depth) return CUDA_ERROR_INVALID_CONTEXT;
  sim_thread.depth -= 1;
  if (pctx) *pctx = sim_thread.stack[sim_thread.depth];
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  SIM_ENTER(cuCtxSetCurrent);
  if (!ctx) {
    if (sim_thread.depth) sim_thread.depth -= 1;
    return CUDA_SUCCESS;
  }
  ctx = known_or_nobody(ctx);
  if (!sim_thread.depth) return push(ctx);
  sim_thread.stack[sim_thread.depth - 1] = ctx;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx) {
  SIM_ENTER(cuCtxGetCurrent);
  if (!pctx) return CUDA_ERROR_INVALID_VALUE;
  *pctx = sim_thread.depth ? sim_thread.stack[sim_thread.depth - 1] : NULL;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  SIM_ENTER(cuCtxGetDevice);
  /* Of a destroyed one too. */
  CUcontext context;
  CUresult result = sim_current(&context);
  if (!context) return result;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = context->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags) {
  SIM_ENTER_CONTEXT(cuCtxGetFlags);
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  /* A primary context can always map host memory. */
  *flags = context->flags | (context->primary ? CU_CTX_MAP_HOST : 0);
  return CUDA_SUCCESS;
}

/* NULL stands for the current context. */
static CUresult named_or_current(CUcontext *ctx) {
  if (!*ctx) return sim_current(ctx);
  return known_or_nobody(*ctx)->alive ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
  SIM_ENTER(cuCtxGetId);
  if (!ctxId) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = named_or_current(&ctx);
  if (result == CUDA_SUCCESS) *ctxId = ctx->id;
  return result;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
  SIM_ENTER(cuCtxGetApiVersion);
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = named_or_current(&ctx);
  if (result == CUDA_SUCCESS) *version = ctx->api_version;
  return result;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  SIM_ENTER_CONTEXT(cuCtxGetStreamPriorityRange);
  (void)context;
  if (leastPriority) *leastPriority = 0;
  if (greatestPriority) *greatestPriority = SIM_GREATEST_PRIORITY;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  SIM_ENTER_CONTEXT(cuCtxSynchronize);
  sim_lock_take();
  sim_streams_wait_context(context);
  sim_pools_synchronised(context, 0);
  sim_lock_drop();
  return CUDA_SUCCESS;
}
