/** The names of contract/structure/attributes as colours of both themes; `#rrggbb` as it is. */
export const cssColor = (color: string): string => (color.startsWith('#') ? color : `var(--struct-${color})`);
