import type { VNode } from 'preact';
import type { StatusAnswer } from '../protocol.ts';
import { duration, number } from './format.ts';

/** A bar with the shares of a batch's rows by outcome. */
export function Bar({
  counts,
  rows,
}: {
  /** Rows by outcome, `open` included. */
  readonly counts: readonly (readonly [string, number])[];
  readonly rows: number;
}): VNode {
  let from = 0;
  const parts = counts.map(([outcome, count]) => {
    const width = (100 * count) / Math.max(1, rows);
    from += width;
    return <rect key={outcome} class={`fill-${outcome}`} x={from - width} width={width} y="0" height="8" />;
  });
  const label = counts.map(([outcome, count]) => `${number(count)} ${outcome}`).join(', ');
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={label}>
      {parts}
    </svg>
  );
}

/** What the figures are made from. A report lacks those that change by the second. */
export type FigureFacts = Pick<
  StatusAnswer,
  | 'credits'
  | 'budget'
  | 'budgetLeft'
  | 'state'
  | 'rows'
  | 'notChosen'
  | 'done'
  | 'outcomes'
  | 'startedAt'
  | 'since'
  | 'endedAt'
> &
  Partial<Pick<StatusAnswer, 'rowsPerSecond' | 'secondsLeft' | 'oldest'>>;

/** A batch's main figures: rows done, money, rate, times. */
export function Figures({ status }: { readonly status: FigureFacts }): VNode {
  const { credits, budget, budgetLeft, state, rowsPerSecond, secondsLeft, oldest } = status;
  const chosen = status.rows - status.notChosen;
  const isOpen = state === 'open';
  return (
    <dl class="figures">
      <Figure name="Done" value={number(status.done)} more={`of ${number(chosen)}`} />
      <Figure
        name="Charged"
        value={number(credits.charged)}
        more={budget === null ? 'credits' : `of ${number(budget)} credits`}
      />
      {budgetLeft !== null && <Figure name="Left to spend" value={number(budgetLeft)} more="credits" />}
      {credits.reserved > 0 && <Figure name="Reserved" value={number(credits.reserved)} more="credits" />}
      {credits.uncertain > 0 && (
        <Figure
          name="May have been charged"
          value={number(credits.uncertain)}
          more={`${number(status.outcomes.unknown)} rows`}
        />
      )}
      {credits.saved > 0 && <Figure name="Saved by reuse" value={number(credits.saved)} more="credits" />}
      {isOpen && rowsPerSecond !== undefined && <Figure name="Rate" value={number(rowsPerSecond)} more="rows/s" />}
      {isOpen && secondsLeft !== undefined && (
        <Figure name="Time left" value={secondsLeft === null ? '–' : duration(secondsLeft)} />
      )}
      {isOpen && oldest != null && (
        <Figure
          name="Oldest at the API"
          value={duration((Date.now() - Date.parse(oldest.since)) / 1_000)}
          more={oldest.id}
        />
      )}
      {!isOpen && status.since !== null && status.endedAt !== null && (
        <Figure
          name="Took"
          value={durationTo(status.endedAt, status.startedAt ?? status.since)}
          // A redrive may come days after the first end, so the time since then is shown as well.
          {...(status.since !== status.startedAt && {
            more: `${durationTo(status.endedAt, status.since)} since it was opened again`,
          })}
        />
      )}
    </dl>
  );
}

function durationTo(to: string, from: string): string {
  return duration((Date.parse(to) - Date.parse(from)) / 1_000);
}

function Figure({ name, value, more }: { readonly name: string; readonly value: string; readonly more?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> {more !== undefined && <span>{more}</span>}
      </dd>
    </div>
  );
}
