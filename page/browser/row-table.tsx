import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RowLine, RowsAnswer, VoicesAnswer } from '../protocol.ts';
import { ROW_FILTERS, UNINDEXED_FILTERS } from '../row-query.ts';
import { number } from './format.ts';
import { Listen } from './listen-through.tsx';
import { navigate, withQuery } from './location.ts';
import { RedriveDialog } from './redrive-dialog.tsx';
import { PageButton } from './page-button.tsx';
import { Filters } from './row-filter-form.tsx';
import { LineCells, LineHeaders, moveFocusOnArrowKey } from './row-line.tsx';
import { loadPage, type Cursor } from './row-pages.ts';
import { fetchAnswer, useAnswer } from './api-client.ts';

/** Query parameters of the URL that select and order rows. */
const QUERY_NAMES = [...ROW_FILTERS.map(({ name }) => name), 'order'];

/** The rows of a batch: filters, a page of rows, and buttons to listen to results and to send rows again. */
export function RowTable({
  batch,
  address,
  tick,
}: {
  readonly batch: string;
  readonly address: URL;
  /** A counter that rises when the batch has changed. */
  readonly tick: number;
}): VNode {
  const asked = Object.fromEntries(
    QUERY_NAMES.flatMap((name) => {
      const value = address.searchParams.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const filter = JSON.stringify(asked);
  /** The cursors of the pages up to this one, for `filter`; the first page has none. */
  const [pages, setPages] = useState<{ readonly filter: string; readonly after: readonly (Cursor | undefined)[] }>({
    filter,
    after: [undefined],
  });
  const after = pages.filter === filter ? pages.after : [undefined];
  const at = after.at(-1);
  // A search without an index is slow, so it is not repeated when the batch changes.
  const isLive = UNINDEXED_FILTERS.every((name) => !(name in asked)) && (asked['order'] ?? 'newest') === 'newest';
  const load = (signal: AbortSignal): Promise<RowsAnswer> => loadPage(batch, asked, at, signal);
  const { value, trouble, isLoading } = useAnswer(`${filter} ${JSON.stringify(at)}`, load, isLive ? tick : 0);
  const { rows = [], next = null } = value ?? {};
  // The server reads every row for the voices, so they are fetched once, after the rows.
  const { value: spoken } = useAnswer(value && batch, (signal) =>
    fetchAnswer<VoicesAnswer>('voices', { batch }, signal),
  );
  const names = new Map(spoken?.voices.map(({ voice, name }) => [voice, name ?? voice]));
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const [isListening, setListening] = useState(false);
  const ended = rows.flatMap((row) => (row.outcome === null ? [] : [row.id]));
  const mark = (id: string): void => {
    setMarked((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));
  };
  return (
    <section aria-label="Rows" aria-busy={isLoading}>
      <Title
        marked={marked.size}
        listen={() => {
          setListening(true);
        }}
        clear={() => {
          setMarked(new Set());
        }}
        sendAgain={() => {
          setAsking(true);
        }}
      />
      <Filters
        query={address.searchParams}
        voices={spoken?.areAll === true ? spoken.voices : undefined}
        linkTo={(values) => withQuery(address, values)}
        set={(values) => {
          navigate(withQuery(new URL(location.href), values), true);
        }}
      />
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      <div class="scroll">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="Send all rows of this page again"
                  checked={ended.length > 0 && ended.every((id) => marked.has(id))}
                  disabled={ended.length === 0}
                  onChange={(event) => {
                    const others = [...marked].filter((id) => !ended.includes(id));
                    setMarked(new Set(event.currentTarget.checked ? [...others, ...ended] : others));
                  }}
                />
              </th>
              <LineHeaders />
            </tr>
          </thead>
          <tbody onKeyDown={moveFocusOnArrowKey}>
            {rows.map((row) => (
              <Line key={row.row} row={row} names={names} address={address} isMarked={marked.has(row.id)} mark={mark} />
            ))}
          </tbody>
        </table>
      </div>
      {value !== undefined && rows.length === 0 && <p>No rows.</p>}
      <PageTurns
        after={after}
        next={next}
        turn={(cursors) => {
          setPages({ filter, after: cursors });
        }}
      />
      {isListening && (
        <Listen
          key={filter}
          batch={batch}
          filter={asked}
          marked={marked}
          mark={mark}
          close={() => {
            setListening(false);
          }}
        />
      )}
      {isAsking && (
        <RedriveDialog
          batch={batch}
          ids={[...marked]}
          close={(isDone) => {
            setAsking(false);
            if (isDone) setMarked(new Set());
          }}
        />
      )}
    </section>
  );
}

/** The heading, with the buttons to listen to results, and to send the marked rows again. */
function Title({
  marked,
  listen,
  clear,
  sendAgain,
}: {
  /** Number of marked rows. */
  readonly marked: number;
  readonly listen: () => void;
  /** Removes all marks. */
  readonly clear: () => void;
  readonly sendAgain: () => void;
}) {
  return (
    <div class="title">
      <h2>Rows</h2>
      <div class="turn end">
        <button type="button" onClick={listen}>
          Listen
        </button>
        {marked > 0 && (
          <>
            <button type="button" onClick={clear}>
              Clear
            </button>
            <button type="button" class="main" onClick={sendAgain}>
              Send {number(marked)} again …
            </button>
          </>
        )}
      </div>
    </div>
  );
}

/** The buttons that turn pages. */
function PageTurns({
  after,
  next,
  turn,
}: {
  /** The cursors of the pages up to the one that is shown. */
  readonly after: readonly (Cursor | undefined)[];
  /** The cursor of the next page; null on the last one. */
  readonly next: Cursor | null;
  /** Called with the cursors of the pages up to the one to show. */
  readonly turn: (cursors: readonly (Cursor | undefined)[]) => void;
}) {
  const isFirst = after.length < 2;
  return (
    <div class="turn">
      <PageButton label="First" to={isFirst ? undefined : [undefined]} turn={turn} />
      <PageButton label="Previous" to={isFirst ? undefined : after.slice(0, -1)} turn={turn} />
      <PageButton label="Next" to={next === null ? undefined : [...after, next]} turn={turn} />
    </div>
  );
}

function Line({
  row,
  names,
  address,
  isMarked,
  mark,
}: {
  readonly row: RowLine;
  /** Names of voices, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly address: URL;
  readonly isMarked: boolean;
  readonly mark: (id: string) => void;
}) {
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          checked={isMarked}
          disabled={row.outcome === null}
          aria-label={`Send ${row.id} again`}
          onChange={() => {
            mark(row.id);
          }}
        />
      </td>
      <LineCells
        row={row}
        href={withQuery(address, { row: row.id })}
        voiceName={row.voice === null ? undefined : names.get(row.voice)}
      />
    </tr>
  );
}
