/** Asks the driver about memory of this process and puts the answers together as a verdict. */
import type { Verdict } from '#contract/calls/sharing';
import type { Sharing } from '#contract/devices';
import type { Chunk } from '#contract/records';
import { GpuIpcError } from '#contract/result';
import type { TrialCalls } from '#contract/trial-protocol';
import {
  asDevicePtr,
  type DevicePtr,
  decodePointerAttribute,
  offsetBy,
  PointerAttribute,
  type PointerAttributeName,
  pointerAttributeText,
  toAddress,
} from '#native/cuda/index';
import type { HostState } from '../host-state';
import { notFound } from '../problems';
import { blockAround, type Placed, type Stretch } from './block';
import type { Attributes, MemoryFacts, PieceFacts } from './facts';
import { verdictOf, verdictOfNothing } from './verdict';

type Args = TrialCalls['sharing.verdict']['args'];
type Fact = Verdict['facts'][number];

/** Memory that is asked about, as far as the records of this process have it. */
interface Known {
  readonly record: MemoryFacts['record'];
  readonly objectId: string | null;
  readonly label: string;
  readonly device: number;
  /** Where the whole of it begins. */
  readonly pointer: DevicePtr;
  /** What it is known by: of a mapping the view. */
  readonly address: string;
  readonly bytes: number | undefined;
  readonly chunks: readonly Chunk[] | undefined;
}

/**
 * @param sharingOf what a device can share, by its ordinal
 * @throws GpuIpcError `not-found` for an id that this process never had
 */
export function askVerdict(host: HostState, sharingOf: (device: number) => Sharing, args: Args): Verdict {
  const found = args.id === undefined ? at(host, BigInt(args.address ?? '0x0')) : byId(host, args.id);
  const subject = { label: found.label, objectId: found.objectId, peerId: host.peerId };
  if ('why' in found) {
    const { subject: nothing, mechanisms } = verdictOfNothing(found.why);
    return {
      subject: { ...nothing, ...subject, address: found.address, range: null },
      mechanisms,
      block: null,
      facts: [],
    };
  }
  const asked = new Questions(host, found);
  const pieces = asked.pieces();
  const address = args.address ?? found.address;
  if (pieces.length === 0 && found.record === undefined) {
    const { subject: nothing, mechanisms } = verdictOfNothing('The driver knows no memory at this address.');
    const where = { address, range: null };
    return { subject: { ...nothing, ...subject, ...where }, mechanisms, block: null, facts: asked.facts };
  }
  const range = asked.range();
  const facts: MemoryFacts = {
    record: found.record,
    pieces,
    inDefaultPool: asked.inDefaultPool(pieces[0]),
    bytes: found.bytes ?? range?.bytes,
    sharing: sharingOf(deviceOf(pieces[0], found.device)),
  };
  const { subject: kind, mechanisms } = verdictOf(facts);
  const rangeAnswer = range && { address: toAddress(range.start), bytes: range.bytes };
  return {
    subject: { ...kind, ...subject, address, range: rangeAnswer ?? null },
    mechanisms,
    block: blockOf(host, found, pieces[0], range),
    facts: asked.facts,
  };
}

interface Nothing {
  readonly why: string;
  readonly objectId: string | null;
  readonly label: string;
  readonly address: string;
}

function byId(host: HostState, id: string): Known | Nothing {
  const { allocations, mappings } = host.objects;
  const own = allocations.get(id);
  if (own) {
    const { label, address, state } = own.record;
    return state === 'live' ? ofAllocation(own) : { why: `${label} was freed.`, objectId: id, label, address };
  }
  const mapping = mappings.get(id);
  if (!mapping) throw notFound('buffer or mapping', id);
  const { label, address, state } = mapping.record;
  return state === 'open'
    ? ofMapping(mapping)
    : { why: `The mapping of ${label} was closed.`, objectId: id, label, address };
}

type Allocation = HostState['objects']['allocations'] extends Map<string, infer T> ? T : never;
type Mapping = HostState['objects']['mappings'] extends Map<string, infer T> ? T : never;

const ofAllocation = ({ record, pointer }: Allocation): Known => ({
  record: { kind: record.memory },
  objectId: record.id,
  label: record.label,
  device: record.device,
  pointer,
  address: record.address,
  bytes: record.bytes,
  chunks: record.chunks,
});

const ofMapping = ({ record, base }: Mapping): Known => ({
  record: { imported: record.mechanism },
  objectId: record.id,
  label: record.label,
  device: record.device,
  pointer: base,
  address: record.address,
  bytes: record.allocationBytes,
  chunks: record.chunks,
});

/** What lies at an address; the driver is asked also where the records have nothing. */
function at(host: HostState, address: bigint): Known | Nothing {
  if (address === 0n) return { why: 'This is the null address.', objectId: null, label: '', address: '0x0' };
  const { allocations, mappings } = host.objects;
  const holds = ({ pointer, bytes = 0 }: Known) => address >= pointer && address < pointer + BigInt(bytes);
  for (const own of allocations.values()) {
    if (own.record.state === 'live' && holds(ofAllocation(own))) return ofAllocation(own);
  }
  for (const mapping of mappings.values()) {
    if (mapping.record.state === 'open' && holds(ofMapping(mapping))) return ofMapping(mapping);
  }
  return {
    record: undefined,
    objectId: null,
    label: '',
    device: host.session.devicesInUse[0] ?? 0,
    pointer: asDevicePtr(address),
    address: toAddress(address),
    bytes: undefined,
    chunks: undefined,
  };
}

/** The device that the driver names; a negative one is the CPU. */
function deviceOf(piece: PieceFacts | undefined, otherwise: number): number {
  const ordinal = Number(piece?.attributes.DEVICE_ORDINAL ?? otherwise);
  return ordinal < 0 ? otherwise : ordinal;
}

