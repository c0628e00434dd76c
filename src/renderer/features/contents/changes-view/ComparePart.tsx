import { dtypeIds } from '#contract/dtypes';
import { formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { Button } from '../../../ui/Button';
import { Field } from '../../../ui/Field';
import { Pick } from '../../../ui/Pick';
import { remember, useRemembered } from '../model/remembered';
import { useSignal } from '../model/use-signal';
import { Working } from '../parts/Working';
import type { ViewProps } from '../views';
import { comparisonOf, hasTolerance, parseTolerance } from './comparison';
import { Differences } from './Differences';
import type { Side } from './sides';
import { type CompareForm, compareSettings } from './use-sides';

const ways = [{ value: 'bytes' as const, label: 'bytes' }, ...dtypeIds.map((value) => ({ value, label: value }))];

const options = (sides: readonly Side[]) => sides.map(({ id, name, detail }) => ({ value: id, label: name, detail }));

/** Two sides, how they are compared, and what came of it. */
export function ComparePart({ session, form }: ViewProps & { form: CompareForm }) {
  const { sides, a, b, choose, question, problem } = form;
  const { as, absolute, relative } = useRemembered('compare', compareSettings);
  const comparison = comparisonOf(session);
  const job = useSignal(comparison.onChange, () => comparison.running?.job);
  const typed = as !== 'bytes' && hasTolerance(as);
  const compare = () => question !== undefined && void comparison.ask(question);
  const chooseSide = (side: 'a' | 'b', id: string) => {
    // The list says so too when the chosen side went and another one took its place by itself.
    if (id === form[side]?.id) return;
    comparison.forgetFailure();
    choose({ [side]: id });
  };
  const bad = (text: string) => (parseTolerance(text) === undefined ? 'A number from 0 on' : undefined);
  return (
    <section className="compare" aria-label="Compare">
      <form
        className="compare-form"
        onSubmit={(event) => {
          event.preventDefault();
          compare();
        }}
      >
        <div className="compare-row">
          <h3>Compare</h3>
          <Pick
            label="First side"
            prefix=""
            className="side"
            value={a?.id ?? ''}
            options={options(sides)}
            onChange={(id) => chooseSide('a', id)}
          />
          <span className="dim">with</span>
          <Pick
            label="Second side"
            prefix=""
            className="side"
            value={b?.id ?? ''}
            options={options(sides)}
            onChange={(id) => chooseSide('b', id)}
          />
          <span className="grow" />
          <Button type="submit" size="small" look="primary" disabled={question === undefined || job !== undefined}>
            {question === undefined ? 'Compare' : `Compare ${formatSize(question.length)}`}
          </Button>
        </div>
        <div className="compare-row">
          <Pick
            label="Compare as"
            prefix="as"
            value={as}
            options={ways}
            onChange={(next) => remember('compare', { as: next })}
          />
          {typed && (
            <>
              <span className="dim">may differ by</span>
              <Field
                size="small"
                mono
                className="tolerance"
                label="Absolute tolerance"
                hideLabel
                placeholder="0"
                value={absolute}
                error={bad(absolute)}
                onChange={(event) => remember('compare', { absolute: event.currentTarget.value })}
              />
              <span className="dim">plus</span>
              <Field
                size="small"
                mono
                className="tolerance"
                label="Relative tolerance"
                hideLabel
                placeholder="0"
                end="× b"
                value={relative}
                error={bad(relative)}
                onChange={(event) => remember('compare', { relative: event.currentTarget.value })}
              />
            </>
          )}
          <span className="note cut">
            {problem ??
              (question !== undefined &&
                (question.aOffset > 0 || question.bOffset > 0) &&
                `From ${hexOffset(question.aOffset)} of the first and ${hexOffset(question.bOffset)} of the second on.`)}
          </span>
        </div>
      </form>
      {job !== undefined && (
        <Working job={job} onCancel={() => comparison.cancel()}>
          Comparing…
        </Working>
      )}
      <Differences session={session} form={form} onAgain={compare} />
    </section>
  );
}
