/**
 * Gives the view on screen the keyboard: what it marks as its entry, its grid, or else the view as a whole, so that
 * the focus never falls to the page, where no key of the contents says anything.
 * @param inside an element of the contents
 */
export function focusViewAround(inside: Element | null): void {
  const panel = inside?.closest('.contents')?.querySelector('[role="tabpanel"]');
  const entry = panel?.querySelector<HTMLElement>('[data-entry], [role="grid"]');
  const view = entry ?? panel?.querySelector<HTMLElement>('[data-area="memory"]');
  if (view == null) return;
  if (entry == null) view.tabIndex = -1;
  view.focus();
}
