/** Pointer attributes as the facts that people ask for. Pure. */
import type { CallValue } from '#contract/calls';
import { formatCount, formatSize } from '#contract/units';

export type Attributes = CallValue<'memory.attributes'>;

/** The value of an attribute by its name in cuda.h; undefined where the driver refused it. */
export function attributeOf(attributes: Attributes, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value ?? undefined;
}

const numberOf = (attributes: Attributes, name: string): number | undefined => {
  const value = attributeOf(attributes, name);
  return value === undefined || !/^\d+$/.test(value) ? undefined : Number(value);
};

/** `4.00 MiB, own block`, or how much larger the block is that an export would expose with it. */
export function rangeText(attributes: Attributes): string | undefined {
  const range = numberOf(attributes, 'RANGE_SIZE');
  if (range === undefined) return undefined;
  const block = numberOf(attributes, 'MAPPING_SIZE');
  if (block === undefined) return formatSize(range);
  return block <= range ? `${formatSize(range)}, own block` : `${formatSize(range)} in a block of ${formatSize(block)}`;
}

/**
 * `device, cuMemAlloc`, as far as the attributes tell.
 * @param isVirtual whether it is physical memory mapped into a range, which they do not tell
 */
export function memoryText(attributes: Attributes, isVirtual = false): string | undefined {
  const type = attributeOf(attributes, 'MEMORY_TYPE');
  if (type === undefined) return undefined;
  if (attributeOf(attributes, 'IS_MANAGED') === 'yes') return `${type}, managed`;
  const pool = attributeOf(attributes, 'MEMPOOL_HANDLE');
  if (pool !== undefined && pool !== 'none') return `${type}, from a pool`;
  if (isVirtual) return `${type}, mapped with cuMemMap`;
  if (attributeOf(attributes, 'IS_LEGACY_CUDA_IPC_CAPABLE') === 'yes') return `${type}, cuMemAlloc`;
  return type;
}

export interface Verdict {
  readonly name: string;
  /** Null is unknown, which is not no. */
  readonly can: boolean | null;
  readonly why: string;
}

/** How this memory can be shared: from its attributes, and for the fabric also from the device. */
export function verdictsOf(
  attributes: Attributes,
  fabric: { readonly supported: boolean | null; readonly why: string } | undefined,
): readonly Verdict[] {
  const legacy = attributeOf(attributes, 'IS_LEGACY_CUDA_IPC_CAPABLE');
  const types = attributeOf(attributes, 'ALLOWED_HANDLE_TYPES');
  const pool = attributeOf(attributes, 'MEMPOOL_HANDLE');
  const fd = types === undefined ? null : types.includes('POSIX_FILE_DESCRIPTOR');
  const pooled = pool === undefined ? null : pool !== 'none';
  return [
    { name: 'Legacy handle', can: legacy === undefined ? null : legacy === 'yes', why: legacyWhy(attributes, legacy) },
    {
      name: 'Pool, fd',
      can: pooled === null ? null : pooled && fd === true,
      why:
        pooled === null
          ? 'The driver does not say'
          : !pooled
            ? 'Not from a pool'
            : fd === true
              ? 'From a shareable pool'
              : 'Its pool is not shareable',
    },
    {
      name: 'Virtual, fd',
      can: fd === null ? null : fd && pooled !== true,
      why: fd === null ? 'The driver does not say' : fd ? 'POSIX file descriptor' : 'Not made with cuMemCreate',
    },
    {
      name: 'Fabric',
      can: types === undefined ? null : types.includes('FABRIC'),
      why:
        fabric?.supported === false
          ? fabric.why
          : types?.includes('FABRIC') === true
            ? 'Fabric handle'
            : 'Not made for the fabric',
    },
  ];
}

function legacyWhy(attributes: Attributes, legacy: string | undefined): string {
  if (legacy === undefined) return 'The driver does not say';
  if (legacy !== 'yes') return 'Not legacy IPC capable';
  const range = numberOf(attributes, 'RANGE_SIZE');
  const block = numberOf(attributes, 'MAPPING_SIZE');
  if (range === undefined || block === undefined) return 'Neighbours in the block unknown';
  return block <= range ? 'Exposes no neighbours' : `Exposes its block of ${formatSize(block)}`;
}

/** Every attribute with its value, or the result with which the driver refused it. */
export function allAttributes(attributes: Attributes): ReadonlyArray<readonly [string, string]> {
  return attributes.map(({ name, value, result }) => [
    name.toLowerCase().replaceAll('_', ' '),
    value === null ? result.replace(/^CUDA_ERROR_/, '') : /^\d{5,}$/.test(value) ? formatCount(BigInt(value)) : value,
  ]);
}
