/**
 * The focus for bytes that are not on screen yet: opening a buffer takes away the button that was pressed, and what
 * comes in its place takes the focus.
 */
let until = 0;

/** The next memory that appears within two seconds takes the focus. */
export function wishFocus(): void {
  until = performance.now() + 2000;
}

/** Whether such a wish is open; it is over then. */
export function takeFocusWish(): boolean {
  const open = performance.now() < until;
  until = 0;
  return open;
}
