import type { Chunk } from '#contract/records';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { count } from '../../../lib/format';
import { groupsOf, type MemoryGroup } from '../../../lib/groups';
import { useLedgerStore } from '../../../lib/ledger-store';
import { placesOf } from '../../../lib/places';
import { selectObject } from '../../../lib/selection-store';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { HeldBy } from './HeldBy';
import { type Holds, holdsOfPiece, holdsWords, offsetText, rangeWords, type Segment, segmentsOf } from './pieces';

export interface RangePictureProps {
  readonly group: MemoryGroup;
  readonly range: {
    readonly id: string;
    readonly label: string;
    readonly address: string;
    readonly bytes: number;
    readonly chunks: readonly Chunk[];
  };
  /** Given for a range that this process can change. */
  readonly onMap?: (offset: number) => void;
  readonly onUnmap?: (offset: number) => void;
}

/** With more parts than this, the first ones are drawn and the rest is a number. */
const MOST = 48;

/** Addresses → physical memory → who else has it, as a picture whose nodes are links; the same in words beside it. */
export function RangePicture({ group, range, onMap, onUnmap }: RangePictureProps) {
  const ledger = useLedgerStore((store) => store.ledger);
  const groups = groupsOf(ledger);
  const places = placesOf(ledger);
  const segments = segmentsOf(range.bytes, range.chunks);
  const shown = segments.slice(0, MOST);
  const owner = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const nameOf = (physicalId: string) => ledger.physicals.get(physicalId)?.label ?? physicalId;
  // In a mapping the others are the importers themselves: they are in the drawing of who holds it.
  const holdsOf = (segment: Segment): Holds =>
    group.allocation?.id === range.id
      ? holdsOfPiece(segment, group, ledger, groups)
      : { fds: [], fabric: false, importers: [] };
  const words = rangeWords(range.label, segments, nameOf, (segment) =>
    holdsWords(holdsOf(segment), (id) => ledger.peers.get(id)?.name ?? id),
  );
  return (
    <figure className="vm" aria-label={words}>
      <div className="vm-scale" aria-hidden="true">
        {segments.map((segment) => (
          <span
            key={segment.offset}
            className={segment.kind === 'gap' ? 'gap' : undefined}
            style={{ flexGrow: segment.bytes }}
          />
        ))}
      </div>
      <div className="vm-h dim" aria-hidden="true">
        <span>Addresses</span>
        <span>Physical memory</span>
        <span>Others</span>
      </div>
      {shown.map((segment) => (
        <div key={segment.offset} className={cx('vm-row', segment.kind)}>
          <div className="vm-a num" title={`${range.address} + ${formatBytes(segment.offset)}`}>
            <span>{offsetText(segment.offset)}</span>
            <span className="dim">{formatSize(segment.bytes)}</span>
          </div>
          {segment.kind === 'gap' ? (
            <div className="vm-gap">
              <span>not mapped</span>
              {onMap !== undefined && (
                <button
                  type="button"
                  className="link"
                  aria-label={`Map memory at offset ${formatCount(segment.offset)}`}
                  onClick={() => onMap(segment.offset)}
                >
                  Map…
                </button>
              )}
            </div>
          ) : (
            <>
              <div className="vm-p">
                <button
                  type="button"
                  className={cx('vm-node', ledger.physicals.get(segment.physicalId)?.state === 'released' && 'lost')}
                  onClick={() => selectObject(segment.physicalId)}
                >
                  <Icon name="physical" size={14} />
                  <b className="cut">{nameOf(segment.physicalId)}</b>
                </button>
                <div className="vm-u">
                  <span className="vm-also num">{also(segment, range.id, places.get(segment.physicalId) ?? [])}</span>
                  {onUnmap !== undefined && (
                    <button
                      type="button"
                      className="link"
                      aria-label={`Unmap ${nameOf(segment.physicalId)} at offset ${formatCount(segment.offset)}`}
                      onClick={() => onUnmap(segment.offset)}
                    >
                      Unmap
                    </button>
                  )}
                </div>
              </div>
              <div className="vm-o">
                {group.allocation?.id === range.id ? (
                  <HeldBy holds={holdsOf(segment)} ownerPid={owner?.pid} />
                ) : (
                  <span className="vm-none">imported</span>
                )}
              </div>
            </>
          )}
        </div>
      ))}
      {segments.length > shown.length && (
        <p className="note">{count(segments.length - shown.length, 'more part', 'more parts')}, in the scale above.</p>
      )}
    </figure>
  );
}

type PlacesOf = ReturnType<typeof placesOf> extends Map<string, infer P> ? P : never;

/** Where else the same memory is: `also at +2,097,152`, `also in view`. */
function also(segment: Segment, rangeId: string, places: PlacesOf): string {
  const others = places.filter((place) => place.rangeId !== rangeId || place.offset !== segment.offset);
  const words = others.map((place) =>
    place.rangeId === rangeId ? `at ${offsetText(place.offset)}` : `in ${place.label} ${offsetText(place.offset)}`,
  );
  return words.length === 0 ? '' : `also ${words.join(', ')}`;
}
