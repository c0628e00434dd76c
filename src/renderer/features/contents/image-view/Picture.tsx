import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { decodeValue, formatValue } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import {
  type ElementReader,
  fitRange,
  type ImageLayout,
  imagePixels,
  magnitude,
  pixelOfByte,
  pixelPlace,
} from '#contract/tensor/image';
import { formatCount, formatSize } from '#contract/units';
import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import { Button } from '../../../ui/Button';
import { openView } from '../model/open-view';
import { useJumps } from '../model/use-jumps';
import { useLiveRanges } from '../model/use-live-ranges';
import { useSignal } from '../model/use-signal';
import { ReadNote } from '../parts/ReadNote';
import type { ViewProps } from '../views';
import { useImage } from './use-image';
import { centred, drawingOf, fitted, type Place, zoomed } from './zoom';

/** Numbers that the automatic range looks at, at most. */
const MOST_SAMPLES = 65_536;
const CHANNELS = ['R', 'G', 'B', 'A'] as const;

/** The picture, drawn from the bytes of what is in sight. Wheel and keys move and zoom it. */
export function Picture({ session, layout }: ViewProps & { layout: ImageLayout }) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [choice, setChoice] = useImage(session);
  const [area, setArea] = useState({ width: 0, height: 0 });
  const [hover, setHover] = useState<{ readonly x: number; readonly y: number }>();
  const order = useSignal(session.onStatus, () => session.order);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setArea({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  const hasArea = area.width > 0 && area.height > 0;
  const place = useMemo(
    () => (!hasArea ? choice.place : choice.fit ? fitted(layout, area) : centred(choice.place, layout, area)),
    [choice.fit, choice.place, layout, area, hasArea],
  );
  // The tool bar says how large it is.
  useEffect(() => {
    if (hasArea && place.scale !== choice.place.scale) setChoice((before) => ({ ...before, place }));
  }, [hasArea, place, choice.place.scale, setChoice]);

  const drawing = useMemo(() => (hasArea ? drawingOf(layout, place, area) : undefined), [hasArea, layout, place, area]);
  const live = useLiveRanges(session, 'picture', drawing?.ranges ?? none);
  const { dtype } = layout;
  const reader = useMemo<ElementReader>(() => {
    const { bytes } = dtypes[dtype];
    return (byte, lane) => {
      const found = live.find(byte, bytes);
      return found && decodeValue(found.bytes, found.at, dtype, order, lane);
    };
  }, [live, dtype, order]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the bytes
  const range = useMemo(() => {
    if (choice.range === 'manual' || drawing === undefined) return { low: choice.low, high: choice.high };
    const { x, y, width, height, step } = drawing.window;
    const colors = Math.min(3, layout.channels);
    const sparse = step * Math.max(1, Math.ceil(Math.sqrt(((width / step) * (height / step) * colors) / MOST_SAMPLES)));
    const samples: number[] = [];
    for (let row = y; row < Math.min(layout.height, y + height); row += sparse) {
      for (let column = x; column < Math.min(layout.width, x + width); column += sparse) {
        for (let channel = 0; channel < colors; channel++) {
          const { byte, lane } = pixelPlace(layout, column, row, channel);
          const value = reader(byte, lane);
          if (value !== undefined) samples.push(magnitude(value));
        }
      }
    }
    return fitRange(samples, choice.range);
  }, [choice.range, choice.low, choice.high, drawing, layout, reader, live.version]);
  useEffect(() => {
    if (choice.range === 'manual') return;
    setChoice((before) =>
      before.low === range.low && before.high === range.high ? before : { ...before, low: range.low, high: range.high },
    );
  }, [choice.range, range, setChoice]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the bytes
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (canvas.current === null || context == null || drawing === undefined) return;
    const look = { ...range, colormap: choice.colormap, byteOrder: order, alpha: choice.alpha };
    const pixels = imagePixels(reader, layout, drawing.window, look);
    if (pixels.width === 0 || pixels.height === 0) return;
    canvas.current.width = pixels.width;
    canvas.current.height = pixels.height;
    context.putImageData(new ImageData(pixels.data, pixels.width, pixels.height), 0, 0);
  }, [drawing, layout, reader, range, choice.colormap, choice.alpha, order, live.version]);

  // Where a place was jumped to, the pixel there gets the cursor, and comes into sight.
  useJumps(session, 'image', (offset) => {
    const pixel = pixelOfByte(layout, offset);
    if (pixel === undefined) return;
    setChoice((before) => {
      const { scale, x, y } = before.place;
      const [wide, high] = [area.width / scale, area.height / scale];
      const isInSight = pixel.x >= x && pixel.y >= y && pixel.x < x + wide && pixel.y < y + high;
      const at = { scale, x: pixel.x - wide / 2, y: pixel.y - high / 2 };
      return { ...before, pixel, place: before.fit || isInSight ? before.place : at };
    });
  });

  const go = (next: Place) => setChoice((before) => ({ ...before, fit: false, place: next }));
  const zoom = (factor: number, at = { x: area.width / 2, y: area.height / 2 }) =>
    go(zoomed(place, factor, at, layout, area));
  useWheelZoom(frame, (event) => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined) return;
    zoom(event.deltaY < 0 ? 1.25 : 0.8, { x: event.clientX - box.left, y: event.clientY - box.top });
  });

  const pixelAt = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const x = Math.floor(place.x + (event.clientX - box.left) / place.scale);
    const y = Math.floor(place.y + (event.clientY - box.top) / place.scale);
    return x >= 0 && y >= 0 && x < layout.width && y < layout.height ? { x, y } : undefined;
  };
  const put = (to: { x: number; y: number }) => {
    const pixel = {
      x: Math.min(layout.width - 1, Math.max(0, to.x)),
      y: Math.min(layout.height - 1, Math.max(0, to.y)),
    };
    setChoice((before) => {
      const x = pixel.x < place.x ? pixel.x : Math.max(place.x, pixel.x + 1 - area.width / place.scale);
      const y = pixel.y < place.y ? pixel.y : Math.max(place.y, pixel.y + 1 - area.height / place.scale);
      return { ...before, pixel, place: before.fit ? before.place : { ...place, x, y } };
    });
    const { byte } = pixelPlace(layout, pixel.x, pixel.y);
    session.setCursor({ cursor: byte, anchor: byte + bytesOfPixel(layout) - 1 }, 'pointer');
    return pixel;
  };
  const showBytes = () => {
    const { byte } = pixelPlace(layout, choice.pixel.x, choice.pixel.y);
    openView('bytes');
    session.goTo(byte, bytesOfPixel(layout));
  };
  const said = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(said.current), []);
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    // One step is a pixel that can be told from its neighbour on the screen.
    const step = Math.max(1, Math.round(1 / place.scale)) * (event.shiftKey ? 10 : 1);
    const { x, y } = choice.pixel;
    const to = {
      ArrowLeft: { x: x - step, y },
      ArrowRight: { x: x + step, y },
      ArrowUp: { x, y: y - step },
      ArrowDown: { x, y: y + step },
      Home: { x: 0, y },
      End: { x: layout.width - 1, y },
      PageUp: { x, y: y - Math.floor(area.height / place.scale) },
      PageDown: { x, y: y + Math.floor(area.height / place.scale) },
    }[event.key];
    if (to !== undefined) {
      setHover(undefined);
      const pixel = put(to);
      clearTimeout(said.current);
      said.current = setTimeout(() => announce(sayPixel(pixel)), 250);
    } else if (event.key === 'Enter') showBytes();
    else if (event.key === '+' || event.key === '=') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') zoom(1 / place.scale);
    else if (event.key.toLowerCase() === 'f') setChoice((before) => ({ ...before, fit: true }));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const shown = hover ?? choice.pixel;
  const valuesOf = (pixel: { x: number; y: number }): string[] =>
    Array.from({ length: layout.channels }, (_, channel) => {
      const { byte, lane } = pixelPlace(layout, pixel.x, pixel.y, channel);
      const value = reader(byte, lane);
      const text = value === undefined ? 'not read' : formatValue(value, dtype);
      return layout.channels === 1 ? text : `${CHANNELS[channel]} ${text}`;
    });
  const sayPixel = (pixel: { x: number; y: number }) => `x ${pixel.x}, y ${pixel.y}: ${valuesOf(pixel).join(', ')}`;

  const window = drawing?.window;
  const inside = (at: { x: number; y: number }) => ({
    left: (at.x - place.x) * place.scale,
    top: (at.y - place.y) * place.scale,
  });
  const size = Math.max(5, place.scale);
  const mark = inside(choice.pixel);
  return (
    <>
      <div
        ref={frame}
        className="picture"
        data-area="memory"
        data-entry
        role="application"
        aria-roledescription="picture"
        aria-label={`Picture of the memory, ${layout.width} × ${layout.height} pixels`}
        aria-describedby="picture-say"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move its cursor and zoom it
        tabIndex={0}
        onKeyDown={press}
        onPointerMove={(event) => setHover(pixelAt(event))}
        onPointerLeave={() => setHover(undefined)}
        onDoubleClick={showBytes}
        onPointerDown={(event) =>
          startDrag(event, place, go, () => {
            const pixel = pixelAt(event);
            if (pixel !== undefined) put(pixel);
          })
        }
      >
        <canvas
          ref={canvas}
          style={
            window && {
              left: (window.x - place.x) * place.scale,
              top: (window.y - place.y) * place.scale,
              width: Math.ceil(window.width / window.step) * window.step * place.scale,
              height: Math.ceil(window.height / window.step) * window.step * place.scale,
            }
          }
        />
        <span
          className="picture-cursor"
          style={{
            left: mark.left + (place.scale - size) / 2,
            top: mark.top + (place.scale - size) / 2,
            width: size,
            height: size,
          }}
        />
      </div>
      <div className="picture-foot num">
        <span id="picture-say">
          x {formatCount(shown.x)}, y {formatCount(shown.y)}: <b className="mono">{valuesOf(shown).join('  ')}</b>{' '}
          <span className="dim mono">{hexOffset(pixelPlace(layout, shown.x, shown.y).byte)}</span>
        </span>
        {window !== undefined && window.step > 1 && (
          <span className="soft">
            1 pixel in {formatCount(window.step)} each way, {formatSize(drawing?.bytes ?? 0)} read.
          </span>
        )}
        <span className="grow" />
        <span className="picture-marks dim">
          <i className="m-nan" /> NaN <i className="m-inf" /> Inf <i className="m-neg" /> −Inf{' '}
          <i className="m-unread" /> not read
        </span>
        <Button size="small" onClick={showBytes}>
          Show bytes
        </Button>
      </div>
      <ReadNote live={live} />
    </>
  );
}

