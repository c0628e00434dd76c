import { Button } from '../../../ui/Button';
import { Tooltip } from '../../../ui/Tooltip';
import type { ViewProps } from '../views';
import { useImage } from './use-image';

/** How large the picture is shown. Its keys work while the picture has the focus. */
export function ImageTools({ session }: ViewProps) {
  const [choice, setChoice] = useImage(session);
  const percent = choice.place.scale * 100;
  return (
    <>
      <Tooltip text="As large as it fits (F)">
        <Button
          size="small"
          aria-pressed={choice.fit}
          onClick={() => setChoice((before) => ({ ...before, fit: true }))}
        >
          Fit
        </Button>
      </Tooltip>
      <Tooltip text="Each pixel one pixel of the screen (0)">
        <Button
          size="small"
          onClick={() => setChoice((before) => ({ ...before, fit: false, place: { ...before.place, scale: 1 } }))}
        >
          100 %
        </Button>
      </Tooltip>
      <span className="dim num">{percent >= 10 ? Math.round(percent) : Number(percent.toPrecision(2))} %</span>
    </>
  );
}
