/**
 * What the bytes of a handle mean. The layout is observed and not documented, so before anything is decoded it is held
 * against handles that this process makes itself and knows everything about.
 */
import type { HandleAnatomy } from '#contract/handle-anatomy';
import {
  eventFields,
  eventLayoutProblems,
  guessHandleKind,
  looksLikeEventHandle,
  looksLikeMemoryHandle,
  memoryFields,
  memoryLayoutProblems,
} from '#contract/handle-layout';
import type { InternalCalls } from '#contract/host-protocol';
import { type DevicePtr, PointerAttribute } from '#native/cuda/index';
import type { HostState } from './host-state';

/** What was found out about the layouts with this driver. */
interface Check {
  readonly handles: number;
  /** Empty when the layout holds. */
  readonly memoryProblems: readonly string[];
  readonly eventProblems: readonly string[];
}

const OBSERVED_ON = '580.159.04';

/** Two small neighbours (a block is shared, offsets differ), and one that has a block of its own. */
const PROBE_BYTES = [4096, 4096, 4 * 1024 * 1024];

export class Anatomy {
  private checking: Promise<Check> | undefined;

  constructor(private readonly host: HostState) {}

  async of({ handle, kind }: InternalCalls['handles.anatomy']['args']): Promise<HandleAnatomy> {
    const guessed = guessHandleKind(handle);
    const is = kind ?? guessed;
    if (is === 'unknown') {
      return opaque('unknown', 'These bytes follow neither the layout of a memory handle nor that of an event handle.');
    }
    const { handles, memoryProblems, eventProblems } = await this.check();
    const problems = is === 'memory' ? memoryProblems : eventProblems;
    if (problems.length > 0) {
      return opaque(
        is,
        `This driver lays its handles out differently (${problems[0]}), so their bytes are not decoded.`,
      );
    }
    if (!(is === 'memory' ? looksLikeMemoryHandle(handle) : looksLikeEventHandle(handle))) {
      return opaque(is, 'This handle does not follow the layout that the handles of this app have here.');
    }
    const fields = is === 'memory' ? memoryFields(handle) : eventFields(handle);
    return { kind: is, checked: true, note: this.note(handles), fields };
  }

  /** Whether both layouts hold with this driver. */
  async layoutHolds(): Promise<boolean> {
    const { memoryProblems, eventProblems } = await this.check();
    return memoryProblems.length === 0 && eventProblems.length === 0;
  }

  private note(handles: number): string {
    const { kind, release } = this.host.session.info;
    const where =
      kind === 'simulator'
        ? `Observed on driver ${OBSERVED_ON} and simulated here, not documented.`
        : `Observed on driver ${release ?? OBSERVED_ON}, not documented.`;
    return `${where} Checked against ${handles} handles of this app.`;
  }

  /** Once for each host; a check that failed on the way is made again by the next call. */
  private check(): Promise<Check> {
    this.checking ??= this.probe().catch((thrown: unknown) => {
      this.checking = undefined;
      throw thrown;
    });
    return this.checking;
  }

  /** Makes handles, compares them with what is known, and frees everything again. */
  private async probe(): Promise<Check> {
    const { session, delays } = this.host;
    const device = session.devicesInUse[0] ?? 0;
    session.use(device);
    await delays.settled(device);
    session.use(device);
    const pointers: DevicePtr[] = [];
    const memoryProblems: string[] = [];
    const eventProblems: string[] = [];
    try {
      for (const bytes of PROBE_BYTES) {
        const about = { args: `probe of the handle layout, ${bytes} B` };
        const pointer = session.call(about, (cuda) => cuda.memAlloc(bytes));
        pointers.push(pointer);
        const handle = session.call(about, (cuda) => cuda.ipcGetMemHandle(pointer));
        memoryProblems.push(
          ...memoryLayoutProblems(handle, { pid: process.pid, allocationBytes: bytes, ...this.block(pointer) }),
        );
      }
      const event = session.call({ args: 'probe of the handle layout' }, (cuda) => cuda.eventCreate(6));
      try {
        const handle = session.call({ args: 'probe of the handle layout' }, (cuda) => cuda.ipcGetEventHandle(event));
        eventProblems.push(...eventLayoutProblems(handle, process.pid));
      } finally {
        session.call({ args: 'probe of the handle layout' }, (cuda) => cuda.eventDestroy(event));
      }
    } finally {
      for (const pointer of pointers) {
        session.call({ args: 'probe of the handle layout' }, (cuda) => cuda.memFree(pointer));
      }
    }
    return { handles: PROBE_BYTES.length + 1, memoryProblems, eventProblems };
  }

  /** The driver block around a probe; nothing when this driver does not know these attributes. */
  private block(pointer: DevicePtr): { blockBytes?: number; offsetInBlock?: number } {
    const ask = (attribute: number): bigint =>
      this.host.session.call({ args: 'probe of the handle layout' }, (cuda) =>
        cuda.pointerGetAttribute(attribute, pointer),
      );
    try {
      const blockBytes = Number(ask(PointerAttribute.MAPPING_SIZE));
      return { blockBytes, offsetInBlock: Number(pointer - ask(PointerAttribute.MAPPING_BASE_ADDR)) };
    } catch {
      return {};
    }
  }
}

function opaque(kind: HandleAnatomy['kind'], note: string): HandleAnatomy {
  return {
    kind,
    checked: false,
    note,
    fields: [{ name: 'opaque', offset: 0, length: 64, value: null, kind: 'unknown', bytes: null }],
  };
}
