/** Any 64 bytes in any form are read back exactly; a changed text is refused, or read as it stands now. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printDescriptor } from '#contract/descriptor';
import { handleForms, printHandle } from '#contract/handle-text';
import { parsePaste } from './parse-paste';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const pairsOf = (bytes: Uint8Array): string[] => hexOf(bytes).match(/../g) as string[];
const rowsOf = (bytes: Uint8Array): Uint8Array[] => [0, 16, 32, 48].map((at) => bytes.subarray(at, at + 16));
const octal = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const column = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
const torch = (bytes: Uint8Array): Uint8Array => Uint8Array.from([2, 0x63, ...bytes]);
const event = new Uint8Array(64).fill(7, 0, 20);

type Print = (bytes: Uint8Array) => string;

/** The bytes and nothing else. */
const plain: Readonly<Record<string, Print>> = {
  ...Object.fromEntries(handleForms.map((form) => [form, (bytes: Uint8Array) => printHandle(bytes, form)])),
  '0x': (bytes) => `0x${hexOf(bytes)}`,
  'upper case': (bytes) => hexOf(bytes).toUpperCase(),
  'pairs with spaces': (bytes) => pairsOf(bytes).join(' '),
  'pairs with colons': (bytes) => pairsOf(bytes).join(':'),
  'pairs with 0x': (bytes) =>
    pairsOf(bytes)
      .map((pair) => `0x${pair}`)
      .join(' '),
  'rows of pairs': (bytes) =>
    rowsOf(bytes)
      .map((row) => pairsOf(row).join(' '))
      .join('\n'),
  'rows of digits': (bytes) => rowsOf(bytes).map(hexOf).join('\n'),
  'groups of four': (bytes) => (hexOf(bytes).match(/.{8}/g) as string[]).join(' '),
  escapes: (bytes) =>
    pairsOf(bytes)
      .map((pair) => `\\x${pair}`)
      .join(''),
  'C string': (bytes) =>
    `"${pairsOf(bytes)
      .map((pair) => `\\x${pair}`)
      .join('')}"`,
  'octal C string': (bytes) => `"${octal(bytes)}"`,
  'quoted hex': (bytes) => `'${hexOf(bytes)}'`,
  'bytes.fromhex': (bytes) => `bytes.fromhex('${hexOf(bytes)}')`,
  'signed numbers': (bytes) => `(${[...Int8Array.from(bytes)].join(', ')})`,
  xxd: (bytes) =>
    rowsOf(bytes)
      .map((row, at) => `000000${at}0: ${(hexOf(row).match(/.{4}/g) as string[]).join(' ')}  ${column(row)}`)
      .join('\n'),
  'hexdump -C': (bytes) =>
    rowsOf(bytes)
      .map(
        (row, at) =>
          `000000${at}0  ${pairsOf(row).slice(0, 8).join(' ')}  ${pairsOf(row).slice(8).join(' ')}  |${column(row)}|`,
      )
      .join('\n'),
  'gdb x/64xb': (bytes) =>
    rowsOf(bytes)
      .map(
        (row, at) =>
          `0x7ffe0${at}0 <handle+${at * 16}>:\t${pairsOf(row)
            .map((pair) => `0x${pair}`)
            .join('\t')}`,
      )
      .join('\n'),
};

