/** The CUDA driver API for the layers above: load a driver, call it, and understand what it answers. */
export * from './constants';
export type { CallArgument, CallObserver, HandleByValue } from './declare';
export { type Cuda, type CudaCalls, driverError, openCuda, parameterNames, versionText } from './driver';
export { hintFor, type Situation } from './hints';
export { type LoadedDriver, type LoadOptions, loadDriver, OLDEST_CUDA, realLibraryName } from './load';
export { decodePointerAttribute, pointerAttributeText } from './pointer-attributes';
export { kernelDriverRelease } from './release';
export * from './results';
export * from './types';
