import './Switch.css';
import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { Icon } from './Icon';

interface ToggleProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  /** The words beside it, and its accessible name. */
  readonly children: ReactNode;
}

/** On or off, at once. */
export function Switch({ checked, onChange, disabled, children }: ToggleProps) {
  const id = useId();
  return (
    <span className="toggle">
      <span id={id}>{children}</span>
      <BaseSwitch.Root
        className="switch"
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={id}
      >
        <BaseSwitch.Thumb className="switch-thumb" />
      </BaseSwitch.Root>
    </span>
  );
}

/** Yes or no, as part of a form. */
export function Checkbox({ checked, onChange, disabled, children }: ToggleProps) {
  const id = useId();
  return (
    <span className="toggle">
      <BaseCheckbox.Root
        className="check"
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={id}
      >
        <BaseCheckbox.Indicator className="check-mark">
          <Icon name="check" size={12} />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <span id={id}>{children}</span>
    </span>
  );
}
