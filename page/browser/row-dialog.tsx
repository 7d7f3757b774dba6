import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RowAnswer } from '../protocol.ts';
import { Drawer } from './drawer.tsx';
import { number } from './format.ts';
import { navigate, withQuery } from './location.ts';
import { fetchAnswer, useAnswer } from './api-client.ts';
import { SettleButtons } from './settle-buttons.tsx';
import { RedriveDialog } from './redrive-dialog.tsx';
import { RowPlayer, Takes } from './row-player.tsx';
import { Requests } from './row-requests.tsx';

/** A drawer with everything about one row. */
export function RowDialog({
  batch,
  id,
  changes,
}: {
  readonly batch: string;
  readonly id: string;
  /** A counter that rises when the batch has changed, so that the row is fetched again. */
  readonly changes: number;
}): VNode {
  const [tick, setTick] = useState(0);
  const [isAsking, setAsking] = useState(false);
  const { value, trouble } = useAnswer(
    id,
    (signal) => fetchAnswer<RowAnswer | null>('row', { batch, id }, signal),
    tick + changes,
  );
  return (
    <Drawer
      id={id}
      standing={value?.outcome ?? value?.state ?? undefined}
      close={() => {
        navigate(withQuery(new URL(location.href), { row: '' }));
      }}
    >
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {value === null && <p>This batch has no such row.</p>}
      {isAsking && (
        <RedriveDialog
          batch={batch}
          ids={[id]}
          close={() => {
            setAsking(false);
            setTick((before) => before + 1);
          }}
        />
      )}
      {value && (
        <RowDetails
          row={value}
          batch={batch}
          changed={() => {
            setTick((before) => before + 1);
          }}
          sendAgain={() => {
            setAsking(true);
          }}
        />
      )}
    </Drawer>
  );
}

function RowDetails({
  row,
  batch,
  changed,
  sendAgain,
}: {
  readonly row: RowAnswer;
  readonly batch: string;
  readonly changed: () => void;
  readonly sendAgain: () => void;
}) {
  const text = row.input['text'];
  const cells = Object.entries(row.input).filter(([column, cell]) => cell !== '' && column !== 'text');
  return (
    <>
      <RowPlayer row={row} batch={batch} />
      {row.failure !== null && (
        <p class="trouble">
          <strong>{row.failure.errorClass}</strong> {row.failure.message}
        </p>
      )}
      {row.oddity !== null && <p class="trouble">{row.oddity}</p>}
      <p class="next">{row.next}</p>
      {row.outcome !== null && (
        <p>
          <button type="button" onClick={sendAgain}>
            Send again …
          </button>
        </p>
      )}
      <SettleButtons batch={batch} row={row} changed={changed} />
      <div class="texts">
        {text !== undefined && text !== '' && (
          <section>
            <h3>Text</h3>
            <p class="read">{text}</p>
          </section>
        )}
        {row.text !== null && (
          <section>
            <h3>Transcript</h3>
            <p class="read">{row.text}</p>
          </section>
        )}
      </div>
      <h3>Requests</h3>
      {row.attempts.length === 0 ? <p class="faint">None was made.</p> : <Requests row={row} />}
      {row.takes.length > 0 && <Takes row={row} batch={batch} />}
      <h3>Input</h3>
      <dl class="cells">
        <dt>line</dt>
        <dd>
          {number(row.line)}, {row.kind}
        </dd>
        {cells.map(([column, cell]) => (
          <div key={column}>
            <dt>{column}</dt>
            <dd>{cell}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
