/** The forms in which people meet the 64 bytes of a handle. */

export const handleForms = ['hex', 'base64', 'c-array', 'python-bytes', 'csharp-array', 'json-array'] as const;
export type HandleForm = (typeof handleForms)[number];

/** What a form is called in menus. */
export const handleFormNames: Readonly<Record<HandleForm, string>> = {
  hex: 'Hex',
  base64: 'Base64',
  'c-array': 'C array',
  'python-bytes': 'Python bytes',
  'csharp-array': 'C# array',
  'json-array': 'JSON array',
};

/** The same inside of a sentence. */
export const handleFormWords: Readonly<Record<HandleForm, string>> = {
  ...handleFormNames,
  hex: 'hex',
  base64: 'base64',
};
