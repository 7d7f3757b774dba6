import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RowAnswer, SettleAnswer, SettleWay } from '../protocol.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { number } from './format.ts';
import { redriveLabel, RedriveSummary } from './redrive-dialog.tsx';

/** A button for each decision about a row that is open to the user. A dialog shows what it means before it is done. */
export function SettleButtons({
  batch,
  row,
  changed,
}: {
  readonly batch: string;
  readonly row: Pick<RowAnswer, 'id' | 'ways'>;
  /** Called after a decision. */
  readonly changed: () => void;
}): VNode | null {
  const [job, setJob] = useState('');
  const [chosen, setChosen] = useState<SettleWay>();
  const adoption = row.ways.find(({ way }) => way === 'adopt');
  if (row.ways.length === 0) return null;
  return (
    <form
      class="settle"
      aria-label={`Settle ${row.id}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (adoption !== undefined && job.trim() !== '') setChosen(adoption);
      }}
    >
      {adoption !== undefined && (
        <label>
          Id of its {adoption.makes ?? 'job'}, from your account
          <input
            value={job}
            onInput={(event) => {
              setJob(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {row.ways.map((way) => (
        <button
          key={`${way.way} ${way.row}`}
          type="button"
          disabled={way.way === 'adopt' && job.trim() === ''}
          onClick={() => {
            setChosen(way);
          }}
        >
          {labelOf(way, row.id)} …
        </button>
      ))}
      {chosen !== undefined && (
        <ConfirmDialog<SettleAnswer>
          title={labelOf(chosen, '')}
          name="settle"
          body={{ batch, id: row.id, way: chosen.way, row: chosen.row, job }}
          show={(answer) => <Meaning {...answer} />}
          button={({ way: { way }, price }) =>
            price === null ? CONFIRM_LABELS[way] : redriveLabel(price, CONFIRM_LABELS[way])
          }
          close={(isDone) => {
            setChosen(undefined);
            if (isDone) changed();
          }}
        />
      )}
    </form>
  );
}

const CONFIRM_LABELS: Readonly<Record<SettleWay['way'], string>> = {
  adopt: 'It is this one',
  resubmit: 'Send it again',
  accept: 'Take it, free',
  'not-charged': 'It was not charged',
};

/** Returns the label of a decision; it names the row unless that is `id`, the row beside it. */
function labelOf({ way, row, take, makes }: SettleWay, id: string): string {
  const of = row === id || row === `${id}/${String(take)}` ? '' : `${row}: `;
  switch (way) {
    case 'adopt':
      return `${of}${take === null ? 'It was charged' : `Take ${take} was charged`}: this is its ${makes ?? 'job'}`;
    case 'resubmit':
      return `${of}Send it again, accept a second charge`;
    case 'accept':
      return `${of}${take === null ? 'Accept its result as it is' : `Keep the result of take ${take}`}`;
    case 'not-charged':
      return `${of}Take ${String(take)} was not charged`;
  }
}

/** What a decision means for the bill and the row. */
function Meaning({ way: { way, take, mayHaveCost, then }, price }: SettleAnswer) {
  const credits = mayHaveCost === null ? 'What it cost' : `${number(mayHaveCost)} credits`;
  const lines: Readonly<Record<SettleWay['way'], readonly (string | false)[]>> = {
    adopt: [
      'Nothing is sent for it. The API is asked whether it has that one, and whose it is.',
      `${credits} counted as uncertain until now: they count as charged then.`,
      take === null ? 'Its result is fetched, free.' : 'The row stays as it is.',
      then.length > 0 && `The row goes on with ${then.join(', ')}, at its price.`,
    ],
    resubmit: [
      mayHaveCost !== null && `${credits} of the lost request stay uncertain: it may have been charged, too.`,
      'If a trace of the lost request is found first, nothing is sent.',
    ],
    accept: [],
    'not-charged': [`Nothing is sent. ${credits} no longer counts as uncertain, and the row stays as it is.`],
  };
  return (
    <>
      {price !== null && <RedriveSummary price={price} />}
      {lines[way].map((line) => line !== false && <p key={line}>{line}</p>)}
    </>
  );
}
