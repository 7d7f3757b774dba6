import type { Account } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ApiHealth } from '../../policy/pacing/rate.ts';

/**
 * Why an open batch makes no progress.
 *
 * - `ledger-full`: the ledger's disk has no room for records.
 * - `no-worker`: no worker serves the batch's API and account.
 * - `no-sender`, `no-downloader`: workers serve it, but none sends requests, or none downloads results.
 * - `no-store`: all workers wait for the store.
 * - `no-answer`: the API does not answer.
 */
export type Standstill = 'ledger-full' | 'no-worker' | 'no-sender' | 'no-downloader' | 'no-store' | 'no-answer';

/** Why a batch makes no progress, if known. */
export interface FoundStandstill {
  readonly standstill?: Standstill | undefined;
  /** What the ledger's disk lacks, as a sentence; only for `ledger-full`. */
  readonly whyFull?: string | undefined;
}

type StuckBatch = Pick<BatchRecord, 'name' | 'settings' | 'state' | 'control' | 'createdAt' | keyof Account>;

/**
 * Finds why a batch is stuck; empty if no reason is known. Reads only the ledger and its disk. A worker that has just
 * died counts as alive for some seconds.
 * `api`: what the API's answers do to the batch now; default: read from the ledger.
 */
export async function findStandstill(ledger: Ledger, batch: StuckBatch, api?: ApiHealth): Promise<FoundStandstill> {
  if (batch.state !== 'open') return {};
  // This comes first: if the ledger is full, workers cannot record that they are alive.
  const whyFull = await ledger.whyFull();
  if (whyFull !== undefined) return { standstill: 'ledger-full', whyFull };
  return { standstill: await findMissing(ledger, batch, api) };
}

/** Returns what an open batch lacks to make progress; undefined if nothing is known to be missing. */
async function findMissing(ledger: Ledger, batch: StuckBatch, api?: ApiHealth): Promise<Standstill | undefined> {
  const { control, apiUrl, account } = batch;
  const workers = await ledger.livingWorkers(apiUrl, account);
  if (workers.length === 0) return control === 'paused' ? undefined : 'no-worker';
  if (control !== 'paused') {
    if ((await ledger.livingWorkers(apiUrl, account, 'submit')).length === 0) return 'no-sender';
    if ((await ledger.livingWorkers(apiUrl, account, 'download')).length === 0) return 'no-downloader';
  }
  if ((await ledger.storeWaits(apiUrl, account))?.isAll === true) return 'no-store';
  const { silence } = api ?? (await ledger.apiHealth(batch));
  return silence === null ? undefined : 'no-answer';
}

/**
 * Returns true for a batch that paused because its first rows all failed (`--halt alike`). Unlike a pause for missing
 * credits or a bad token, only a person can resume it: a schedule that repeats the command would pay for more failures.
 */
export function isPausedByFailures({ control, pauseReason }: BatchRecord): boolean {
  return control === 'paused' && pauseReason !== null && !['OutOfCredits', 'BadToken'].includes(pauseReason.class);
}

/** Returns true for an open batch that stays paused, and sends nothing, until a person resumes it. */
export function isPausedByPerson({ state, control, pauseReason }: BatchRecord): boolean {
  return state === 'open' && control === 'paused' && pauseReason === null;
}

/**
 * Returns true if the batch paused because the API refused a token. A process cannot change its token: with a refused
 * one it can neither send nor read, and would pause the batch again. So the caller should exit and leave the batch to a
 * process with a valid token.
 */
export function isTokenRefused({ control, pauseReason }: BatchRecord): boolean {
  return control === 'paused' && pauseReason?.class === 'BadToken';
}
