/** What can be done to objects, each with its failure shown. Menus, Details, the rail and the palette share them. */
import { act } from './act';
import { request } from './api';
import { selectObject } from './selection-store';

/** Starts a producer or consumer window with a process of its own. */
export const openDemo = (role: 'producer' | 'consumer', device: number) =>
  act(`Start a ${role}`, () => request('demo.open', { role, device }), `A ${role} is starting`);

export const playDemo = () => act('Play all three steps', () => request('demo.play'));
export const focusPeer = (peerId: string) => act('Show the window', () => request('demo.focus', { peerId }));
export const killPeer = (peerId: string, name: string) =>
  act(`Kill ${name}`, () => request('demo.kill', { peerId }), `${name} was killed`);
export const restartPeer = (peerId: string, name: string) =>
  act(`Restart ${name}`, () => request('demo.restart', { peerId }), `${name} is starting again`);

export const exportBuffer = (id: string, label: string) =>
  act(`Export ${label}`, () => request('buffers.export', { id }), `${label} is exported`);
export const exportEvent = (id: string, label: string) =>
  act(`Export ${label}`, () => request('events.export', { id }), `${label} is exported`);

/**
 * Opens a live export of another process in the Inspector and selects what came of it.
 * @param onOpened told of the mapping before it is selected
 */
export async function openBuffer(
  exportId: string,
  device: number,
  label: string,
  onOpened?: (id: string) => void,
): Promise<void> {
  const opened = await act(
    `Open ${label}`,
    () => request('imports.open', { exportId, device, label }),
    `${label} is open in Inspector`,
  );
  if (opened === undefined) return;
  onOpened?.(opened.id);
  selectObject(opened.id);
}
export async function openEvent(exportId: string, device: number, label: string): Promise<void> {
  const opened = await act(
    `Open ${label}`,
    () => request('events.open', { exportId, device, label }),
    `${label} is open in Inspector`,
  );
  if (opened !== undefined) selectObject(opened.id);
}

export const closeMapping = (id: string, label: string) =>
  act(`Close ${label}`, () => request('imports.close', { id }), `One reference to ${label} is closed`);
export const destroyEvent = (id: string, label: string) =>
  act(`Close ${label}`, () => request('events.destroy', { id }), `${label} is closed`);
export const recordEvent = (id: string, label: string) =>
  act(`Record ${label}`, () => request('events.record', { id }), `${label} is recorded`);

export const exportPool = (id: string, label: string) =>
  act(`Export ${label}`, () => request('pools.export', { id }), `${label} is exported`);
export const exportPhysical = (id: string, label: string) =>
  act(`Export ${label}`, () => request('virtual.export', { id }), `${label} is exported`);

/** Imports a pool of another process into the Inspector and selects it. */
export async function importPool(exportId: string, device: number, label: string): Promise<void> {
  const imported = await act(
    `Import ${label}`,
    () => request('pools.import', { exportId, device, label }),
    `${label} is imported in Inspector`,
  );
  if (imported !== undefined) selectObject(imported.id);
}
/** Imports physical memory of another process into the Inspector, not mapped yet, and selects it. */
export async function importPhysical(exportId: string, device: number, label: string): Promise<void> {
  const imported = await act(
    `Import ${label}`,
    () => request('virtual.import', { exportId, device, label }),
    `${label} is imported in Inspector`,
  );
  if (imported !== undefined) selectObject(imported.id);
}

export const destroyPool = (id: string, label: string) =>
  act(`Destroy ${label}`, () => request('pools.destroy', { id }), `${label} is destroyed`);
export const releasePhysical = (id: string, label: string) =>
  act(`Release ${label}`, () => request('virtual.release', { id }), `${label} is released`);
export const unmap = (id: string, offset: number | undefined, label: string) =>
  act(`Unmap memory of ${label}`, () => request('virtual.unmap', { id, offset }), 'It is unmapped');
