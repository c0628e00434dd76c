/**
 * Driver functions that are called over and over by reading, following, animating and waiting. Equal calls of them fold
 * into one record of the log also when several kinds alternate; of other functions only when nothing came between.
 */
export const repeatingCalls: ReadonlySet<string> = new Set([
  'cuMemcpyDtoH_v2',
  'cuMemcpyDtoHAsync_v2',
  'cuMemcpyHtoD_v2',
  'cuMemcpyDtoD_v2',
  'cuMemsetD8_v2',
  'cuMemsetD16_v2',
  'cuMemsetD32_v2',
  'cuStreamSynchronize',
  'cuEventQuery',
  'cuEventRecord',
  'cuStreamQuery',
  'cuMemGetInfo_v2',
  'cuMemHostRegister_v2',
  'cuMemHostUnregister',
  'cuCtxSetCurrent',
]);

/** How many kinds of repeating calls of one process may alternate and still fold. */
export const FOLD_REACH = 6;
