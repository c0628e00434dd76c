import './place-list.css';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef } from 'react';
import { formatCount } from '#contract/units';
import { equalRows, useRowWindow } from '../../../lib/row-window';
import { cx } from '../../../ui/cx';

export interface ListedPlace {
  readonly key: string | number;
  /** The offset, as it is written everywhere. */
  readonly text: string;
  readonly detail?: string;
}

export interface PlaceListProps {
  readonly label: string;
  readonly places: readonly ListedPlace[];
  /** Index of the place the cursor is at; -1 when it is at none. */
  readonly selected: number;
  /** Arrows and clicks: shows the place. */
  readonly onSelect: (index: number) => void;
  /** Enter and a double click: goes there for good. */
  readonly onOpen?: (index: number) => void;
  /** Shift+Enter: goes to what belongs to it elsewhere. */
  readonly onOther?: (index: number) => void;
}

const ROW = 22;

/** Places of a memory, any number of them: one tab stop, arrows go from place to place. */
export function PlaceList({ label, places, selected, onSelect, onOpen, onOther }: PlaceListProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => equalRows(places.length, ROW), [places.length]);
  const { rows: inSight, page, show } = useRowWindow(scroller, rows);
  useEffect(() => {
    if (selected >= 0) show(selected);
  }, [selected, show]);

  const press = (event: KeyboardEvent) => {
    const last = places.length - 1;
    if (event.key === 'Enter') {
      if (selected >= 0) (event.shiftKey ? onOther : onOpen)?.(selected);
    } else {
      const to = {
        ArrowDown: selected + 1,
        ArrowUp: selected < 0 ? last : selected - 1,
        PageDown: selected + page,
        PageUp: selected - page,
        Home: 0,
        End: last,
      }[event.key];
      if (to === undefined || last < 0) return;
      onSelect(Math.min(last, Math.max(0, to)));
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={scroller}
      className="place-list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
      onKeyDown={press}
    >
      <div className="place-list-in" role="presentation" style={{ height: rows.height }}>
        {inSight.map(({ index, slot, top }) => {
          const place = places[index];
          if (place === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
            <div
              key={slot}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === selected}
              aria-setsize={places.length}
              aria-posinset={index + 1}
              className={cx('place', index === selected && 'on')}
              style={{ transform: `translateY(${top}px)` }}
              onClick={() => onSelect(index)}
              onDoubleClick={() => onOpen?.(index)}
            >
              <span className="dim num">{formatCount(index + 1)}</span>
              <span className="mono cut">{place.text}</span>
              {place.detail !== undefined && <span className="soft num cut">{place.detail}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}
