import type { Step } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { number } from './terminal/progress.ts';
import { tableLines } from './terminal/table.ts';

/** A job that was accepted and has not ended as far as is known. */
export interface JobAtApi {
  readonly row: number;
  readonly id: string;
  readonly step: Step;
  readonly job_id: string | null;
  /** What it costs; null if no price is known. */
  readonly credits: number | null;
  /** Where that is from: the API's figure, or our quote. */
  readonly credits_kind: 'api' | 'quote' | null;
}

/** Jobs that are listed for people; `--json` has all of them. */
const LISTED = 20;

/** The jobs of a batch that still run at the API, by row. */
export async function jobsAtApi(ledger: Ledger, batch: string): Promise<readonly JobAtApi[]> {
  const jobs: JobAtApi[] = [];
  for (const charge of await ledger.runningJobs(batch)) {
    const { row, step, jobId, charged, chargedFrom, quoted } = charge;
    const id = (await ledger.readRow(batch, row))?.row.id ?? '';
    const credits = charged ?? quoted;
    const from = charged === null ? 'quote' : chargedFrom;
    jobs.push({ row, id, step, job_id: jobId, credits, credits_kind: credits === null ? null : from });
  }
  return jobs;
}

/** What the jobs cost together; jobs without a known price count as nothing. */
export function creditsOf(jobs: readonly JobAtApi[]): number {
  return jobs.reduce((sum, job) => sum + (job.credits ?? 0), 0);
}

/** The jobs for people: the first of them in a table, a count of the others, the sum. */
export function jobLines(jobs: readonly JobAtApi[]): readonly string[] {
  if (jobs.length === 0) return ['No job of it runs at the API.'];
  const others = jobs.length - LISTED;
  const isQuoted = jobs.some((job) => job.credits_kind !== 'api');
  return [
    ...tableLines(COLUMNS, jobs.slice(0, LISTED)),
    ...(others > 0 ? [`and ${number(others)} more`] : []),
    `${number(jobs.length)} ${jobs.length === 1 ? 'job runs' : 'jobs run'} at the API: ` +
      `${number(creditsOf(jobs))} credits${isQuoted ? ' (partly estimated)' : ''}, charged or to be charged.`,
  ];
}

const COLUMNS = [
  { title: 'row', value: ({ row }: JobAtApi) => String(row), align: 'right' },
  { title: 'id', value: ({ id }: JobAtApi) => id },
  { title: 'step', value: ({ step }: JobAtApi) => step },
  { title: 'job', value: (job: JobAtApi) => job.job_id ?? 'not known' },
  {
    title: 'credits',
    value: ({ credits, credits_kind }: JobAtApi) =>
      credits === null ? 'not known' : `${credits_kind === 'api' ? '' : '~'}${number(credits)}`,
    align: 'right',
  },
] as const;
