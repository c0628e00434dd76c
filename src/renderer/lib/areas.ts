/** The areas of a window in the order of F6: each is an element with `data-area`. */

const TABBABLE =
  'button:not(:disabled):not([tabindex="-1"]), input:not(:disabled), select, textarea, a[href], [tabindex="0"]';

/** Where each area had the focus last, so that F6 returns to it. */
const last = new Map<string, HTMLElement>();

const visible = (element: HTMLElement): boolean => element.checkVisibility() && element.closest('.sr') === null;

/** Where an area takes the focus: where it was, its grid, or its first control. */
function entryOf(area: HTMLElement): HTMLElement | undefined {
  const before = last.get(area.dataset.area ?? '');
  if (before?.isConnected === true && area.contains(before) && visible(before)) return before;
  const grid = area.querySelector<HTMLElement>('[role="grid"][tabindex="0"]');
  if (grid !== null && visible(grid)) return grid;
  return [...area.querySelectorAll<HTMLElement>(TABBABLE)].find(visible);
}

/** Moves the focus to the next area that can take it, round and round. `step` -1 goes back. */
export function focusNextArea(step: 1 | -1): void {
  // Areas inside of areas are only for keys.
  const areas = [...document.querySelectorAll<HTMLElement>('[data-area]:not([data-area] [data-area])')];
  const from = areas.find((area) => area.contains(document.activeElement));
  if (from !== undefined && document.activeElement instanceof HTMLElement)
    last.set(from.dataset.area ?? '', document.activeElement);
  const start = from === undefined ? (step === 1 ? -1 : areas.length) : areas.indexOf(from);
  for (let turn = 1; turn <= areas.length; turn++) {
    const area = areas[(start + step * turn + areas.length * 2) % areas.length];
    const entry = area === undefined ? undefined : entryOf(area);
    if (entry === undefined) continue;
    entry.focus();
    return;
  }
}
