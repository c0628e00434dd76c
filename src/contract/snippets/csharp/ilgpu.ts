/** ILGPU: the driver's legacy handles. */
import type { Library } from '#contract/snippets/library';
import type { Plan } from '#contract/snippets/plan';
import { blocks, indent, lines } from '#contract/snippets/text';
import {
  DOTNET,
  elementNotes,
  elementType,
  exportConstants,
  importConstants,
  NOT_RUN,
  notHere,
  opening,
  printFirst,
  printing,
  uuidMembers,
} from './shared';

const HOW = 'with ILGPU';

const usings = (...more: string[]) =>
  lines(
    ...[...more, 'System', 'System.Runtime.InteropServices'].sort().map((name) => `using ${name};`),
    'using ILGPU;',
    'using ILGPU.Runtime;',
    'using ILGPU.Runtime.Cuda;',
  );

const start = `
using var context = Context.Create(builder => builder.Cuda());
CudaDevice? device = null;
foreach (var each in context.GetCudaDevices())
{
    if (Driver.IsDevice(each.DeviceId, DeviceUuid)) device = each;
}
if (device == null) ${notHere};
using CudaAccelerator accelerator = device.CreateCudaAccelerator(context);`;

const driverClass = lines('static class Driver', '{', indent(uuidMembers.trim()), '}');

function importer(plan: Plan): string {
  const type = elementType(plan);
  return blocks(
    opening(plan, 'importer', HOW),
    usings('System.Linq'),
    importConstants(plan).replace(/const string Event[^;]*;\n?/, ''),
    start,
    lines(
      `
var handle = new CudaIpcMemHandle(Convert.FromHexString(Handle));
// From the start of the allocation to the end of the data. The flag is the only one that the driver takes; disposing
// takes one reference off, and the exporter keeps its memory.
using (MemoryBuffer memory = accelerator.MapFromIpcMemHandle(
    handle, Offset + Size, sizeof(byte), CudaIpcMemFlags.LazyEnablePeerAccess))
{`,
      indent(
        lines(
          plan.event !== undefined &&
            '// ILGPU cannot wait for the event of the descriptor: make sure that the data have been written.',
          'ArrayView<byte> data = memory.AsRawArrayView(Offset, Size);',
          type !== undefined &&
            type !== 'byte' &&
            `ArrayView<${type}> elements = data.Cast<${type}>();  // for a kernel`,
          `var first = new byte[${plan.first}];
data.SubView(0, first.Length).CopyToCPU(first);
${printFirst}`,
        ),
      ),
      '}',
    ),
    driverClass,
  );
}

const exporter = (plan: Plan): string =>
  blocks(
    opening(plan, 'exporter', HOW),
    usings('System.IO', 'System.Text.Json'),
    exportConstants(plan),
    start,
    lines(
      `
using var buffer = accelerator.Allocate1D<byte>(Room);
CudaIpcMemHandle handle = accelerator.GetIpcMemoryHandle(buffer);
// Filled after that: ILGPU says that taking the handle may clear the memory.
var data = new byte[Room];
for (var i = 0; i < Math.Min(Size, 256); i++) data[i] = (byte)i;  // 00 01 02 …, then zeros
buffer.CopyFromCPU(data);
accelerator.Synchronize();  // an importer sees what is finished`,
    ),
    printing(plan, { handle: 'Convert.ToHexString(handle).ToLowerInvariant()', allocationSize: 'Room' }),
    driverClass,
  );

const only = 'ILGPU knows the legacy handles of memory only (CudaIpcMemHandle)';

export const ilgpu: Library = {
  language: 'csharp',
  library: 'ilgpu',
  name: 'ILGPU',
  cannot: (mechanism) => {
    switch (mechanism) {
      case 'pool':
        return `${only}: it has no memory pools that can be exported or imported.`;
      case 'virtual':
        return `${only}: it has no calls for virtual memory.`;
      case 'fabric':
        return `${only}: it has no calls for fabric handles.`;
      case 'event':
        return `${only}: it can neither export nor open an event.`;
      default:
        return undefined;
    }
  },
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    requires: ['Linux', DOTNET, 'An ILGPU that has CudaIpcMemHandle (2024 and newer: dotnet add package ILGPU)'],
    notes: [
      NOT_RUN,
      ...elementNotes(plan),
      ...(plan.event === undefined
        ? []
        : ['ILGPU knows no interprocess events: the event of the descriptor is left out.']),
    ],
  }),
};
