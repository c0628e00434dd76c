/**
 * Keys for the rows of a virtual list. Rows on screen follow each other, so their numbers modulo how many there are
 * name each exactly once: a row that comes takes over the element of one that leaves, and none is built anew.
 */
export const slotsFor =
  (rendered: number) =>
  (index: number): number =>
    index % Math.max(1, rendered);
