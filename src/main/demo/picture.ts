/** A picture of several windows side by side, for machines where nobody can look at them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type BrowserWindow, nativeImage } from 'electron';

const BYTES_PER_PIXEL = 4;
const GAP = 16;
/** Between the windows: the grey of a desktop, opaque (BGRA). */
const GROUND = Buffer.from([0x2b, 0x28, 0x26, 0xff]);

/** Captures the windows as they are painted now and writes one PNG. */
export async function photograph(windows: readonly BrowserWindow[], path: string): Promise<void> {
  const shots = await Promise.all(
    windows.map(async (window) => {
      const image = await window.webContents.capturePage();
      return { ...image.getSize(), pixels: image.toBitmap() };
    }),
  );
  const width = shots.reduce((sum, shot) => sum + shot.width + GAP, GAP);
  const height = Math.max(...shots.map((shot) => shot.height)) + 2 * GAP;
  const canvas = Buffer.alloc(width * height * BYTES_PER_PIXEL, GROUND);
  let left = GAP;
  for (const shot of shots) {
    const row = shot.width * BYTES_PER_PIXEL;
    for (let y = 0; y < shot.height; y += 1) {
      shot.pixels.copy(canvas, ((y + GAP) * width + left) * BYTES_PER_PIXEL, y * row, (y + 1) * row);
    }
    left += shot.width + GAP;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, nativeImage.createFromBitmap(canvas, { width, height }).toPNG());
}
