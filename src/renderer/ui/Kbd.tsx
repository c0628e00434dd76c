import './Kbd.css';

/** A key or a chord: `Ctrl K`. */
export function Kbd({ children }: { children: string }) {
  return <kbd className="kbd">{children}</kbd>;
}
