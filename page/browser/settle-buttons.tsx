import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RowAnswer, SettleAnswer, SettleWay } from '../protocol.ts';
import { AskDialog } from './ask-dialog.tsx';
import { number } from './format.ts';
import { buttonOf, Price } from './redrive-dialog.tsx';

/** The decisions about a row that are open to a person, a button each. What each means is shown before it is done. */
export function SettleButtons({
  batch,
  row,
  changed,
}: {
  readonly batch: string;
  readonly row: Pick<RowAnswer, 'id' | 'ways'>;
  /** Something was decided. */
  readonly changed: () => void;
}): VNode | null {
  const [job, setJob] = useState('');
  const [asked, setAsked] = useState<SettleWay>();
  const named = row.ways.find(({ way }) => way === 'adopt');
  if (row.ways.length === 0) return null;
  return (
    <form
      class="settle"
      aria-label={`Settle ${row.id}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (named !== undefined && job.trim() !== '') setAsked(named);
      }}
    >
      {named !== undefined && (
        <label>
          Id of its {named.makes ?? 'job'}, from your account
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
            setAsked(way);
          }}
        >
          {wordsOf(way, row.id)} …
        </button>
      ))}
      {asked !== undefined && (
        <AskDialog<SettleAnswer>
          title={wordsOf(asked, '')}
          name="settle"
          body={{ batch, id: row.id, way: asked.way, row: asked.row, job }}
          show={(answer) => <Meaning {...answer} />}
          button={({ way, price }) => (price === null ? BUTTONS[way.way] : buttonOf(price, BUTTONS[way.way]))}
          close={(isDone) => {
            setAsked(undefined);
            if (isDone) changed();
          }}
        />
      )}
    </form>
  );
}

const BUTTONS: Readonly<Record<SettleWay['way'], string>> = {
  adopt: 'It is this one',
  resubmit: 'Send it again',
  accept: 'Take it, free',
  'not-charged': 'It was not charged',
};

/** What a button is for. `id`: of the row that it stands beside. */
function wordsOf({ way, row, take, makes }: SettleWay, id: string): string {
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

/** What a decision means for the bill and for the row. */
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
      {price !== null && <Price price={price} />}
      {lines[way].map((line) => line !== false && <p key={line}>{line}</p>)}
    </>
  );
}
