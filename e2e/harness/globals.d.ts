/** What the preload puts into every window of the app. */
interface Window {
  readonly gpuIpc: import('#contract/api').GpuIpcApi;
}
