/**
 * What a page sends must be cheap to look at. A schema goes through an object key by key, and a `Uint8Array` of 64 MiB
 * in the place of an object has 67 million keys: checking it would stop the main process for minutes.
 */

/** The properties of an argument object that may be bytes. */
const BYTES_AT: readonly string[] = ['bytes', 'handle', 'fabric'];

/**
 * Where binary data stands that no call takes there, as a path: `layout.main`; empty for the argument itself.
 * Undefined when all is well.
 */
export function misplacedBytes(args: unknown): string | undefined {
  const seen = new Set<object>();
  const look = (value: unknown, path: readonly string[]): string | undefined => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
    seen.add(value);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      const [key = '', ...deeper] = path;
      return deeper.length === 0 && BYTES_AT.includes(key) ? undefined : path.join('.');
    }
    for (const [key, inner] of Object.entries(value)) {
      const found = look(inner, [...path, key]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(args, []);
}
