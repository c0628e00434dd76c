/** An address as people type it. Pure. */

export type AddressAnswer = { readonly address: string } | { readonly problem: string };

/** Hexadecimal with or without `0x`, at most 64 bits; in the form that the calls take. */
export function readAddress(text: string): AddressAnswer {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^0x/, '')
    .replaceAll(/[_'\s]/g, '');
  if (digits === '') return { problem: 'Type an address, such as 0x7f0000000000.' };
  if (!/^[0-9a-f]+$/.test(digits)) return { problem: 'An address has the digits 0 to 9 and a to f.' };
  const significant = digits.replace(/^0+(?=.)/, '');
  if (significant.length > 16) return { problem: 'An address has at most 16 digits.' };
  return { address: `0x${significant}` };
}