const none: readonly never[] = [];

/** Interleaved channels lie side by side; of planes it is the first. */
const bytesOfPixel = ({ dtype, channels, order }: ImageLayout): number =>
  dtypes[dtype].bytes * (order === 'HWC' && dtypes[dtype].perUnit === 1 ? channels : 1);

/** A press that moves drags the picture, one that does not sets the cursor. */
function startDrag(event: PointerEvent<HTMLElement>, from: Place, go: (place: Place) => void, click: () => void): void {
  if (event.button !== 0) return;
  const target = event.currentTarget;
  const { clientX, clientY, pointerId } = event;
  let dragged = false;
  target.setPointerCapture(pointerId);
  const move = (moved: globalThis.PointerEvent) => {
    const [dx, dy] = [moved.clientX - clientX, moved.clientY - clientY];
    if (!dragged && Math.hypot(dx, dy) < 4) return;
    dragged = true;
    go({ scale: from.scale, x: from.x - dx / from.scale, y: from.y - dy / from.scale });
  };
  const drop = () => {
    target.removeEventListener('pointermove', move);
    target.removeEventListener('lostpointercapture', drop);
    if (!dragged) click();
  };
  target.addEventListener('pointermove', move);
  target.addEventListener('lostpointercapture', drop);
}

/** The wheel zooms the picture and scrolls nothing. */
function useWheelZoom(frame: { readonly current: HTMLElement | null }, turn: (event: WheelEvent) => void): void {
  const latest = useRef(turn);
  latest.current = turn;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      if (event.deltaY !== 0) latest.current(event);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [frame]);
}