/** The bytes in what libraries print. */
const structured: Readonly<Record<string, Print>> = {
  'PyTorch, hex': (bytes) => `[0, '${hexOf(torch(bytes))}', 4096, 512, '2f746f726368', 0, '${hexOf(event)}', True]`,
  'PyTorch, bytes': (bytes) =>
    `(0, ${printHandle(torch(bytes), 'python-bytes')}, 4096, 512, b'/torch_1', 0, ${printHandle(event, 'python-bytes')}, True)`,
  'PyTorch handle alone': (bytes) => hexOf(torch(bytes)),
  'PyTorch handle in pairs': (bytes) => pairsOf(torch(bytes)).join(' '),
  'PyTorch handle as array': (bytes) => `[${torch(bytes).join(', ')}]`,
  Triton: (bytes) => `{"raw_handle": {"b64": "${printHandle(bytes, 'base64')}"}, "device_id": 0, "byte_size": 4096}`,
  protobuf: (bytes) => `raw_handle: "${octal(bytes)}" device_id: 1 byte_size: 4096`,
  Numba: (bytes) =>
    `(<class 'numba.cuda.cudadrv.driver.IpcHandle'>, (${[...Int8Array.from(bytes)].join(', ')}), 4096, None, 0)`,
  'by name': (bytes) => `handle=${hexOf(bytes)}, size=4096, offset=0`,
  descriptor: (bytes) =>
    printDescriptor({
      format: 'gpu-ipc-descriptor',
      version: 1,
      mechanism: 'legacy',
      handle: hexOf(bytes),
      exporter: { pid: 5 },
      device: { uuid: 'GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c' },
      offset: 0,
      size: 1,
    }),
};
const prints = { ...plain, ...structured };

const anyBytes = fc.oneof(
  fc.uint8Array({ minLength: 64, maxLength: 64 }),
  // Quotes, backslashes, digits after escapes, PyTorch's prefix.
  fc
    .array(fc.constantFrom(0, 2, 0x63, 0x22, 0x27, 0x5c, 0x30, 0x61, 0x7f, 0x80, 0xff, 0x0a, 0x78), {
      minLength: 64,
      maxLength: 64,
    })
    .map((list) => Uint8Array.from(list)),
);
const anyPrint = fc.constantFrom(...Object.keys(prints));
const read = (text: string): { hex: string[]; problems: unknown } => {
  const { items, problems } = parsePaste(text);
  return { hex: items.map(({ handle }) => hexOf(handle ?? new Uint8Array())), problems };
};

describe('any 64 bytes', () => {
  it.each(Object.entries(prints))('%s', (_name, print) => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(read(print(bytes))).toEqual({ hex: [hexOf(bytes)], problems: [] });
      }),
      { numRuns: 40 },
    );
  });

  it.each(Object.entries(prints))('%s, in prose', (_name, print) => {
    const around = fc.constantFrom<[string, string]>(
      ['Hello,\nplease open this:\n', '\n\nThank you. It was exported by pid 12.'],
      ["> I don't know what it is:\n\n", '\n'],
      ['2026-11-30T12:00:00Z INFO producer-1 [main] exported\n\n', '\n\n2026-11-30T12:00:01Z INFO done, 1 of 2\n'],
    );
    fc.assert(
      fc.property(anyBytes, around, (bytes, [before, after]) => {
        expect(read(before + print(bytes) + after)).toEqual({ hex: [hexOf(bytes)], problems: [] });
      }),
      { numRuns: 40 },
    );
  });

  it('several in one text, in order', () => {
    const parts = fc.array(fc.tuple(anyBytes, anyPrint), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(parts, (list) => {
        const text = list
          .map(([bytes, name], index) => `Part ${index + 1}:\n\n${(prints[name] as Print)(bytes)}\n\n`)
          .join('');
        expect(read(text)).toEqual({ hex: list.map(([bytes]) => hexOf(bytes)), problems: [] });
      }),
      { numRuns: 300 },
    );
  });
});

/**
 * What a part of a text says, by other means than the reader's: the decoders of Node and plain replacements. All
 * readings of its pieces: one of them must be the handle.
 */
