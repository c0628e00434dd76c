import { useState } from 'react';
import { type IpcError, toIpcError } from '#contract/result';
import { announce } from '../../lib/announce';
import { copyText } from '../../lib/clipboard';
import { Button } from '../../ui/Button';
import { ErrorText } from '../../ui/ErrorText';
import { useCopied } from './use-copied';

export interface SecretTextProps {
  /** Accessible name: `Code`, `Descriptor`. */
  readonly name: string;
  /** With dots in place of handles. */
  readonly masked: string;
  /** The text as it is; asked for on purpose only. Throws GpuIpcError. */
  readonly real: () => Promise<string>;
  /** Writes it into a file that a person chooses: its path, or null when none was chosen. Throws GpuIpcError. */
  readonly save?: () => Promise<string | null>;
}

/** A text with handles in it: masked until revealed; copying and saving take the real one, which is an act of its own. */
export function SecretText({ name, masked, real, save }: SecretTextProps) {
  const [revealed, setRevealed] = useState<string>();
  const [copied, setCopied] = useCopied<true>();
  const [savedTo, setSavedTo] = useState<string>();
  const [error, setError] = useState<IpcError>();
  const secret = masked.includes('••••');

  const run = (action: () => Promise<void>) => {
    setError(undefined);
    action().catch((thrown) => setError(toIpcError(thrown)));
  };
  const reveal = () =>
    run(async () => {
      if (revealed !== undefined) return setRevealed(undefined);
      setRevealed(await real());
      announce('The handle is shown');
    });
  const copy = () =>
    run(async () => {
      await copyText(await real());
      setCopied(true);
      announce(`${name} copied`);
    });
  const toFile = (write: () => Promise<string | null>) =>
    run(async () => {
      const path = await write();
      if (path === null) return;
      setSavedTo(path);
      announce(`${name} saved to ${path}`);
    });
  return (
    <div className="secret-box">
      <div className="secret-h">
        <span className="note">
          {!secret
            ? 'Nothing in it has to be hidden.'
            : revealed === undefined
              ? save === undefined
                ? 'The handle is hidden; a copy has it.'
                : 'The handle is hidden; a copy and a file have it.'
              : 'Whoever has the handle can open this.'}
        </span>
        <span className="grow" />
        {secret && (
          <Button size="small" icon="eye" aria-pressed={revealed !== undefined} onClick={reveal}>
            {revealed === undefined ? 'Reveal' : 'Hide'}
          </Button>
        )}
        {save !== undefined && (
          <Button size="small" look="line" onClick={() => toFile(save)}>
            Save to a file…
          </Button>
        )}
        <Button size="small" look="line" icon={copied ? 'check' : 'copy'} onClick={copy}>
          {copied ? 'Copied' : `Copy ${name.toLowerCase()}`}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <pre className="secret-text mono selectable" role="region" aria-label={name} tabIndex={0}>
        {revealed ?? masked}
      </pre>
      {savedTo !== undefined && (
        <p className="note selectable">
          Saved to {savedTo}. Only your user may read that file: it has the handle in it.
        </p>
      )}
      {error !== undefined && <ErrorText error={error} />}
    </div>
  );
}
