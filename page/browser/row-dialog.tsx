import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RowAnswer } from '../protocol.ts';
import { Drawer } from './drawer.tsx';
import { bytes, moment, number, seconds } from './format.ts';
import { navigate, withQuery } from './location.ts';
import { fetchAnswer, apiUrl, useAnswer } from './api-client.ts';
import { SettleButtons } from './settle-buttons.tsx';
import { RedriveDialog } from './redrive-dialog.tsx';
import { HeaderCells } from './header-cells.tsx';

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
      <Player row={row} batch={batch} />
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

function Player({ row, batch }: { readonly row: RowAnswer; readonly batch: string }) {
  // The take is in the URL: browsers play a cached file while its URL stays the same.
  const source = apiUrl('media', { batch, id: row.id, take: row.takeInUse });
  if (row.storedFileLost !== null) return <p class="trouble">Its stored file is lost ({row.storedFileLost.is}).</p>;
  if (row.media === null) return null;
  const [file] = row.files;
  return (
    <div class="player">
      {row.media === 'audio' && <audio controls preload="metadata" src={source} aria-label={`Result of ${row.id}`} />}
      {row.media === 'video' && <video controls preload="metadata" src={source} aria-label={`Result of ${row.id}`} />}
      <p class="faint">
        {row.takes.length > 0 && `Take ${row.takeInUse}, in use: `}
        {file !== undefined && `${file.name}, ${bytes(file.bytes)}`} {seconds(row.seconds)}{' '}
        <a href={source} download={file?.name.split('/').at(-1) ?? ''}>
          Download
        </a>
      </p>
    </div>
  );
}

/** The paid requests of a row, in order. */
export function Requests({ row }: { readonly row: RowAnswer }): VNode {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <HeaderCells columns={['Sent', 'Step', 'Answer', ['Quoted', 'right'], ['Charged', 'right'], 'Job']} />
          </tr>
        </thead>
        <tbody>
          {row.attempts.map((attempt) => (
            <tr key={`${attempt.step} ${attempt.take} ${attempt.attempt}`}>
              <td>{moment(attempt.intent_at)}</td>
              <td>
                {attempt.step}
                <span class="faint">
                  {attempt.take > 1 && ` take ${attempt.take}`}
                  {attempt.attempt > 1 && ` try ${attempt.attempt}`}
                </span>
              </td>
              <td>
                {attempt.verdict}
                {attempt.failure !== null && <span class="faint"> {attempt.failure.message}</span>}
              </td>
              <td class="right">{attempt.quoted === null ? '' : number(attempt.quoted)}</td>
              <td class="right">{attempt.charged === null ? '' : number(attempt.charged)}</td>
              <td class="id">{attempt.job_id ?? attempt.request_id ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Every take of the row, with a player for those that are not in use. */
function Takes({ row, batch }: { readonly row: RowAnswer; readonly batch: string }) {
  const isPlayable = row.media === 'audio' || row.media === 'video';
  const takes = Array.from({ length: row.takes.at(-1)?.take ?? 1 }, (_, at) => at + 1);
  return (
    <>
      <h3>Takes</h3>
      <ul class="takes">
        {takes.map((take) => {
          const made = row.takes.find((made) => made.take === take);
          const result = row.takeResults.find((made) => made.take === take);
          const isInUse = result?.inUse === true;
          return (
            <li key={take} aria-current={isInUse ? 'true' : undefined}>
              <strong>Take {take}</strong>
              {made !== undefined && ` of ${moment(made.madeAt)} (${made.reason})`}
              {isInUse ? ', in use: its player is above.' : result === undefined ? ': no result.' : ''}
              {made?.changes.map(({ column, from, to }) => (
                <p key={column} class="faint">
                  {column}: {from || 'empty'} → {to || 'empty'}
                </p>
              ))}
              {!isInUse && result?.path != null && isPlayable && (
                <audio
                  controls
                  preload="none"
                  src={apiUrl('media', { batch, id: row.id, take })}
                  aria-label={`Take ${take}`}
                />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
