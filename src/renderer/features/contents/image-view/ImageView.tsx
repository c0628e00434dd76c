import '../parts/strip.css';
import './image.css';
import { useEffect } from 'react';
import { dtypes } from '#contract/dtypes';
import { pixelPlace } from '#contract/tensor/image';
import type { ViewProps } from '../views';
import { ImageFields } from './ImageFields';
import { Picture } from './Picture';
import { useImage } from './use-image';

/** The memory as a picture. */
export function ImageView({ session }: ViewProps) {
  const [{ layout, pixel }] = useImage(session);

  // The value under the cursor is read by the session, as in every other view.
  const byte = layout === undefined ? undefined : pixelPlace(layout, pixel.x, pixel.y).byte;
  const bytes = layout === undefined ? 1 : dtypes[layout.dtype].bytes;
  useEffect(() => {
    if (byte !== undefined && byte + bytes <= session.size) session.setVisible({ offset: byte, length: bytes });
  }, [session, byte, bytes]);

  return (
    <div className="image">
      <ImageFields session={session} />
      {layout === undefined ? (
        <p className="image-empty dim">No picture fits into this memory yet.</p>
      ) : (
        <Picture session={session} layout={layout} />
      )}
    </div>
  );
}
