/** NVIDIA's object layer over its bindings: pools and events, nothing else. */
import type { Library } from '#contract/snippets/library';
import type { Plan } from '#contract/snippets/plan';
import { blocks, definitions, indent, lines } from '#contract/snippets/text';
import { checkAnswer } from './cuda-python';
import {
  copyDescriptor,
  eventOpening,
  exportConstants,
  importConstants,
  LINUX,
  opening,
  printing,
  waiting,
} from './shared';

const HOW = "with NVIDIA's cuda.core";

const findDevice = `
def find_device(wanted):
    """By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES)."""
    check(driver.cuInit(0))
    for ordinal in range(check(driver.cuDeviceGetCount())):
        if wanted.lower().endswith(Device(ordinal).uuid.lower().removeprefix("gpu-")):
            return Device(ordinal)
    raise SystemExit(f"{wanted} is not here, or CUDA_VISIBLE_DEVICES hides it")`;

const ask = `
def shared(owner, name):
    """A property since cuda.core 1.0, and a method get_… before."""
    return getattr(owner, name) if hasattr(owner, name) else getattr(owner, f"get_{name}")()`;

const payload = (of: string) => `${of}.__reduce__()[1][0]`;

const start = `
device = find_device(DEVICE)
device.set_current()
stream = device.default_stream`;

const waitFor = (handle: string): string =>
  lines(
    '# A descriptor is meant to come by pickle: there is no public way to make one of 64 bytes.',
    `event = Event.from_ipc_descriptor(IPCEventDescriptor._init(${handle}, False))`,
    waiting('not event.is_done'),
    "event.close()  # only this process's view of it",
  );

function importer(plan: Plan): string {
  const { mechanism, event, first } = plan;
  const isEvent = mechanism === 'event';
  const waits = isEvent || event !== undefined;
  const head = blocks(
    (isEvent ? eventOpening : opening)(plan, 'importer', HOW),
    lines(!isEvent && 'import ctypes as c', !isEvent && 'import os', waits && 'import time'),
    lines(
      'from cuda.bindings import driver',
      `from cuda.core import ${[...(isEvent ? [] : ['Buffer']), 'Device', ...(isEvent ? [] : ['DeviceMemoryResource']), ...(waits ? ['Event'] : [])].join(', ')}`,
      waits && 'from cuda.core._event import IPCEventDescriptor',
      !isEvent && 'from cuda.core._memory._ipc import IPCBufferDescriptor',
    ),
    importConstants(plan),
    definitions(checkAnswer, !isEvent && copyDescriptor, findDevice, start),
  );
  if (isEvent) return blocks(head, waitFor('HANDLE'), 'print("event: ready")');
  return blocks(
    head,
    `
descriptor = copy_descriptor(EXPORTER, POOL)
resource = DeviceMemoryResource.from_allocation_handle(device, descriptor)
os.close(descriptor)  # cuda.core takes a copy
# A descriptor is meant to come by pickle: there is no public way to make one of 64 bytes.
pointer = IPCBufferDescriptor._init(HANDLE, OFFSET + SIZE)
buffer = Buffer.from_ipc_descriptor(resource, pointer, stream=stream)`,
    lines(
      'try:',
      indent(
        lines(
          event !== undefined && waitFor('EVENT'),
          `
first = bytearray(${first})
check(driver.cuMemcpyDtoH(first, int(buffer.handle) + OFFSET, len(first)))
print("first bytes:", first.hex(" "))`,
        ),
      ),
      'finally:',
      indent(
        lines(
          'buffer.close(stream)  # before the exporter frees it; and first the buffer, then the pool',
          'stream.sync()',
          'resource.close()',
        ),
      ),
    ),
  );
}

const recorded = `
event = stream.record(options=EventOptions(ipc_enabled=True))  # ready when everything before it is done
ready = ${payload('shared(event, "ipc_descriptor")')}`;

function exporter(plan: Plan): string {
  const isEvent = plan.mechanism === 'event';
  const shares = isEvent || plan.event !== undefined;
  const names = [
    'Device',
    ...(isEvent ? [] : ['DeviceMemoryResource', 'DeviceMemoryResourceOptions']),
    ...(shares ? ['EventOptions'] : []),
  ];
  const head = blocks(
    (isEvent ? eventOpening : opening)(plan, 'exporter', HOW),
    lines('import json', 'import os', 'import sys'),
    lines('from cuda.bindings import driver', `from cuda.core import ${names.join(', ')}`),
    exportConstants(plan),
    definitions(checkAnswer, findDevice, ask, start),
  );
  if (isEvent) return blocks(head, recorded, printing(plan, { handle: 'ready.hex()' }), 'event.close()');
  return blocks(
    head,
    lines(
      `
resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
buffer = resource.allocate(SIZE, stream=stream)
stream.sync()  # an importer may not come before the allocation is done
check(driver.cuMemsetD8(int(buffer.handle), 0, SIZE))
check(driver.cuMemcpyHtoD(int(buffer.handle), PATTERN, len(PATTERN)))`,
      shares ? recorded : 'device.sync()  # an importer sees what is finished: wait here, or share an event as well',
      `
descriptor = int(shared(resource, "allocation_handle"))
# The 64 bytes are what it pickles: nothing public gives them.
handle = ${payload('shared(buffer, "ipc_descriptor")')}`,
    ),
    printing(plan, {
      handle: 'handle.hex()',
      descriptors: '[{"fd": descriptor, "bytes": None}]',
      allocationSize: 'SIZE',
      ...(shares ? { event: 'ready.hex()' } : {}),
    }),
    lines(
      '# After the importers have freed theirs.',
      shares && 'event.close()',
      'buffer.close(stream)',
      'stream.sync()',
      'resource.close()',
    ),
  );
}

export const cudaCore: Library = {
  language: 'python',
  library: 'cuda-core',
  name: 'cuda.core',
  cannot: (mechanism) => {
    switch (mechanism) {
      case 'legacy':
        return 'cuda.core shares memory pools and events only: it does not open the legacy handles of cuIpcGetMemHandle. CUDA Python (cuda.bindings) does.';
      case 'virtual':
        return 'cuda.core can make virtual memory that others could import, but has no call that exports or imports it. CUDA Python (cuda.bindings) has.';
      case 'fabric':
        return 'cuda.core imports pools by file descriptor, not by fabric handle. CUDA Python (cuda.bindings) does both.';
      default:
        return undefined;
    }
  },
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    requires: [LINUX, 'Python 3.10 or newer', 'cuda-core 0.5 or newer (pip install cuda-core)'],
    notes: [
      'cuda.core hides the 64 bytes: the code uses two of its private names, which may change.',
      ...(plan.mechanism === 'event'
        ? []
        : ['A Buffer has bytes, no element type: for an array, hand it to a library through DLPack.']),
    ],
  }),
};
