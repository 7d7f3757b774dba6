import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionAnswer, UnknownAnswer } from '../protocol.ts';
import { CommandOutput } from './confirm-dialog.tsx';
import { number } from './format.ts';
import { Requests } from './row-requests.tsx';
import { batchPath } from './location.ts';
import { fetchAnswer, useAction, useAnswer } from './api-client.ts';
import { SettleButtons } from './settle-buttons.tsx';

/** The unknown rows of all batches: what is known about each, and buttons to settle it. */
export function UnknownRows(): VNode {
  const [tick, setTick] = useState(0);
  const { value, trouble } = useAnswer(
    'unknown',
    (signal) => fetchAnswer<readonly UnknownAnswer[]>('unknown', {}, signal),
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
  const [output, setOutput] = useState<readonly string[]>([]);
  const { isBusy, post } = useAction<ActionAnswer>();
  const done = ({ lines }: ActionAnswer): void => {
    setOutput(lines);
    changed();
  };
  const failed = (message: string): void => {
    setOutput([message]);
  };
  const lookUp = (): void => {
    post('look-up', { batch }, done, failed);
  };
  const href = `${batchPath(batch)}&outcome=unknown`;
  return (
    <section>
      <div class="title">
        <h2>
          <a href={href}>{batch}</a> <span class="faint">{number(rows)}</span>
        </h2>
        <button type="button" class="end" disabled={isBusy} onClick={lookUp}>
          Look for traces, free
        </button>
      </div>
      <CommandOutput lines={output} />
      {shown.map((row) => (
        <article key={row.row}>
          <h3>
            <a href={`${href}&row=${encodeURIComponent(row.id)}`}>{row.id}</a>{' '}
            <span class="faint">{row.failure?.message}</span>
          </h3>
          <Requests row={row} />
          <p class="next">{row.next}</p>
          <SettleButtons batch={batch} row={row} changed={changed} />
        </article>
      ))}
      {rows > shown.length && (
        <p>
          <a href={href}>All {number(rows)} rows</a>
        </p>
      )}
    </section>
  );
}
