/** managedCuda: the driver's calls, nearly one to one. */
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

const HOW = 'with managedCuda';

const usings = (...more: string[]) =>
  lines(
    ...[...more, 'System', 'System.Linq', 'System.Runtime.InteropServices'].sort().map((name) => `using ${name};`),
    'using ManagedCuda;',
    'using ManagedCuda.BasicTypes;',
    'using static ManagedCuda.DriverAPINativeMethods;',
  );

const start = `
var ordinal = Enumerable.Range(0, CudaContext.GetDeviceCount()).Where(each => Driver.IsDevice(each, DeviceUuid))
    .Select(each => (int?)each).FirstOrDefault() ?? ${notHere};
using var context = new PrimaryContext(ordinal);  // the one that the runtime and all libraries use
context.SetCurrent();`;

const checkMember = `
/// <summary>Raises every result but Success.</summary>
public static void Check(CUResult result)
{
    if (result != CUResult.Success) throw new CudaException(result);
}`;

const waitMember = `
/// <summary>Opens an event and waits until it is ready.</summary>
public static void WaitFor(string handle)
{
    var shared = new CUipcEventHandle { reserved = Convert.FromHexString(handle) };
    var opened = new CUevent();
    Check(DeviceManagement.cuIpcOpenEventHandle(ref opened, shared));
    // Asked again and again, not waited for: the event of an exporter that was killed is never ready.
    var deadline = DateTime.UtcNow.AddSeconds(10);
    while (Events.cuEventQuery(opened) == CUResult.ErrorNotReady)
    {
        if (DateTime.UtcNow > deadline) throw new TimeoutException("the exporter has not recorded its event");
        Thread.Sleep(1);
    }
    Check(Events.cuEventQuery(opened));  // raises anything else that it says
    Check(Events.cuEventDestroy_v2(opened));  // only this process's view of it
}`;

const copyMember = `
[DllImport("libc", SetLastError = true)]
static extern long syscall(long number, long first, long second, long third);

[DllImport("libc")]
public static extern int close(int descriptor);

/// <summary>Another process's file descriptor as one of this process; the number alone means nothing here.</summary>
public static int CopyDescriptor(int pid, int number)
{
    // Linux 5.6; the same user and the right to ptrace (Yama, containers). Else let the exporter send it (SCM_RIGHTS).
    var process = syscall(434, pid, 0, 0);  // pidfd_open
    var copied = process < 0 ? -1 : syscall(438, process, number, 0);  // pidfd_getfd
    if (copied < 0) throw new InvalidOperationException($"pidfd_getfd: error {Marshal.GetLastPInvokeError()}");
    close((int)process);
    return (int)copied;
}`;

const driverClass = (...members: (string | false)[]): string =>
  lines('static class Driver', '{', indent(blocks(...members)), '}');

const reading = (plan: Plan): string => {
  const type = elementType(plan);
  return lines(
    plan.event !== undefined && 'Driver.WaitFor(Event);',
    type !== undefined &&
      type !== 'byte' &&
      `var elements = new CudaDeviceVariable<${type}>(start + (SizeT)Offset, false, (SizeT)(Size / sizeof(${type}) * sizeof(${type})));  // a view, for a kernel`,
    `var first = new byte[${plan.first}];
new CudaDeviceVariable<byte>(start + (SizeT)Offset, false, (SizeT)first.Length).CopyToHost(first);
${printFirst}`,
  );
};

