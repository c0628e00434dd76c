/** The CUDA driver API for the layers above: load a driver, call it, and understand what it answers. */
export * from './constants';
export type { CallArgument } from './declare';
export { type Cuda, type CudaCalls, openCuda } from './driver';
export { hintFor } from './hints';
export type { Situation } from './hints/rule';
export { type LoadOptions, loadDriver, realLibraryName } from './load';
export { decodePointerAttribute, pointerAttributeText } from './pointer-attributes';
export * from './results';
export * from './types';