/** The driver calls of one verdict, and what each answered. */
class Questions {
  readonly facts: Fact[] = [];

  constructor(
    private readonly host: HostState,
    private readonly of: Known,
  ) {
    host.session.use(of.device);
  }

  /** Each piece that is shared by itself. */
  pieces(): PieceFacts[] {
    const { pointer, chunks } = this.of;
    if (chunks === undefined) {
      const piece = this.piece(pointer, '');
      return piece === undefined ? [] : [piece];
    }
    return [...chunks]
      .sort((a, b) => a.offset - b.offset)
      .flatMap(({ offset }, index) => {
        const piece = this.piece(offsetBy(pointer, offset), index === 0 ? '' : ` at + ${offset}`);
        return piece === undefined ? [] : [piece];
      });
  }

  /** cuMemGetAddressRange_v2 */
  range(): Stretch | undefined {
    let range: { readonly base: DevicePtr; readonly bytes: number } | undefined;
    const result = resultOf(() => {
      range = this.host.session.call(this.about('range'), (cuda) => cuda.memGetAddressRange(this.of.pointer));
    });
    const name = 'cuMemGetAddressRange_v2';
    if (range === undefined) {
      this.facts.push({ name, value: null, result: result === 'CUDA_SUCCESS' ? 'CUDA_ERROR_NOT_FOUND' : result });
      return undefined;
    }
    this.facts.push({ name, value: `${toAddress(range.base)}, ${range.bytes}`, result });
    return { start: range.base, bytes: range.bytes };
  }

  /** Whether the pool of a piece is the default one of its device. */
  inDefaultPool(piece: PieceFacts | undefined): boolean | null {
    const pool = piece?.attributes.MEMPOOL_HANDLE;
    if (pool === undefined || pool === 0n) return null;
    let standard: bigint | undefined;
    resultOf(() => {
      const device = this.host.session.device(deviceOf(piece, this.of.device));
      standard = this.host.session.call(this.about('default pool'), (cuda) => cuda.deviceGetDefaultMemPool(device));
    });
    return standard === undefined ? null : standard === pool;
  }

  private piece(pointer: DevicePtr, suffix: string): PieceFacts | undefined {
    const attributes = this.attributes(pointer, suffix);
    if (attributes.MEMORY_TYPE === undefined) return undefined;
    return { attributes, retained: this.retained(pointer, suffix) };
  }

  private attributes(pointer: DevicePtr, suffix: string): Attributes {
    const names = Object.keys(PointerAttribute) as PointerAttributeName[];
    const found: Partial<Record<PointerAttributeName, number | bigint>> = {};
    const note = (calls: number) => ({ ...this.about(`${calls} attributes`), ...this.object() });
    this.host.session.summarised('cuPointerGetAttribute', note, (cuda) => {
      for (const attribute of names) {
        let raw: bigint | undefined;
        const result = resultOf(() => {
          raw = cuda.pointerGetAttribute(PointerAttribute[attribute], pointer);
        });
        if (raw !== undefined) found[attribute] = decodePointerAttribute(attribute, raw);
        // Of further pieces only what decides.
        if (suffix !== '' && attribute !== 'ALLOWED_HANDLE_TYPES') continue;
        const value = raw === undefined ? null : pointerAttributeText(attribute, raw);
        this.facts.push({ name: `${attribute}${suffix}`, value, result });
      }
    });
    return found;
  }

  /** cuMemRetainAllocationHandle, and its release at once. */
  private retained(pointer: DevicePtr, suffix: string): boolean | null {
    const { session } = this.host;
    const about = this.about('whether it was made by cuMemCreate');
    const result = resultOf(() => {
      const handle = session.call(about, (cuda) => cuda.memRetainAllocationHandle(pointer));
      session.call(about, (cuda) => cuda.memRelease(handle));
    });
    const retained = result === 'CUDA_SUCCESS';
    const value = retained ? 'yes' : null;
    this.facts.push({ name: `cuMemRetainAllocationHandle${suffix}`, value, result });
    return result === MISSING ? null : retained;
  }

  private about(what: string) {
    return { args: `${this.of.label || toAddress(this.of.pointer)}, ${what}`, ...this.object() };
  }

  private object() {
    return this.of.objectId === null ? {} : { objectId: this.of.objectId };
  }
}

const MISSING = 'not in this driver';

/** Name of the driver's result; of a function that this driver does not have, that it has not. */
function resultOf(call: () => void): string {
  try {
    call();
    return 'CUDA_SUCCESS';
  } catch (thrown) {
    if (!(thrown instanceof GpuIpcError)) throw thrown;
    if (thrown.error.cuda !== undefined) return thrown.error.cuda.name;
    if (thrown.error.code === 'unsupported') return MISSING;
    throw thrown;
  }
}

function blockOf(
  host: HostState,
  known: Known,
  piece: PieceFacts | undefined,
  range: Stretch | undefined,
): Verdict['block'] {
  const start = piece?.attributes.MAPPING_BASE_ADDR;
  const bytes = piece?.attributes.MAPPING_SIZE;
  if (start === undefined || bytes === undefined) return null;
  const block = { start: BigInt(start), bytes: Number(bytes) };
  const own = known.bytes === undefined ? range : { start: known.pointer, bytes: known.bytes };
  const others: Placed[] = [...host.objects.allocations.values()]
    .filter(({ record }) => record.state === 'live' && record.id !== known.objectId)
    .map(({ record, pointer }) => ({ objectId: record.id, label: record.label, start: pointer, bytes: record.bytes }));
  return blockAround(block, own ?? block, others);
}
