/* Summaries of slices, and samples. */
#include "summary.cuh"
