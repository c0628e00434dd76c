/** Meanings that have a colour. Each is always shown beside a word or a sign, never by colour alone. */
export type Tone =
  | 'exporter'
  | 'importer'
  | 'event'
  | 'changed'
  | 'gone'
  | 'stale'
  | 'error'
  | 'simulated'
  | 'accent'
  | 'dim'
  | 'soft';
