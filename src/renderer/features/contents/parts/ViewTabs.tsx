import { type KeyboardEvent, useRef } from 'react';
import { views } from '../views';

/** One tab stop; arrows move and open. */
export function ViewTabs({ open, onOpen }: { open: string; onOpen: (id: string) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = views.findIndex(({ id }) => id === open);
    const next = views[(at + step + views.length) % views.length];
    if (next === undefined) return;
    onOpen(next.id);
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div ref={list} className="tab-list" role="tablist" aria-label="Views of the contents">
      {views.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          className="tab"
          aria-selected={id === open}
          aria-controls={id === open ? `view-${id}` : undefined}
          tabIndex={id === open ? 0 : -1}
          onClick={() => onOpen(id)}
          onKeyDown={move}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
