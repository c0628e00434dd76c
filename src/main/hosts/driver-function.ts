/** The driver function that a request spends its time in: for a host that hangs without having named it. */
import type { HostRequest } from '#contract/host-protocol';

const functions: Readonly<Record<HostRequest['name'], string>> = {
  'devices.list': 'cuDeviceGetAttribute',
  'buffers.create': 'cuMemAlloc_v2',
  'buffers.write': 'cuMemcpyHtoD_v2',
  'buffers.fill': 'cuMemcpyHtoD_v2',
  'buffers.animate': 'cuMemcpyHtoD_v2',
  'buffers.export': 'cuIpcGetMemHandle',
  'buffers.free': 'cuMemFree_v2',
  'imports.open': 'cuIpcOpenMemHandle_v2',
  'imports.close': 'cuIpcCloseMemHandle',
  'memory.read': 'cuMemcpyDtoH_v2',
  'memory.attributes': 'cuPointerGetAttribute',
  'events.create': 'cuEventCreate',
  'events.export': 'cuIpcGetEventHandle',
  'events.open': 'cuIpcOpenEventHandle',
  'events.record': 'cuEventRecord',
  'events.query': 'cuEventQuery',
  'events.wait': 'cuEventQuery',
  'events.cancelWait': 'cuEventQuery',
  'events.destroy': 'cuEventDestroy_v2',
  'handles.anatomy': 'cuIpcGetMemHandle',
};

export const driverFunctionOf = (request: HostRequest['name']): string => functions[request];
