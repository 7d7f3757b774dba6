import type { VNode } from 'preact';
import { Bar, Figures, type FigureFacts } from './figures.tsx';
import { number, rowCounts } from './format.ts';
import { NO_REASON, type LinkTo } from './row-filter-form.tsx';

/** A batch at a glance: its figures, how its rows ended, and what to do. A live batch and a report show it. */
export function BatchOverview({
  status,
  notes,
  linkTo,
}: {
  readonly status: FigureFacts;
  readonly notes: readonly string[];
  readonly linkTo: LinkTo;
}): VNode {
  const counts = rowCounts(status);
  return (
    <section aria-label="Progress">
      <Figures status={status} />
      <Bar counts={counts} rows={status.rows} />
      <ul class="legend">
        <li>
          <a href={linkTo({ outcome: '', ...NO_REASON })}>all {number(status.rows)}</a>
        </li>
        {counts.map(([outcome, rows]) => (
          <li key={outcome}>
            <a href={linkTo({ outcome, ...NO_REASON })}>
              <i class={`dot back-${outcome}`} />
              {outcome} {number(rows)}
            </a>
          </li>
        ))}
      </ul>
      {notes.length > 0 && (
        <ul class="notes" aria-label="What to do">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
