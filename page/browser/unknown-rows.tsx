import type { VNode } from 'preact';
import type { UnknownAnswer } from '../protocol.ts';
import { number } from './format.ts';
import { Requests } from './row-dialog.tsx';
import { batchPath } from './location.ts';
import { ask, useAnswer } from './server.ts';

/** Rows whose answer was lost: what is known of each, and the ways to settle it. */
export function UnknownRows(): VNode {
  const { value, trouble } = useAnswer('unknown', (signal) => ask<readonly UnknownAnswer[]>('unknown', {}, signal));
  return (
    <>
      <h1>Unknown rows</h1>
      <p class="faint">
        The answer to a paid request was lost, so nobody knows whether it was charged. Nothing is sent again for such a
        row until you say so.
      </p>
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {value?.length === 0 && <p>There are none.</p>}
      {value?.map((batch) => (
        <Batch key={batch.batch} {...batch} />
      ))}
    </>
  );
}

function Batch({ batch, rows, shown }: UnknownAnswer) {
  const place = `${batchPath(batch)}&outcome=unknown`;
  return (
    <section>
      <h2>
        <a href={place}>{batch}</a> <span class="faint">{number(rows)}</span>
      </h2>
      {shown.map((row) => (
        <article key={row.row}>
          <h3>
            <a href={`${place}&row=${encodeURIComponent(row.id)}`}>{row.id}</a>{' '}
            <span class="faint">{row.failure?.message}</span>
          </h3>
          <Requests row={row} />
          <p class="next">{row.next}</p>
        </article>
      ))}
      {rows > shown.length && (
        <p>
          <a href={place}>All {number(rows)} rows</a>
        </p>
      )}
    </section>
  );
}
