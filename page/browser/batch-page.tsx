import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EndFigures, ReasonFigures } from '../../contract/batch-figures.ts';
import type { MessagesAnswer, StatusAnswer } from '../protocol.ts';
import { EndChart } from './end-chart.tsx';
import { filterOf, number } from './format.ts';
import { withQuery } from './location.ts';
import { ReasonTable } from './reason-table.tsx';
import { RowDialog } from './row-dialog.tsx';
import { RowTable } from './row-table.tsx';
import { fetchAnswer, useAnswer, useStatusStream } from './api-client.ts';
import { BatchOverview } from './batch-overview.tsx';
import { BatchControls } from './batch-controls.tsx';

/** The chart, the reasons and the rows are fetched again at most this often, ms. */
const REFRESH_INTERVAL_MS = 3_000;

/** The page of one batch: its status, why rows have no result, and its rows. `address`: the URL, with the filters. */
export function BatchPage({ name, address }: { readonly name: string; readonly address: URL }): VNode {
  const { status, trouble, isDisconnected } = useStatusStream(name);
  const tick = useChangeCount(status);
  const chart = useAnswer(name, (signal) => fetchAnswer<EndFigures | null>('chart', { batch: name }, signal), tick);
  const reasons = useAnswer(
    name,
    (signal) => fetchAnswer<readonly ReasonFigures[]>('reasons', { batch: name }, signal),
    tick,
  );
  const row = address.searchParams.get('row');
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
        {status !== undefined && <span class="pill">{status.standing}</span>}
        {status !== undefined && <BatchControls status={status} />}
      </div>
      {isDisconnected && (
        <p class="trouble">The command behind this page does not answer; the figures are the last ones it told.</p>
      )}
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {status !== undefined && (
        <BatchOverview status={status} notes={status.notes} linkTo={(values) => withQuery(address, values)} />
      )}
      <div class="pair">
        {/* Until the chart is read, an empty one keeps its place. */}
        {chart.value == null ? status?.startedAt != null && <div class="chart" /> : <EndChart chart={chart.value} />}
        {reasons.value !== undefined && reasons.value.length > 0 && <Reasons lines={reasons.value} address={address} />}
      </div>
      <RowTable batch={name} address={address} tick={tick} />
      {row !== null && <RowDialog batch={name} id={row} changes={tick} />}
    </>
  );
}

/** Returns a counter that rises when the batch has changed, at most every {@link REFRESH_INTERVAL_MS}. */
function useChangeCount(status: StatusAnswer | undefined): number {
  const [tick, setTick] = useState(0);
  // What the chart, the reasons and the rows depend on, as one comparable text. `since`: a redrive may have begun and
  // ended between two events, and left all counts as they were.
  const state =
    status === undefined
      ? ''
      : [status.ended, status.rows, status.state, status.since, ...Object.values(status.states), ...status.notes].join(
          ' ',
        );
  const raisedAt = useRef(performance.now());
  useEffect(() => {
    const wait = Math.max(0, raisedAt.current + REFRESH_INTERVAL_MS - performance.now());
    const timer = setTimeout(() => {
      raisedAt.current = performance.now();
      setTick((before) => before + 1);
    }, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);
  return tick;
}

/** Listed reasons; rows with others are found by the filter `outcome`. */
const MAX_REASONS = 8;

/** Why rows have no result. The chosen reason shows its messages. */
function Reasons({ lines, address }: { readonly lines: readonly ReasonFigures[]; readonly address: URL }) {
  const at = (name: string): string => address.searchParams.get(name) ?? '';
  return (
    <ReasonTable
      class="reasons"
      reasons={lines.slice(0, MAX_REASONS)}
      linkTo={({ standing, class: name, cause }) =>
        withQuery(address, { outcome: filterOf(standing), class: name, cause: cause || undefined, message: '' })
      }
      below={({ standing, class: name, cause }) =>
        at('outcome') === filterOf(standing) &&
        at('class') === name &&
        at('cause') === cause && <Messages address={address} />
      }
    >
      {lines.length > MAX_REASONS && <p class="faint">and {lines.length - MAX_REASONS} more reasons</p>}
    </ReasonTable>
  );
}

/** The messages of the chosen reason, each a link that filters its rows. */
function Messages({ address }: { readonly address: URL }) {
  const { name: batch = '', outcome, class: failureClass, cause = '' } = Object.fromEntries(address.searchParams);
  const chosen = address.searchParams.get('message');
  const query = { batch, outcome, class: failureClass, cause };
  const { value } = useAnswer(JSON.stringify(query), (signal) =>
    fetchAnswer<MessagesAnswer>('messages', query, signal),
  );
  return (
    <ul class="messages" aria-label="Messages">
      {value?.messages.map(({ message, pattern, rows }) => (
        <li key={pattern}>
          <a href={withQuery(address, { message: pattern })} aria-current={pattern === chosen ? 'true' : undefined}>
            {message}
          </a>{' '}
          <span class="faint">{number(rows)}</span>
        </li>
      ))}
      {value !== undefined && value.others > 0 && <li class="faint">other messages {number(value.others)}</li>}
    </ul>
  );
}
