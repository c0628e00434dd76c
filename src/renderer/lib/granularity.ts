/** What sizes and offsets of virtual memory are multiples of. */
import { formatSize } from '#contract/units';
import { request } from './api';
import { type Answer, useAnswer } from './use-answer';

export interface Granularity {
  readonly minimum: number;
  readonly recommended: number;
}

/** Asked once for each device that is looked at; undefined asks nothing. */
export const useGranularity = (device: number | undefined): Answer<Granularity> =>
  useAnswer(device === undefined ? undefined : `granularity ${device}`, () =>
    request('virtual.granularity', { device: device ?? 0 }),
  );

/** The next multiple of the granularity. */
export const roundUp = (bytes: number, granularity: number): number => Math.ceil(bytes / granularity) * granularity;

/** `3.00 MiB become 4.00 MiB: a multiple of 2.00 MiB`; only the multiple when nothing is rounded. */
export function roundingText(bytes: number, granularity: number): string {
  const rounded = roundUp(bytes, granularity);
  const multiple = `${granularityText(granularity)}`;
  return rounded === bytes
    ? `${formatSize(bytes)}: a multiple of ${multiple}.`
    : `${formatSize(bytes)} become ${formatSize(rounded)}: a multiple of ${multiple}.`;
}

const granularityText = (bytes: number): string => `the granularity, ${formatSize(bytes)}`;
