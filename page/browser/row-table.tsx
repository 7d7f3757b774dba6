import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ROW_FILTERS, SEARCHED, type RowLine, type RowsAnswer, type VoicesAnswer } from '../protocol.ts';
import { number } from './format.ts';
import { Listen } from './listen.tsx';
import { go, withQuery } from './location.ts';
import { RedriveDialog } from './redrive-dialog.tsx';
import { Filters } from './row-filters.tsx';
import { LineCells, LineHeads, stepThrough } from './row-line.tsx';
import { loadPage, type Cursor } from './row-pages.ts';
import { ask, useAnswer } from './server.ts';

/** What the address says of which rows are wanted. */
const WANTED = [...ROW_FILTERS.map(({ name }) => name), 'order'];

/** The rows of a batch: filters, and a page of them. */
export function RowTable({
  batch,
  address,
  tick,
}: {
  readonly batch: string;
  readonly address: URL;
  readonly tick: number;
}): VNode {
  const asked = Object.fromEntries(
    WANTED.flatMap((name) => {
      const value = address.searchParams.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const filter = JSON.stringify(asked);
  const [pages, setPages] = useState<{ readonly filter: string; readonly after: readonly (Cursor | undefined)[] }>({
    filter,
    after: [undefined],
  });
  const after = pages.filter === filter ? pages.after : [undefined];
  const at = after.at(-1);
  // Rows that are looked for without an index are not looked for again and again.
  const isLive = SEARCHED.every((name) => !(name in asked)) && (asked['order'] ?? 'newest') === 'newest';
  const load = (signal: AbortSignal): Promise<RowsAnswer> => loadPage(batch, asked, at, signal);
  const { value, trouble, isLoading } = useAnswer(`${filter} ${JSON.stringify(at)}`, load, isLive ? tick : 0);
  const { rows = [], next = null } = value ?? {};
  // Every row is read for them, once: after the rows that a person waits for.
  const { value: spoken } = useAnswer(value && batch, (signal) => ask<VoicesAnswer>('voices', { batch }, signal));
  const names = new Map(spoken?.voices.map(({ voice, name }) => [voice, name ?? voice]));
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const [isListening, setListening] = useState(false);
  const ended = rows.flatMap((row) => (row.outcome === null ? [] : [row.id]));
  const mark = (id: string): void => {
    setMarked((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  };
  const turn = (cursors: readonly (Cursor | undefined)[]): void => {
    setPages({ filter, after: cursors });
  };
  return (
    <section aria-label="Rows" aria-busy={isLoading}>
      <div class="title">
        <h2>Rows</h2>
        <div class="turn end">
          <button
            type="button"
            onClick={() => {
              setListening(true);
            }}
          >
            Listen
          </button>
          {marked.size > 0 && (
            <>
              <button
                type="button"
                onClick={() => {
                  setMarked(new Set());
                }}
              >
                Clear
              </button>
              <button
                type="button"
                class="main"
                onClick={() => {
                  setAsking(true);
                }}
              >
                Send {number(marked.size)} again …
              </button>
            </>
          )}
        </div>
      </div>
      <Filters
        query={address.searchParams}
        voices={spoken?.areAll === true ? spoken.voices : undefined}
        linkTo={(values) => withQuery(address, values)}
        set={(values) => {
          go(withQuery(new URL(location.href), values), true);
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
              <LineHeads />
            </tr>
          </thead>
          <tbody onKeyDown={stepThrough}>
            {rows.map((row) => (
              <Line key={row.row} row={row} names={names} address={address} isMarked={marked.has(row.id)} mark={mark} />
            ))}
          </tbody>
        </table>
      </div>
      {value !== undefined && rows.length === 0 && <p>No rows.</p>}
      <div class="turn">
        <button
          type="button"
          disabled={after.length < 2}
          onClick={() => {
            turn([undefined]);
          }}
        >
          First
        </button>
        <button
          type="button"
          disabled={after.length < 2}
          onClick={() => {
            turn(after.slice(0, -1));
          }}
        >
          Previous
        </button>
        <button
          type="button"
          disabled={next === null}
          onClick={() => {
            if (next !== null) turn([...after, next]);
          }}
        >
          Next
        </button>
      </div>
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

function Line({
  row,
  names,
  address,
  isMarked,
  mark,
}: {
  readonly row: RowLine;
  /** Of voices, by their ids. */
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
