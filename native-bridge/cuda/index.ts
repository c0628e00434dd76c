/** The CUDA driver API for the layers above: load a driver, call it, and understand what it answers. */
export * from './constants';
export type { CallArgument, CallObserver, HandleByValue } from './declare';
export { type Cuda, type CudaCalls, driverError, openCuda } from './driver';
export { hintFor, type Situation } from './hints';
export { type LoadedDriver, type LoadOptions, loadDriver, realLibraryName } from './load';
export { decodePointerAttribute, pointerAttributeText } from './pointer-attributes';
export * from './results';
export * from './types';
