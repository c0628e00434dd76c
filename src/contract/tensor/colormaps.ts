/**
 * Colours for numbers. Lightness rises evenly from the lowest number to the highest (in `red-blue` from both ends to the
 * middle), so that no number looks larger than it is, in print and to the colour-blind too.
 */

export type ColormapId = 'viridis' | 'magma' | 'grey' | 'red-blue';

/** Nine evenly spaced colours of matplotlib's viridis and magma, which their authors gave to the public domain (CC0). */
const VIRIDIS = '440154 472d7b 3b528b 2c728e 21908c 27ad81 5dc863 aadc32 fde725';
const MAGMA = '000004 1d1147 51127c 822681 b63679 e65164 fb8861 fec287 fcfdbf';

export const colormaps: readonly { readonly id: ColormapId; readonly name: string }[] = [
  { id: 'viridis', name: 'Viridis' },
  { id: 'magma', name: 'Magma' },
  { id: 'grey', name: 'Grey' },
  { id: 'red-blue', name: 'Blue to red' },
];

const made = new Map<ColormapId, Uint8Array>();

/** 256 colours as red, green, blue, the lowest number first. */
export function colormapTable(id: ColormapId): Uint8Array {
  const known = made.get(id);
  if (known !== undefined) return known;
  const table = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) table.set(colorAt(id, i / 255), i * 3);
  made.set(id, table);
  return table;
}

function colorAt(id: ColormapId, at: number): readonly number[] {
  switch (id) {
    case 'grey': {
      const level = Math.round(255 * at);
      return [level, level, level];
    }
    case 'viridis':
      return between(VIRIDIS, at);
    case 'magma':
      return between(MAGMA, at);
    case 'red-blue':
      return diverging(at);
  }
}

/** The colour between two neighbours of a list. */
function between(list: string, at: number): number[] {
  const colors = list.split(' ');
  const place = at * (colors.length - 1);
  const low = Math.min(Math.floor(place), colors.length - 2);
  const channel = (index: number, which: number): number =>
    Number.parseInt((colors[index] as string).slice(2 * which, 2 * which + 2), 16);
  return [0, 1, 2].map((which) => {
    const from = channel(low, which);
    return Math.round(from + (channel(low + 1, which) - from) * (place - low));
  });
}

/**
 * Blue, nearly white, red: two straight lines in OKLab (B. Ottosson, 2020), from ends of the same lightness, so that
 * equal distances from the middle look equally strong.
 */
function diverging(at: number): number[] {
  const end = at < 0.5 ? { lightness: 0.42, chroma: 0.13, hue: 255 } : { lightness: 0.42, chroma: 0.16, hue: 25 };
  const strength = Math.abs(2 * at - 1);
  const lightness = 0.97 + (end.lightness - 0.97) * strength;
  const angle = (end.hue * Math.PI) / 180;
  return oklabToSrgb(lightness, end.chroma * strength * Math.cos(angle), end.chroma * strength * Math.sin(angle));
}

function oklabToSrgb(lightness: number, a: number, b: number): number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => {
    const light = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
}