function importer(plan: Plan): string {
  const { mechanism, event } = plan;
  const waits = mechanism === 'event' || event !== undefined;
  const head = blocks(
    opening(plan, 'importer', HOW),
    usings(...(waits ? ['System.Threading'] : [])),
    importConstants(plan),
    start,
  );
  const members = [uuidMembers, checkMember, waits && waitMember, mechanism === 'pool' && copyMember];
  switch (mechanism) {
    case 'legacy':
      return blocks(
        head,
        `
var start = new CUdeviceptr();
var handle = new CUipcMemHandle { reserved = Convert.FromHexString(Handle) };
// The flag 1, LAZY_ENABLE_PEER_ACCESS, is the only one that the driver takes.
Driver.Check(DeviceManagement.cuIpcOpenMemHandle(ref start, handle, 1));`,
        lines(
          'try',
          '{',
          indent(reading(plan)),
          '}',
          'finally',
          '{',
          '    // One reference less; the exporter keeps its memory.',
          '    Driver.Check(DeviceManagement.cuIpcCloseMemHandle(start));',
          '}',
        ),
        driverClass(...members),
      );
    case 'pool':
      return blocks(
        head,
        `
var copied = Driver.CopyDescriptor(Exporter, Pool);
// Type 1, POSIX_FILE_DESCRIPTOR: the number itself takes the place of a pointer.
using var pool = new CudaMemoryPool(new IntPtr(copied), (CUmemAllocationHandleType)1, 0);
Driver.close(copied);  // the pool has its own now
var pinned = GCHandle.Alloc(Convert.FromHexString(Handle), GCHandleType.Pinned);
var shared = Marshal.PtrToStructure<CUmemPoolPtrExportData>(pinned.AddrOfPinnedObject());
pinned.Free();
// For use on another device, pool.SetAccess comes first.
var start = pool.ImportPointer<byte>(shared).DevicePointer;`,
        lines(
          'try',
          '{',
          indent(reading(plan)),
          '}',
          'finally',
          '{',
          '    // Before the exporter frees it; and first the pointer, then the pool.',
          '    Driver.Check(MemoryManagement.cuMemFree_v2(start));',
          '}',
        ),
        driverClass(...members),
      );
    default:
      return blocks(
        head,
        lines('Driver.WaitFor(Handle);', 'Console.WriteLine("event: ready");'),
        driverClass(...members),
      );
  }
}

const recorded = `
using var ready = new CudaEvent((CUEventFlags)6);  // INTERPROCESS (4), which needs DISABLE_TIMING (2)
ready.Record();  // ready when everything before it is done
var readyHandle = new CUipcEventHandle();
Driver.Check(DeviceManagement.cuIpcGetEventHandle(ref readyHandle, ready.Event));`;

const hexOf = (name: string) => `Convert.ToHexString(${name}.reserved).ToLowerInvariant()`;

function exporter(plan: Plan): string {
  const isEvent = plan.mechanism === 'event';
  const shares = plan.event !== undefined;
  const head = blocks(
    opening(plan, 'exporter', HOW),
    usings('System.IO', 'System.Text.Json'),
    exportConstants(plan),
    start,
  );
  if (isEvent) {
    return blocks(
      head,
      recorded,
      printing(plan, { handle: hexOf('readyHandle') }),
      driverClass(uuidMembers, checkMember),
    );
  }
  return blocks(
    head,
    lines(
      `
using var memory = new CudaDeviceVariable<byte>((SizeT)Room);
memory.Memset((byte)0);
var pattern = Enumerable.Range(0, (int)Math.Min(Size, 256)).Select(each => (byte)each).ToArray();  // 00 01 02 …, then zeros
memory.CopyToDevice(pattern);`,
      shares
        ? recorded
        : 'context.Synchronize();  // an importer sees what is finished: wait here, or share an event as well',
      `
var handle = new CUipcMemHandle();
Driver.Check(DeviceManagement.cuIpcGetMemHandle(ref handle, memory.DevicePointer));`,
    ),
    printing(plan, {
      handle: hexOf('handle'),
      allocationSize: 'Room',
      ...(shares ? { event: hexOf('readyHandle') } : {}),
    }),
    driverClass(uuidMembers, checkMember),
  );
}

const notWritten = (calls: string) =>
  `managedCuda has the calls (${calls}), but this app writes no code for them: none of it could be run anywhere. CUDA Python and C++ are there.`;

export const managedCuda: Library = {
  language: 'csharp',
  library: 'managedcuda',
  name: 'managedCuda',
  cannot: (mechanism, side) => {
    switch (mechanism) {
      case 'pool':
        return side === 'exporter' ? notWritten('CudaMemoryPool.ExportToShareableHandle') : undefined;
      case 'virtual':
      case 'fabric':
        return notWritten('cuMemImportFromShareableHandle, cuMemMap');
      default:
        return undefined;
    }
  },
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    requires: ['Linux', DOTNET, 'managedCuda 11 or newer (dotnet add package ManagedCuda-12)'],
    notes: [NOT_RUN, ...(plan.mechanism === 'event' ? [] : elementNotes(plan))],
  }),
};
