/** What a producer window remembers besides the ledger: which buffer is shown, and what was typed. */
import { create } from 'zustand';
import { FIRST_FILL, type FillForm } from '../../lib/fill-form';

interface ProducerStore {
  /** The buffer shown; the newest one when it is not there (any more). */
  readonly selected: string | undefined;
  /** The form for a further buffer is open. */
  readonly creating: boolean;
  /** Buffers whose bytes were written from here. */
  readonly written: ReadonlySet<string>;
  readonly fill: FillForm;
  /** Writes per second while animated. */
  readonly hz: number;
}

const first: ProducerStore = {
  selected: undefined,
  creating: false,
  written: new Set(),
  fill: { ...FIRST_FILL, pattern: 'text' },
  hz: 4,
};

export const useProducer = create<ProducerStore>(() => first);

/** A new process has no buffers: what was typed stays, what was done does not. */
export function forgetBuffers(): void {
  useProducer.setState({ selected: undefined, creating: false, written: new Set() });
}

export function selectBuffer(id: string): void {
  useProducer.setState({ selected: id, creating: false });
}

export function markWritten(id: string): void {
  useProducer.setState(({ written }) => ({ written: new Set([...written, id]) }));
}
