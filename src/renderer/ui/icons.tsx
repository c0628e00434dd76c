/**
 * The signs of this program, drawn on a 16 × 16 grid with a stroke of 1.4: roles, states and tools share one hand.
 * `className="f"` marks a part that is filled instead of stroked.
 */
import type { ReactElement } from 'react';

export const icons = {
  back: <path d="M13 8H3.4M7 4.2L3.2 8 7 11.8" />,
  bolt: <path d="M8.8 1.8L3.6 9h3.8l-.6 5.2L12.4 7H8.4z" />,
  bookmark: <path d="M4.4 2.4h7.2v11.2L8 10.8l-3.6 2.8z" />,
  broken: (
    <path d="M6.6 9.4L4.4 11.6a2.3 2.3 0 0 1-3.2-3.2L3.4 6.2M9.4 6.6l2.2-2.2a2.3 2.3 0 0 1 3.2 3.2l-2.2 2.2M5.2 2.2l.7 2M2.2 4.6l1.8.6M10.8 13.8l-.7-2M13.8 11.4l-1.8-.6" />
  ),
  buffer: (
    <>
      <rect x="2.2" y="3.7" width="11.6" height="8.6" rx="1.6" />
      <path d="M5.1 3.7v8.6M8 3.7v8.6M10.9 3.7v8.6" />
    </>
  ),
  camera: (
    <>
      <rect x="2" y="4.6" width="12" height="8.6" rx="1.6" />
      <circle cx="8" cy="8.9" r="2.3" />
      <path d="M5.6 4.6l1-1.6h2.8l1 1.6" />
    </>
  ),
  check: <path d="M3.4 8.4l3 3 6.2-6.6" />,
  copy: (
    <>
      <rect x="5.4" y="5.4" width="8" height="8.2" rx="1.5" />
      <path d="M10.6 5.2V4c0-.8-.7-1.5-1.5-1.5H4.1c-.8 0-1.5.7-1.5 1.5v5c0 .8.7 1.5 1.5 1.5h1.1" />
    </>
  ),
  cross: <path d="M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6" />,
  down: <path d="M4.5 6.5L8 10l3.5-3.5" />,
  event: (
    <>
      <path d="M4 14V2.4" />
      <path d="M4 3h8.2l-2 2.9 2 2.9H4" />
    </>
  ),
  exporter: (
    <>
      <path d="M9.2 2.4H4.1c-.9 0-1.7.8-1.7 1.7v7.8c0 .9.8 1.7 1.7 1.7h7.8c.9 0 1.7-.8 1.7-1.7V6.8" />
      <path d="M7 9l6.4-6.4M10.2 2.4h3.4v3.4" />
    </>
  ),
  eye: (
    <>
      <path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  fwd: <path d="M3 8h9.6M9 4.2L12.8 8 9 11.8" />,
  fd: (
    <>
      <path d="M6 2.6v3M10 2.6v3M4 5.6h8v2.2a4 4 0 0 1-8 0zM8 11.8v1.8" />
    </>
  ),
  gear: (
    <>
      <path d="M3 4.6h6.4M12.6 4.6h.4M3 11.4h.6M7 11.4h6" />
      <circle cx="11" cy="4.6" r="1.6" />
      <circle cx="5.2" cy="11.4" r="1.6" />
    </>
  ),
  gpu: (
    <>
      <rect x="1.8" y="4" width="12.4" height="7.2" rx="1.4" />
      <circle cx="6" cy="7.6" r="1.9" />
      <path d="M10.4 6.2h1.8M10.4 9h1.8M4 11.2v2M7 11.2v2" />
    </>
  ),
  half: (
    <>
      <circle cx="8" cy="8" r="3.8" />
      <path className="f" d="M8 4.2a3.8 3.8 0 0 1 0 7.6z" />
    </>
  ),
  import: (
    <>
      <path d="M8 2.2v7.4M5 6.8l3 3 3-3" />
      <path d="M2.6 9.8v2.4c0 .9.6 1.6 1.5 1.6h7.8c.9 0 1.5-.7 1.5-1.6V9.8" />
    </>
  ),
  importer: (
    <>
      <path d="M13.6 6.8v5.1c0 .9-.8 1.7-1.7 1.7H4.1c-.9 0-1.7-.8-1.7-1.7V4.1c0-.9.8-1.7 1.7-1.7h5.1" />
      <path d="M13.6 2.4L7.2 8.8M7 5.6V9h3.4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 7.4v3.6" />
      <circle className="f" cx="8" cy="5.1" r=".9" />
    </>
  ),
  inspector: (
    <>
      <circle cx="7" cy="7" r="4.4" />
      <path d="M10.3 10.3l3.4 3.4" />
      <circle className="f" cx="7" cy="7" r="1.3" />
    </>
  ),
  key: (
    <>
      <circle cx="5.2" cy="8" r="3" />
      <path d="M8.2 8h6.2M11.6 8v2.6M14.2 8v1.8" />
    </>
  ),
  live: <circle className="f" cx="8" cy="8" r="4" />,
  logo: (
    <>
      <rect x="1.7" y="3.2" width="8.6" height="9.6" rx="2" />
      <rect x="5.7" y="3.2" width="8.6" height="9.6" rx="2" />
      <rect className="f" x="7.2" y="4.9" width="1.6" height="6.2" rx=".4" />
    </>
  ),
  minus: <path d="M4 8h8" />,
  moon: <path d="M13 9.6A5.6 5.6 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z" />,
  more: (
    <>
      <circle className="f" cx="3.6" cy="8" r="1.15" />
      <circle className="f" cx="8" cy="8" r="1.15" />
      <circle className="f" cx="12.4" cy="8" r="1.15" />
    </>
  ),
  outside: (
    <>
      <rect x="2.4" y="3" width="11.2" height="10" rx="1.8" />
      <path d="M5 6.4l2 1.8-2 1.8M8.6 10h2.6" />
    </>
  ),
  pause: <path d="M5.6 3.8v8.4M10.4 3.8v8.4" />,
  physical: (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1.2" />
      <path d="M6.4 4V2.2M9.6 4V2.2M6.4 13.8V12M9.6 13.8V12M4 6.4H2.2M4 9.6H2.2M13.8 6.4H12M13.8 9.6H12" />
    </>
  ),
  play: <path d="M5 3.4l7.4 4.6L5 12.6z" />,
  plus: <path d="M8 3.4v9.2M3.4 8h9.2" />,
  pool: (
    <>
      <ellipse cx="8" cy="4.2" rx="5.2" ry="2" />
      <path d="M2.8 4.2v7.4c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2V4.2M2.8 7.9c0 1.1 2.3 2 5.2 2s5.2-.9 5.2-2" />
    </>
  ),
  question: (
    <>
      <path d="M5.6 6.2a2.4 2.4 0 1 1 3.5 2.1c-.8.4-1.1.8-1.1 1.7" />
      <circle className="f" cx="8" cy="12.4" r=".9" />
    </>
  ),
  restart: (
    <>
      <path d="M13 8a5 5 0 1 1-1.6-3.7" />
      <path d="M13.2 2.4v2.8h-2.8" />
    </>
  ),
  right: <path d="M6.5 4.5L10 8l-3.5 3.5" />,
  ring: <circle cx="8" cy="8" r="3.8" />,
  save: <path d="M8 2.4v7M5.2 6.8L8 9.6l2.8-2.8M3 13.2h10" />,
  screen: (
    <>
      <rect x="2" y="3" width="12" height="8" rx="1.4" />
      <path d="M8 11v2.4M5.4 13.4h5.2" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="M10.2 10.2l3.3 3.3" />
    </>
  ),
  step: <path d="M4 3.6L10 8l-6 4.4zM12.4 3.6v8.8" />,
  stop: <rect x="4.2" y="4.2" width="7.6" height="7.6" rx="1" />,
  up: <path d="M4.5 9.5L8 6l3.5 3.5" />,
  wait: (
    <>
      <circle cx="8" cy="8" r="5.4" />
      <path d="M8 5v3.2l2 1.4" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.6l6 10.6H2z" />
      <path d="M8 6.6v3.2" />
      <circle className="f" cx="8" cy="11.4" r=".8" />
    </>
  ),
} as const satisfies Record<string, ReactElement>;

export type IconName = keyof typeof icons;
