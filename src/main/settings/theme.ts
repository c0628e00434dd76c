/** Colours that main needs before a page has loaded. The same as `--bg-window` in src/renderer/ui/tokens.css. */
export const windowBackground = { dark: '#0c0d10', light: '#f5f6f8' } as const;
export type Theme = keyof typeof windowBackground;
