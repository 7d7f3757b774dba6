import type { Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** An accepted job that is not known to have ended. */
export interface RunningJob {
  readonly row: number;
  readonly id: string;
  readonly step: Step;
  /** Null if the API did not name it. */
  readonly jobId: string | null;
  /** What it costs; null if no price is known. */
  readonly credits: number | null;
  /** Where that is from: the API's figure, or our quote. */
  readonly creditsKind: 'api' | 'quote' | null;
}

/** The jobs of a batch that still run at the API, by row. */
export async function runningJobs(
  ledger: Pick<Ledger, 'runningJobs' | 'readRow'>,
  batch: string,
): Promise<readonly RunningJob[]> {
  const jobs: RunningJob[] = [];
  for (const charge of await ledger.runningJobs(batch)) {
    const { row, step, jobId, charged, chargedFrom, quoted } = charge;
    const id = (await ledger.readRow(batch, row))?.row.id ?? '';
    const credits = charged ?? quoted;
    const from = charged === null ? 'quote' : chargedFrom;
    jobs.push({ row, id, step, jobId, credits, creditsKind: credits === null ? null : from });
  }
  return jobs;
}
