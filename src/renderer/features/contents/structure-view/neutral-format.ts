import type { DtypeId } from '#contract/dtypes';

/** What a memory is shown by while nobody has written a format: its values in its own type, and nothing made up. */
export const neutralFormat = (dtype: DtypeId): string =>
  `// All of this memory, as ${dtype}.\n// Write what it holds, or choose\n// an example in Formats.\n${dtype}[];\n`;
