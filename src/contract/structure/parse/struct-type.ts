/** Makes the type of a struct out of its fields: each gets its place, as far as the text tells it. */
import type { Attributes } from '#contract/structure/attributes';
import { Placer } from '#contract/structure/layout';
import { Fault } from '#contract/structure/token-reader';
import type { Token } from '#contract/structure/tokens';
import type { Field, StructType } from '#contract/structure/types';
import { type Draft, TOO_LARGE } from './state';

/** A struct of these fields. `token`: what a problem with the whole is told at. */
export function structOf(
  name: string,
  drafts: readonly Draft[],
  union: boolean,
  attributes: Attributes,
  token: Token,
): StructType {
  const { packed, look } = attributes;
  const placer = new Placer(packed, union);
  let known = true;
  const fields = drafts.map((draft): Field => {
    const { type, width, placed, padding = false } = draft;
    const alignment = draft.attributes.alignment;
    const bits = width === undefined ? undefined : { width };
    let place: { byte: number; bit: number } | undefined;
    if (known || placed !== undefined) {
      place = placer.place({ type, bits, placed, alignment }, type.size ?? 0);
      if (place.byte + (type.size ?? 0) > Number.MAX_SAFE_INTEGER) {
        throw new Fault(TOO_LARGE, draft.token.start, draft.token.end);
      }
    }
    // In a union the next field begins at the start, however long this one is.
    if (type.size === undefined && !union) known = false;
    return {
      name: draft.name,
      type,
      look: draft.attributes.look,
      offset: place?.byte,
      bits: width === undefined ? undefined : { start: place?.bit, width },
      placed,
      padding,
      alignment,
    };
  });
  const dynamic = drafts.some(({ type }) => type.size === undefined);
  // The alignment of a struct does not depend on how long its arrays are.
  const natural = drafts
    .filter(({ placed, width }) => placed === undefined && width !== 0)
    .map(({ type, attributes: own }) => (packed ? own.alignment : Math.max(own.alignment, type.alignment)));
  const alignment = Math.max(attributes.alignment, 1, ...natural);
  const size = dynamic ? undefined : placer.size(alignment);
  if (size !== undefined && size > Number.MAX_SAFE_INTEGER) throw new Fault(TOO_LARGE, token.start, token.end);
  return { kind: 'struct', name, union, packed, fields, look, size, alignment };
}
