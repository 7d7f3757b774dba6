import type { VNode } from 'preact';
import { Bar, Figures, type FigureFacts } from './figures.tsx';
import { ends, number } from './format.ts';
import { NO_REASON, type LinkTo } from './row-filters.tsx';

/** How a batch stands: its figures, how its rows ended, and what to do. */
export function Standing({
  status,
  notes,
  linkTo,
}: {
  readonly status: FigureFacts;
  readonly notes: readonly string[];
  readonly linkTo: LinkTo;
}): VNode {
  const shown = ends(status);
  return (
    <section aria-label="Progress">
      <Figures status={status} />
      <Bar ends={shown} rows={status.rows} />
      <ul class="legend">
        <li>
          <a href={linkTo({ outcome: '', ...NO_REASON })}>all {number(status.rows)}</a>
        </li>
        {shown.map(([word, rows]) => (
          <li key={word}>
            <a href={linkTo({ outcome: word, ...NO_REASON })}>
              <i class={`dot back-${word}`} />
              {word} {number(rows)}
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
