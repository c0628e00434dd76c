/** The demonstration where nobody watches: played, checked, photographed, printed and let go of again. */

import type { BrowserWindow } from 'electron';
import type { Peer } from '#contract/records';
import { identify } from '#native/posix/process';
import type { Ledger } from '../ledger/ledger';
import { ledgerTable } from './ledger-table';
import { photograph } from './picture';
import { pause, play, release, type Stage } from './play';

/** For the pages to draw what happened last. */
const DRAW_MS = 1_500;

export interface HeadlessOptions {
  readonly stage: Stage;
  readonly ledger: Ledger;
  /** Answers the windows to photograph, the Inspector first. */
  readonly windows: () => readonly BrowserWindow[];
  readonly closeDemoWindows: () => Promise<void>;
  readonly picture: string;
}

/** Throws when anything is not as it should be. */
export async function playHeadless(options: HeadlessOptions): Promise<void> {
  const { stage, ledger, picture } = options;
  const cast = await play(stage);
  await pause(DRAW_MS);
  await photograph(options.windows(), picture);
  stage.tell(`picture: ${picture}`);
  stage.tell(`\nThe ledger while it runs:\n\n${ledgerTable(ledger.snapshot())}\n`);

  await release(stage, cast);
  await options.closeDemoWindows();
  const left = ledger.snapshot();
  stage.tell(`The ledger after everything was let go:\n\n${ledgerTable(left)}\n`);

  const held = left.peers.reduce((sum, peer) => sum + ledger.holdings(peer.id), 0);
  if (held > 0) throw new Error(`${held} objects are still held.`);
  const ended = (peerId: string): Peer | undefined => left.peers.find((peer) => peer.id === peerId);
  for (const { peerId, pid } of [cast.producer, cast.consumer]) {
    if (ended(peerId)?.state !== 'exited') throw new Error(`Process ${pid} is still ${ended(peerId)?.state}.`);
    if (!(await isGone(pid))) throw new Error(`Process ${pid} is still there.`);
  }
  stage.tell('Everything is released; both processes have ended.');
}

/** Electron tells of an exit a few milliseconds before the process is gone; a zombie counts as gone. */
async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if (identify(pid) === undefined) return true;
    await pause(50);
  }
  return false;
}
