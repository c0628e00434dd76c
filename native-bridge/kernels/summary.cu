/* Summaries of slices. */
#include "summary.cuh"
