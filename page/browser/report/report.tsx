import type { VNode } from 'preact';
import type { ReportHead } from '../../../contract/report.ts';
import { EndChart } from '../end-chart.tsx';
import { datedMoment, number, seconds, filterOf } from '../format.ts';
import { BatchOverview } from '../batch-overview.tsx';
import { linkTo, useQuery } from './hash-query.ts';
import { Bill } from './bill.tsx';
import type { ReportRows } from './report-rows.ts';
import { Distribution } from './distribution.tsx';
import { RowDrawer } from './row-drawer.tsx';
import { RowList } from './row-list.tsx';
import { BatchHistory } from './batch-history.tsx';
import { ReasonTable } from '../reason-table.tsx';

/** The whole report. `known`: rows that were read so far; it rises from 0 to `head.listed.rows`. */
export function Report({
  head,
  rows,
  known,
}: {
  readonly head: ReportHead;
  readonly rows: ReportRows;
  readonly known: number;
}): VNode {
  const query = useQuery();
  const id = query.get('row');
  const index = id === null ? undefined : rows.indexOf(id);
  return (
    <>
      <header class="top">
        <span class="brand">voxbatch</span>
        <span class="faint">
          {head.source}
          {head.account !== null && `, account ${head.account}`}
          {head.api !== null && `, ${head.api}`}
        </span>
      </header>
      <main id="main">
        <div class="title">
          <h1>{head.batch}</h1>
          <span class="pill">{head.standing}</span>
          <span class="faint end">{timesOf(head)}</span>
        </div>
        {head.state !== 'closed' && (
          <p class="trouble">
            This batch had not ended when the report was written
            {head.asOf === null ? '' : `: it shows it as of ${datedMoment(head.asOf)}`}. At its end the report is
            written again.
          </p>
        )}
        <BatchOverview status={head} notes={head.notes} linkTo={linkTo} />
        <Failures head={head} />
        <Bill head={head} />
        <Charts head={head} />
        <RowList head={head} rows={rows} known={known} query={query} />
        <div class="screen">
          <BatchHistory head={head} />
        </div>
        <p class="faint">Written by voxbatch {head.version}.</p>
      </main>
      {id !== null && (index !== undefined || known >= head.listed.rows) && (
        <RowDrawer key={id} head={head} id={id} row={index === undefined ? undefined : rows.at(index)} />
      )}
    </>
  );
}

function timesOf({ startedAt, endedAt, createdAt }: ReportHead): string {
  const began = datedMoment(startedAt ?? createdAt);
  return endedAt === null ? `since ${began}` : `${began} to ${datedMoment(endedAt)}`;
}

/** When rows ended, how long jobs took, how long results are, and what rows cost. */
function Charts({ head }: { readonly head: ReportHead }) {
  const { ends, jobTimes, lengths, prices } = head;
  return (
    <div class="screen">
      {ends !== null && <EndChart chart={ends} />}
      <section class="distributions" aria-label="Distributions">
        {jobTimes.map(({ step, seconds: of }) => (
          <Distribution key={step} name={`Job times, ${step}`} of={of} format={seconds} />
        ))}
        {lengths !== null && <Distribution name="Lengths of results" of={lengths} format={seconds} />}
        {prices !== null && (
          <Distribution name="Charged a row" of={prices} format={(value) => `${number(value)} credits`} />
        )}
      </section>
    </div>
  );
}

/** Why rows have no result, most rows first, with examples. */
function Failures({ head }: { readonly head: ReportHead }): VNode | null {
  const { failures, otherFailures } = head;
  if (failures.length === 0) return null;
  return (
    <ReasonTable
      class="failures"
      reasons={failures}
      linkTo={({ standing, class: name }) => linkTo({ outcome: filterOf(standing), class: name, row: undefined })}
      examplesOf={({ examples }) =>
        examples.map(({ id, message }) => (
          <p key={id} class="example">
            <a href={linkTo({ row: id })}>{id}</a> <span class="faint">{message}</span>
          </p>
        ))
      }
    >
      {otherFailures > 0 && <p class="faint">and {number(otherFailures)} rows for other reasons</p>}
    </ReasonTable>
  );
}
