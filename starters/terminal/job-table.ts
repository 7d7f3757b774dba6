import { inCredits } from './money.ts';
import { creditsOf, type RunningJob } from '../../batches/look/running-jobs.ts';
import { number } from './words.ts';
import { tableLines } from './table.ts';

/** Maximum jobs listed for people; `--json` has all of them. */
const LISTED = 20;

/** The jobs for people: the first of them in a table, a count of the others, the sum. */
export function jobLines(jobs: readonly RunningJob[]): readonly string[] {
  if (jobs.length === 0) return ['None of its jobs is running at the API.'];
  const others = jobs.length - LISTED;
  const isQuoted = jobs.some((job) => job.creditsFrom !== 'api');
  return [
    ...tableLines(COLUMNS, jobs.slice(0, LISTED)),
    ...(others > 0 ? [`and ${number(others)} more`] : []),
    `${number(jobs.length)} ${jobs.length === 1 ? 'job is' : 'jobs are'} running at the API: ${isQuoted ? 'about ' : ''}` +
      `${inCredits(creditsOf(jobs))}, charged now or when ${jobs.length === 1 ? 'it ends' : 'they end'}.`,
  ];
}

/** The jobs for machines, all of them. */
export function jobsJson(jobs: readonly RunningJob[]): readonly object[] {
  return jobs.map(({ row, id, step, jobId, credits, creditsFrom }) => {
    return { row, id, step, job_id: jobId, credits, credits_kind: creditsFrom };
  });
}

const COLUMNS = [
  { title: 'row', value: ({ row }: RunningJob) => String(row), align: 'right' },
  { title: 'id', value: ({ id }: RunningJob) => id },
  { title: 'step', value: ({ step }: RunningJob) => step },
  { title: 'job', value: ({ jobId }: RunningJob) => jobId ?? 'not known' },
  {
    title: 'credits',
    value: ({ credits, creditsFrom }: RunningJob) =>
      credits === null ? 'not known' : `${creditsFrom === 'api' ? '' : '~'}${number(credits)}`,
    align: 'right',
  },
] as const;
