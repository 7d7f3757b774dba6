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
import { ask, useAnswer, useNews } from './server.ts';
import { Standing } from './standing.tsx';
import { Steering } from './steering.tsx';

/** What follows from counts is asked again at most this often, ms. */
const FRESH_EVERY_MS = 3_000;

/** One batch: how it stands, why rows have no result, and its rows. */
export function BatchPage({ name, address }: { readonly name: string; readonly address: URL }): VNode {
  const { status, trouble, isAway } = useNews(name);
  const tick = useTick(status);
  const chart = useAnswer(name, (signal) => ask<EndFigures | null>('chart', { batch: name }, signal), tick);
  const reasons = useAnswer(name, (signal) => ask<readonly ReasonFigures[]>('reasons', { batch: name }, signal), tick);
  const row = address.searchParams.get('row');
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
        {status !== undefined && <span class="pill">{status.standing}</span>}
        {status !== undefined && <Steering status={status} />}
      </div>
      {isAway && (
        <p class="trouble">The command behind this page does not answer; the figures are the last ones it told.</p>
      )}
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {status !== undefined && (
        <Standing status={status} notes={status.notes} linkTo={(values) => withQuery(address, values)} />
      )}
      <div class="pair">
        {chart.value == null ? status?.startedAt != null && <div class="chart" /> : <EndChart chart={chart.value} />}
        {reasons.value !== undefined && reasons.value.length > 0 && <Reasons lines={reasons.value} address={address} />}
      </div>
      <RowTable batch={name} address={address} tick={tick} />
      {row !== null && <RowDialog batch={name} id={row} news={tick} />}
    </>
  );
}

/** Counts up when rows have ended, but not too often. */
function useTick(status: StatusAnswer | undefined): number {
  const [tick, setTick] = useState(0);
  const wanted =
    status === undefined
      ? ''
      : `${status.ended} ${status.rows} ${status.state} ${Object.values(status.states).join(' ')} ${status.notes.join(' ')}`;
  const told = useRef(performance.now());
  useEffect(() => {
    const wait = Math.max(0, told.current + FRESH_EVERY_MS - performance.now());
    const timer = setTimeout(() => {
      told.current = performance.now();
      setTick((before) => before + 1);
    }, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [wanted]);
  return tick;
}

/** Most reasons that are listed; the others are filters by outcome. */
const MOST_REASONS = 8;

function Reasons({ lines, address }: { readonly lines: readonly ReasonFigures[]; readonly address: URL }) {
  const at = (name: string): string => address.searchParams.get(name) ?? '';
  return (
    <ReasonTable
      class="reasons"
      reasons={lines.slice(0, MOST_REASONS)}
      linkTo={({ standing, class: name, cause }) =>
        withQuery(address, { outcome: filterOf(standing), class: name, cause: cause || undefined, message: '' })
      }
      below={({ standing, class: name, cause }) =>
        at('outcome') === filterOf(standing) &&
        at('class') === name &&
        at('cause') === cause && <Messages address={address} />
      }
    >
      {lines.length > MOST_REASONS && <p class="faint">and {lines.length - MOST_REASONS} more reasons</p>}
    </ReasonTable>
  );
}

/** What the rows of the chosen reason say, each a filter. */
function Messages({ address }: { readonly address: URL }) {
  const { name: batch = '', outcome, class: of, cause = '' } = Object.fromEntries(address.searchParams);
  const chosen = address.searchParams.get('message');
  const asked = { batch, outcome, class: of, cause };
  const { value } = useAnswer(JSON.stringify(asked), (signal) => ask<MessagesAnswer>('messages', asked, signal));
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
