import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionAnswer, UnknownAnswer } from '../protocol.ts';
import { Said } from './ask-dialog.tsx';
import { number } from './format.ts';
import { Requests } from './row-dialog.tsx';
import { batchPath } from './location.ts';
import { ask, post, useAnswer } from './server.ts';
import { SettleButtons } from './settle-buttons.tsx';

/** Rows whose answer was lost: what is known of each, and the ways to settle it. */
export function UnknownRows(): VNode {
  const [tick, setTick] = useState(0);
  const { value, trouble } = useAnswer(
    'unknown',
    (signal) => ask<readonly UnknownAnswer[]>('unknown', {}, signal),
    tick,
  );
  const changed = (): void => {
    setTick((before) => before + 1);
  };
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
        <Batch key={batch.batch} {...batch} changed={changed} />
      ))}
    </>
  );
}

function Batch({ batch, rows, shown, changed }: UnknownAnswer & { readonly changed: () => void }) {
  const [said, setSaid] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const lookUp = (): void => {
    setBusy(true);
    post<ActionAnswer>('look-up', { batch })
      .then(
        ({ lines }) => {
          setSaid(lines);
          changed();
        },
        (error: unknown) => {
          setSaid([(error as Error).message]);
        },
      )
      .finally(() => {
        setBusy(false);
      });
  };
  const place = `${batchPath(batch)}&outcome=unknown`;
  return (
    <section>
      <div class="title">
        <h2>
          <a href={place}>{batch}</a> <span class="faint">{number(rows)}</span>
        </h2>
        <button type="button" class="end" disabled={isBusy} onClick={lookUp}>
          Look for traces, free
        </button>
      </div>
      <Said lines={said} />
      {shown.map((row) => (
        <article key={row.row}>
          <h3>
            <a href={`${place}&row=${encodeURIComponent(row.id)}`}>{row.id}</a>{' '}
            <span class="faint">{row.failure?.message}</span>
          </h3>
          <Requests row={row} />
          <p class="next">{row.next}</p>
          <SettleButtons batch={batch} row={row} changed={changed} />
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
