import './float.css';
import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

/** Wraps a window once: after one tooltip the next opens without waiting. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <BaseTooltip.Provider delay={400} closeDelay={0}>
      {children}
    </BaseTooltip.Provider>
  );
}

export interface TooltipProps {
  /** Full name, exact bytes or a reason. Not the only place of anything a person must know. */
  readonly text: ReactNode;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  /** One element that takes a ref and pointer events: a button, a span. */
  readonly children: ReactElement<Record<string, unknown>>;
}

/** A line that appears on hover and keyboard focus. */
export function Tooltip({ text, side = 'bottom', children }: TooltipProps) {
  return (
    <BaseTooltip.Root>
      <BaseTooltip.Trigger render={children} />
      <BaseTooltip.Portal>
        <BaseTooltip.Positioner className="float-pos" side={side} sideOffset={6}>
          <BaseTooltip.Popup className="tip">{text}</BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  );
}
