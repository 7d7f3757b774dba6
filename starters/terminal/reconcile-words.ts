import { isListed, OPERATIONS, stepsOf } from '../../contract/row-kinds.ts';
import type { Orphan } from '../../batches/list-orphans.ts';
import type { SettledRow, SettleRefusal } from '../../batches/settled-row.ts';
import { shellWord } from '../go-on-command.ts';
import { number } from './progress.ts';
import { oneLine, tableLines } from './table.ts';

/** What became of a row: it was settled, or is sent again. */
export type ReconciledRow =
  SettledRow | { readonly row: number; readonly id: string; readonly jobId: string | null; readonly is: 'resubmitted' };

/** A row in a line. */
export function reconciledLine(row: ReconciledRow): string {
  return `row ${String(row.row)}, id ${oneLine(row.id)}: ${wordsOf(row)}`;
}

/** What the API lists. */
const LISTED = OPERATIONS.filter(isListed).flatMap(stepsOf).join(' or ');

/** Jobs that no row has, as a table with a word of warning; null where they could not be listed. `isWanted`: a row may lack one. */
export function orphanLines(
  orphans: readonly Orphan[] | null,
  batch: string,
  { isWanted }: { readonly isWanted: boolean },
): readonly string[] {
  if (orphans === null || orphans.length === 0) return [];
  return [
    `${number(orphans.length)} ${LISTED} ${orphans.length === 1 ? 'job' : 'jobs'} from the time of the batch that no row has. They may be of another program that uses the account.`,
    ...tableLines(
      [
        { title: 'job', value: ({ id }) => id },
        { title: 'status', value: ({ status }) => status },
        { title: 'created', value: (orphan) => createdAt(orphan) ?? '' },
        { title: 'credits', value: ({ credits }) => (credits === undefined ? '' : number(credits)), align: 'right' },
        { title: 'video from', value: ({ videoHost }) => videoHost ?? '' },
        { title: 'audio from', value: ({ audioHost }) => audioHost ?? '' },
      ],
      orphans,
    ).map((line) => `  ${line}`),
    ...(isWanted ? [`To give a row one of them: voxbatch reconcile ${shellWord(batch)} --adopt ROW=JOB`] : []),
  ];
}

/** The same for machines; `orphans` is null where they could not be listed. */
export function reconciledJson(rows: readonly ReconciledRow[], orphans: readonly Orphan[] | null): object {
  return {
    rows: rows.map((row) => ({
      row: row.row,
      id: row.id,
      is: row.is.replaceAll('-', '_'),
      job_id: row.jobId,
      message: wordsOf(row),
    })),
    orphans:
      orphans?.map((orphan) => ({
        job_id: orphan.id,
        status: orphan.status,
        created_at: createdAt(orphan) ?? null,
        credits: orphan.credits ?? null,
        video_host: orphan.videoHost ?? null,
        audio_host: orphan.audioHost ?? null,
      })) ?? null,
  };
}

function wordsOf(row: ReconciledRow): string {
  switch (row.is) {
    case 'found':
      return 'its result was stored; nothing is paid';
    case 'adopted':
      return `has job ${oneLine(row.jobId ?? '')} now; its result is fetched, nothing is paid`;
    case 'moved-on':
      return 'is no longer unknown: its answer came meanwhile, or somebody else decided';
    case 'resubmitted':
      return 'was sent again, at its price';
    case 'still-unknown':
      return row.hasList
        ? 'still unknown: no job in the list is certainly its own'
        : 'still unknown: the API has no list of such requests, so only the account can tell whether it was charged';
    case 'unreadable':
      return `still unknown: the list could not be read (${oneLine(row.why)})`;
    case 'released':
      return `no longer has job ${oneLine(row.jobId ?? '')}: whether its own request was charged is unknown again`;
    case 'charged':
      return `take ${String(row.take)} was charged: job ${oneLine(row.jobId ?? '')}; the row stays as it is`;
    case 'not-charged':
      return `take ${String(row.take)} was not charged; the row stays as it is`;
    case 'refused':
      return row.jobId === null
        ? `is left as it is: ${oneLine(refusalWords(row.why))}`
        : `does not get job ${oneLine(row.jobId)}: ${oneLine(refusalWords(row.why))}`;
  }
}

function refusalWords(why: SettleRefusal): string {
  switch (why.is) {
    case 'not-in-doubt':
      return 'the row has no request whose outcome is unknown';
    case 'take-not-in-doubt':
      return 'that take has no request whose outcome is unknown';
    case 'in-flight':
      return 'its request is in flight now; wait for its answer';
    case 'makes-no-job':
      return `a ${why.step} of a ${why.kind} row makes no job`;
    case 'no-such-job':
      return `the API has no ${why.step} job of that id (${why.words})`;
    case 'job-unreadable':
      return `the job could not be read: ${why.words}`;
    case 'job-taken':
      return 'another row has that job';
    case 'answer-came':
      return 'its answer came meanwhile';
    case 'current-take':
      return 'the row is at that take; --resubmit sends it again, and settles nothing of what may have been charged';
    case 'not-adopted':
      return 'nobody gave it a job by --adopt; what the API itself answered is not taken back';
    case 'job-used':
      return why.words;
  }
}

function createdAt({ createdAtMs }: Orphan): string | undefined {
  return createdAtMs === undefined ? undefined : new Date(createdAtMs).toISOString();
}
