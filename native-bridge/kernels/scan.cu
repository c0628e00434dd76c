/* Compare and search. */
#include "scan.cuh"
