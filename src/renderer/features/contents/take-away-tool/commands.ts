/** Copying, saving and loading as commands, for keys and the palette. */
import * as v from 'valibot';
import { type ExportId, exportFormats } from '#contract/export-text';
import type { Command } from '../../../lib/commands';
import { useSettingsStore } from '../../../lib/settings-store';
import type { MemorySession } from '../model/memory-session';
import { readRemembered, remember } from '../model/remembered';
import { copySelectionAs } from '../model/selection-bytes';
import { asking } from './ask';
import { transferOf } from './transfer';

const ids = exportFormats.map(({ id }) => id) as [ExportId, ...ExportId[]];
const schema = v.object({ format: v.optional(v.picklist(ids), 'hex') });

/** The format that was copied in last. */
export const lastFormat = (): ExportId =>
  readRemembered(useSettingsStore.getState().settings.contents, 'copy', schema).format;

export async function copyAs(session: MemorySession, format: ExportId): Promise<void> {
  remember('copy', { format });
  const said = await copySelectionAs(session, format);
  if (said !== undefined) transferOf(session).say(said);
}

export function takeAwayCommands(session: MemorySession): readonly Command[] {
  const group = 'Contents';
  return [
    {
      id: 'contents.copy-again',
      title: 'Copy the selection as the last time',
      group,
      icon: 'copy',
      keys: ['Ctrl+Shift+C'],
      run: () => void copyAs(session, lastFormat()),
    },
    ...exportFormats.map(({ id, name }) => ({
      id: `contents.copy-as.${id}`,
      title: `Copy the selection as ${name}`,
      group,
      icon: 'copy' as const,
      run: () => void copyAs(session, id),
    })),
    {
      id: 'contents.save',
      title: 'Save bytes to a file…',
      group,
      icon: 'save',
      keys: ['Ctrl+S'],
      when: () => !session.ended,
      run: () => asking.set(session, 'save'),
    },
    {
      id: 'contents.load',
      title: 'Load a file into this memory…',
      group,
      icon: 'import',
      keys: ['Ctrl+O'],
      when: () => !session.ended && session.source.importedFrom === undefined,
      run: () => asking.set(session, 'load'),
    },
  ];
}
