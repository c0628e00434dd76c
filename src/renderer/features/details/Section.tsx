import type { ReactNode } from 'react';

/** One part of Details: a title, a quiet word beside it, actions at the right. */
export function Section({
  title,
  aside,
  actions,
  children,
}: {
  title: string;
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className="sec-h">
        <h3>{title}</h3>
        {aside !== undefined && <span className="dim num cut">{aside}</span>}
        {actions !== undefined && <span className="end">{actions}</span>}
      </div>
      {children}
    </section>
  );
}

/** Facts as pairs of a name and a value; pairs without a value are left out. */
export function Facts({ facts }: { facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) {
  return (
    <dl className="kv num">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className="kv-r">
              <dt>{name}</dt>
              <dd className="selectable" title={typeof value === 'string' ? value : undefined}>
                {value}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
