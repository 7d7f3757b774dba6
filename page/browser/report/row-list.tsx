import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ReportHead } from '../../../contract/report.ts';
import { number, seconds } from '../format.ts';
import { PageButton } from '../page-button.tsx';
import { Filters } from '../row-filter-form.tsx';
import { LineCells, LineHeaders, moveFocusOnArrowKey } from '../row-line.tsx';
import { linkTo, replaceWith } from './hash-query.ts';
import type { ReportRows } from './report-rows.ts';

/** Rows on a page: browsers render many more slowly. */
const PAGE_SIZE = 50;
/** Query parameters that select and order rows. */
const QUERY_NAMES = ['outcome', 'class', 'voice', 'prefix', 'text', 'order'] as const;

/** The rows of a report: filters, and a page of them. */
export function RowList({
  head,
  rows,
  known,
  query,
}: {
  readonly head: ReportHead;
  readonly rows: ReportRows;
  /** Rows that were read so far. */
  readonly known: number;
  readonly query: URLSearchParams;
}): VNode {
  const filter = QUERY_NAMES.map((name) => query.get(name) ?? '').join('\n');
  const found = useMemo(() => rows.find(query), [filter, known]);
  const [at, setAt] = useState({ filter, page: 0 });
  const page = at.filter === filter ? at.page : 0;
  const turn = (to: number): void => {
    setAt({ filter, page: to });
  };
  const shown = found.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).flatMap((index) => rows.at(index) ?? []);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  return (
    <section class="screen" aria-label="Rows" aria-busy={known < head.listed.rows}>
      <div class="title">
        <h2>Rows</h2>
        <span class="faint">{omissions(head)}</span>
      </div>
      <Filters query={query} linkTo={linkTo} set={replaceWith} />
      <div class="scroll">
        <table class="rows">
          <thead>
            <tr>
              <LineHeaders
                more={[
                  ['Charged', 'right'],
                  ['Job', 'right'],
                ]}
              />
            </tr>
          </thead>
          <tbody onKeyDown={moveFocusOnArrowKey}>
            {shown.map((row) => (
              <tr key={row.row}>
                <LineCells
                  row={row}
                  href={linkTo({ row: row.id })}
                  voiceName={row.voice === null ? undefined : head.voiceNames[row.voice]}
                >
                  <td class="right">{number(row.charged)}</td>
                  <td class="right">{seconds(row.job)}</td>
                </LineCells>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && <p>{known < head.listed.rows ? 'Reading rows …' : 'No rows.'}</p>}
      <div class="turn">
        <PageButton label="First" to={page > 0 ? 0 : undefined} turn={turn} />
        <PageButton label="Previous" to={page > 0 ? page - 1 : undefined} turn={turn} />
        <PageButton label="Next" to={page + 1 < pages ? page + 1 : undefined} turn={turn} />
        <span class="faint place">
          {number(found.length)} rows, page {number(page + 1)} of {number(pages)}
        </span>
      </div>
    </section>
  );
}

/** Returns what the report leaves out of its rows; empty if nothing. */
function omissions({ listed, rows, longestText }: ReportHead): string {
  const sentences: string[] = [];
  if (listed.choice === 'short') sentences.push('Rows that have their result are left out.');
  if (listed.every > 1)
    sentences.push(
      `The batch has ${number(rows)} rows: here are those that failed, are unfit, unknown or overdue (the first 200,000), and of the others each ${number(listed.every)}th. results.csv has all.`,
    );
  if (longestText === null) sentences.push('Without texts.');
  else if (longestText < 1_000) sentences.push(`Texts are cut after ${number(longestText)} characters.`);
  return sentences.join(' ');
}
