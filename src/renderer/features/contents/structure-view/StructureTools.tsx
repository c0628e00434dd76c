import { useState } from 'react';
import type { ByteOrder } from '#contract/decode-values';
import { formatExamples } from '#contract/structure/examples';
import { hexOffset } from '../../../lib/bytes-format';
import { Button } from '../../../ui/Button';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { Menu, type MenuItem } from '../../../ui/Menu';
import { Segmented } from '../../../ui/Segmented';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { forgetFormat, keepFormat, setFormat, showEditor, useFormats, useFormatText, usePlace } from './use-structure';

/** Formats to choose from, where the format begins, and the byte order. */
export function StructureTools({ session }: ViewProps) {
  const text = useFormatText(session);
  const { named, editor } = useFormats();
  const [place, setPlace] = usePlace(session);
  const [naming, setNaming] = useState<string>();
  const cursor = useSignal(session.onCursor, () => session.selection.start);
  const names = Object.keys(named).sort((a, b) => a.localeCompare(b));
  const own: MenuItem[] = names.map((name) => ({
    label: name,
    checked: named[name] === text,
    onSelect: () => setFormat(named[name] ?? ''),
  }));
  const current = names.find((name) => named[name] === text);
  const keep = () => {
    const name = naming?.trim() ?? '';
    if (name === '') return;
    keepFormat(named, name, text);
    setNaming(undefined);
  };
  return (
    <>
      <Menu
        label="Formats"
        align="start"
        trigger={
          <Button size="small" opens>
            Formats
          </Button>
        }
        items={[
          ...own,
          ...(own.length > 0 ? (['line'] as const) : []),
          ...formatExamples.map(({ title, text: example }) => ({
            label: `Example: ${title}`,
            checked: example === text,
            onSelect: () => setFormat(example),
          })),
          'line',
          { label: 'Keep this format as…', icon: 'save', onSelect: () => setNaming(current ?? '') },
          ...(current === undefined
            ? []
            : [{ label: `Forget ${current}`, danger: true, onSelect: () => forgetFormat(named, current) }]),
        ]}
      />
      <Button size="small" aria-pressed={editor} onClick={() => showEditor(!editor)}>
        Edit format
      </Button>
      <Segmented<ByteOrder>
        label="Byte order of the structure"
        size="tiny"
        value={place.order}
        options={[
          { value: 'little', label: 'LE' },
          { value: 'big', label: 'BE' },
        ]}
        onChange={(order) => setPlace((before) => ({ ...before, order }))}
      />
      <span className="wide-only">
        <Tooltip text="Lay the format on the byte under the cursor">
          <Button
            size="small"
            disabled={place.offset === cursor}
            onClick={() => setPlace((before) => ({ ...before, offset: cursor }))}
          >
            Begin at {hexOffset(cursor)}
          </Button>
        </Tooltip>
      </span>
      <Dialog
        open={naming !== undefined}
        onClose={() => setNaming(undefined)}
        title="Keep this format"
        width="narrow"
        onSubmit={keep}
        footer={
          <>
            <Button look="line" onClick={() => setNaming(undefined)}>
              Cancel
            </Button>
            <Button look="primary" type="submit" disabled={(naming ?? '').trim() === ''}>
              Keep
            </Button>
          </>
        }
      >
        <Field
          label="Name"
          maxLength={60}
          value={naming ?? ''}
          note={
            naming !== undefined && named[naming.trim()] !== undefined
              ? 'A format of this name is replaced.'
              : undefined
          }
          onChange={(event) => setNaming(event.currentTarget.value)}
        />
      </Dialog>
    </>
  );
}
