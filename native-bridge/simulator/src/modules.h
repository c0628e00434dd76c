/*
 * Modules and the kernels in them. The simulator has no compiler: it reads the names of the entries out of the PTX text,
 * and runs those of this project's own modules with C of its own (kernels.h).
 */
#ifndef GPU_IPC_SIM_MODULES_H
#define GPU_IPC_SIM_MODULES_H

#include "contexts.h"
#include "sim.h"

struct CUfunc_st {
  CUmodule module;
  char *name;
  size_t parameters;
  /** `.maxntid`, or 1024. */
  unsigned int most_threads;
  /** NULL where the simulator cannot run it. */
  const struct sim_kernel *kernel;
};

struct CUmod_st {
  CUcontext context;
  struct CUfunc_st *functions;
  size_t count;
  CUmodule next;
};

/** Whether a caller's pointer is a kernel of a module that is loaded. Holds sim_lock. */
bool sim_function_known(CUfunction function);
/** Holds sim_lock. */
void sim_modules_free_context(CUcontext context);

#endif