function sayings(text: string): Set<string> {
  const found = new Set<string>();
  const add = (hex: string): void => {
    found.add(hex.toLowerCase());
    if (/^0263/.test(hex)) found.add(hex.slice(4).toLowerCase());
  };
  const literal = (inner: string): string =>
    Buffer.from(
      inner.replace(/\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})|\\([abfnrtv'"\\])|[\s\S]/g, (all, hex, oct, named) =>
        String.fromCharCode(
          hex
            ? Number.parseInt(hex, 16)
            : oct
              ? Number.parseInt(oct, 8)
              : named
                ? ('\x07\b\f\n\r\t\v\'"\\'['abfnrtv\'"\\'.indexOf(named)] as string).charCodeAt(0)
                : all.charCodeAt(0),
        ),
      ),
      'latin1',
    ).toString('hex');
  const quotes = /(['"])((?:\\.|(?!\1)[^\\\n])*)\1/g;
  for (const [, , inner] of text.matchAll(quotes)) {
    add(literal(inner as string));
    add((inner as string).replace(/[\s:-]|0[xX]/g, ''));
    add(Buffer.from(inner as string, 'base64').toString('hex'));
  }
  // Python and C join what follows each other.
  add([...text.matchAll(quotes)].map(([, , inner]) => literal(inner as string)).join(''));
  for (const [, list] of text.matchAll(/[[({]([^[\](){}]*)[\])}]/g)) add(numbers(list as string));
  add(numbers(text));
  for (const [word] of text.matchAll(/[0-9a-fA-F-]{128,}/g)) add(word.replaceAll('-', ''));
  add(text.replace(/0[xX](?=[0-9a-fA-F]{2})|\\x|[\s:;"'`-]/g, ''));
  add(text.replace(/^bytes\.fromhex\(|[\s:'()-]/g, ''));
  add(Buffer.from(text.replace(/\s/g, ''), 'base64').toString('hex'));
  const rows = text.split('\n');
  // Rows of dumps: without address and characters, which are 16 in each.
  for (const cut of [0, 16, 18]) {
    const inner = rows.map((row) => row.slice(0, row.length - cut));
    add(inner.map((row) => row.replace(/^[^:]*:/, '').replace(/0x|\s/g, '')).join(''));
    add(inner.map((row) => row.replace(/^.*:/, '').replace(/0x|\s/g, '')).join(''));
    add(inner.map((row) => row.replace(/^\s*\S+ +/, '').replace(/\s/g, '')).join(''));
  }
  return found;
}
const numbers = (list: string): string =>
  Buffer.from(
    list
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
      .map(Number),
  ).toString('hex');

describe('a changed text', () => {
  const change = fc.record({
    where: fc.nat(),
    // One character is replaced, one comes in, or one is left out.
    how: fc.constantFrom('replace' as const, 'insert' as const, 'remove' as const),
    with: fc.oneof(
      fc.constantFrom(...'0123456789abcdefABFxz \n\t\\\'",:;.-+/=[](){}<>|*_#'),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    ),
  });
  const changed = (text: string, { where, how, with: ch }: { where: number; how: string; with: string }): string => {
    const at = where % (text.length + (how === 'insert' ? 1 : 0));
    return text.slice(0, at) + (how === 'remove' ? '' : ch) + text.slice(at + (how === 'insert' ? 0 : 1));
  };

  it.each(Object.entries(prints))('%s', (name, print) => {
    fc.assert(
      fc.property(anyBytes, change, (bytes, how) => {
        const text = changed(print(bytes), how);
        const { items, problems } = parsePaste(text);
        const own = items.filter(({ handle }) => handle !== null && hexOf(handle) !== hexOf(event));
        // Something is read, or the place where the text stops making sense is named.
        expect(items.length + problems.length).toBeGreaterThan(0);
        expect(own.length).toBeLessThanOrEqual(1);
        for (const { handle, start, end } of own) {
          const says = sayings(text.slice(start, end));
          if (!says.has(hexOf(handle as Uint8Array))) {
            throw new Error(`${name}: ${JSON.stringify(text)} does not say ${hexOf(handle as Uint8Array)}`);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('among others: they are read as before', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, anyPrint, change, (bytes, other, name, how) => {
        const good = `\n\nAnother one:\n\n${hexOf(other)}\n`;
        const { items } = parsePaste(changed((prints[name] as Print)(bytes), how) + good);
        expect(items.map(({ handle }) => hexOf(handle ?? new Uint8Array()))).toContain(hexOf(other));
      }),
      { numRuns: 1000 },
    );
  });
});
