/* One statistics kernel: a module each, because a driver compiles what it loads, and mostly one is needed. */
#include "statistics.cuh"

STATISTICS(WB_KERNEL, WB_TYPE)
