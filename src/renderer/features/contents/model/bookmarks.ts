/** Places of a memory that somebody wants to find again, each with a colour and a note. Pure, but for its signal. */
import * as v from 'valibot';
import { Signal } from './signal';

export const bookmarkColors = ['blue', 'green', 'violet', 'cyan', 'orange'] as const;
export type BookmarkColor = (typeof bookmarkColors)[number];

const bookmarkSchema = v.object({
  offset: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  length: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  note: v.pipe(v.string(), v.maxLength(200)),
  color: v.picklist(bookmarkColors),
});
export type Bookmark = Readonly<v.InferOutput<typeof bookmarkSchema>>;

/** Steps that can be undone. */
const MOST_STEPS = 50;
/** More would not be found again in a list. */
export const MOST_BOOKMARKS = 500;

export class Bookmarks {
  readonly onChange = new Signal();
  private marks: readonly Bookmark[];
  private readonly steps: (readonly Bookmark[])[] = [];

  /** @param size  bytes of the memory: what lies outside is left out, as is what is no bookmark */
  constructor(
    private readonly size: number,
    kept: unknown = [],
  ) {
    const given = Array.isArray(kept) ? kept : [];
    this.marks = given
      .map((one) => v.safeParse(bookmarkSchema, one))
      .flatMap((read) => (read.success && this.fits(read.output) ? [read.output] : []))
      .sort((a, b) => a.offset - b.offset || a.length - b.length)
      .slice(0, MOST_BOOKMARKS);
  }

  /** By offset. The same array as long as they are the same. */
  get list(): readonly Bookmark[] {
    return this.marks;
  }
  get canUndo(): boolean {
    return this.steps.length > 0;
  }

  /** Sets one; where there is one of the same bytes, that stays as it is. Answers it, undefined when there are too many. */
  add(offset: number, length: number): Bookmark | undefined {
    const known = this.marks.find((mark) => mark.offset === offset && mark.length === length);
    if (known !== undefined) return known;
    if (this.marks.length >= MOST_BOOKMARKS) return undefined;
    // A colour that its neighbours do not have.
    const color = bookmarkColors[this.marks.length % bookmarkColors.length] as BookmarkColor;
    const mark: Bookmark = { offset, length, note: '', color };
    if (!this.fits(mark)) return undefined;
    this.change([...this.marks, mark].sort((a, b) => a.offset - b.offset || a.length - b.length));
    return mark;
  }

  edit(mark: Bookmark, change: Partial<Pick<Bookmark, 'note' | 'color'>>): void {
    if (!this.marks.includes(mark)) return;
    this.change(this.marks.map((one) => (one === mark ? { ...one, ...change } : one)));
  }

  remove(mark: Bookmark): void {
    if (this.marks.includes(mark)) this.change(this.marks.filter((one) => one !== mark));
  }

  /** Takes the last change back. */
  undo(): void {
    const before = this.steps.pop();
    if (before === undefined) return;
    this.marks = before;
    this.onChange.emit();
  }

  /** The first one with a byte in `length` bytes from `offset` on. */
  within(offset: number, length: number): Bookmark | undefined {
    for (const mark of this.marks) {
      if (mark.offset >= offset + length) return undefined;
      if (mark.offset + mark.length > offset) return mark;
    }
    return undefined;
  }

  /** The next one from an offset on, or the one before, round the ends. */
  next(from: number, direction: 1 | -1): Bookmark | undefined {
    return direction > 0
      ? (this.marks.find(({ offset }) => offset > from) ?? this.marks[0])
      : (this.marks.findLast(({ offset }) => offset < from) ?? this.marks.at(-1));
  }

  private fits({ offset, length }: Pick<Bookmark, 'offset' | 'length'>): boolean {
    return offset + length <= this.size;
  }

  private change(next: readonly Bookmark[]): void {
    this.steps.push(this.marks);
    if (this.steps.length > MOST_STEPS) this.steps.shift();
    this.marks = next;
    this.onChange.emit();
  }
}
