import type { CSSProperties } from 'react';
import type { HandleAnatomy, HandleField } from '#contract/handle-anatomy';
import { nameOf, type Piece, piecesOf, ROW } from './anatomy-pieces';

const tint: Readonly<Record<HandleField['kind'], string>> = {
  pid: 'pid',
  size: 'size',
  block: 'block',
  offset: 'offs',
  secret: 'secret',
  constant: '',
  zero: '',
  unknown: '',
};

const hex = (byte: number) => byte.toString(16).padStart(2, '0');

/**
 * The 64 bytes as four rows of sixteen, where the fields fall on the grid. `bytes` are the revealed ones; without them
 * the secret fields are hatched. A layout that was not checked gives one strip without names.
 */
export function Anatomy({ anatomy, bytes }: { anatomy: HandleAnatomy; bytes: Uint8Array | undefined }) {
  return (
    <>
      {anatomy.checked ? (
        <div className="anat" role="group" aria-label="Anatomy of the 64 bytes">
          {piecesOf(anatomy.fields).map((piece) => (
            <PieceView key={piece.from} piece={piece} bytes={bytes} />
          ))}
        </div>
      ) : (
        <div className="anat" role="group" aria-label="The 64 bytes">
          {[0, 16, 32, 48].map((row) => (
            <div
              key={row}
              className={bytes === undefined ? 'af secret' : 'af'}
              style={{ '--span': ROW } as CSSProperties}
            >
              <Cells bytes={bytes?.subarray(row, row + ROW)} length={ROW} />
            </div>
          ))}
        </div>
      )}
      <p className="note anat-note">{anatomy.note}</p>
    </>
  );
}

function PieceView({ piece, bytes }: { piece: Piece; bytes: Uint8Array | undefined }) {
  const { field, from, length, first } = piece;
  const own = field.bytes?.subarray(from - field.offset, from - field.offset + length);
  const shown = bytes?.subarray(from, from + length) ?? own;
  const hidden = shown === undefined;
  return (
    <div className={`af ${tint[field.kind]}${hidden ? '' : ' shown'}`} style={{ '--span': length } as CSSProperties}>
      <Cells bytes={shown} length={length} />
      <span className="af-t">{nameOf(piece)}</span>
      <span className="af-v num">{first && (hidden ? 'hidden' : (field.value ?? ''))}</span>
    </div>
  );
}

function Cells({ bytes, length }: { bytes: Uint8Array | undefined; length: number }) {
  return (
    <div className="cells" aria-hidden={bytes === undefined || undefined}>
      {Array.from({ length }, (_, index) => {
        const byte = bytes?.[index];
        // The place is the identity: a strip never reorders.
        // biome-ignore lint/suspicious/noArrayIndexKey: bytes have no other name than their place
        return <span key={index}>{byte === undefined ? '' : hex(byte)}</span>;
      })}
    </div>
  );
}
