import { defined } from '../../contract/defined.ts';
import type { ListedJob } from '../../api/speech-api.ts';
import { legacyShareOf } from '../../contract/batch.ts';
import {
  dialectOf,
  isListed,
  type ListedOperation,
  operationOf,
  OPERATIONS,
  stepsIn,
  stepsOf,
} from '../../contract/row-kinds.ts';
import { API_CLOCK_SLACK_MS } from '../../policy/clocks.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { FreeReads, Unreadable } from '../free-reads.ts';
import { wasMadeBefore, isNewSince, isSameName } from '../../policy/voices/match-lost-voice.ts';
import { findUnresolved } from './decisions.ts';
import type { StepJob } from './forgotten-requests.ts';

/**
 * Jobs and voices at the API that belong to no row of the ledger, so that a request with a lost answer may have made
 * them.
 */

/** A job at the API that belongs to no row of this ledger. */
export interface Orphan {
  readonly id: string;
  /** The job's status in the API's own words. */
  readonly status: string;
  /** When it was made, ms since 1970; omitted if the API does not say. */
  readonly createdAtMs?: number;
  /** What it cost in credits; omitted if the API does not say. */
  readonly credits?: number;
  /** Hosts of its inputs, if the list echoes them; only hosts, because a link may be a secret. */
  readonly videoHost?: string;
  readonly audioHost?: string;
}

/**
 * Lists jobs at the API (it lists lip-sync jobs only) from the time of a batch that no attempt in this ledger has: they
 * were made for a row whose answer was lost, or by another program. Includes jobs without a time. Reads only lists of
 * operations that rows of the batch use. `own`: further jobs that are rows' own, by their receipts.
 */
export async function listOrphans(
  ledger: Ledger,
  reads: Pick<FreeReads, 'listJobs'>,
  batch: string,
  own: readonly StepJob[] = [],
): Promise<{ readonly type: 'listed'; readonly orphans: readonly Orphan[] } | Unreadable> {
  const record = await ledger.findBatch(batch);
  if (record === undefined || record.startedAt === null) return { type: 'listed', orphans: [] };
  const { apiUrl, account, startedAt, closedAt } = record;
  // Both dialects list the same jobs.
  const dialect = legacyShareOf(record.settings) >= 1 ? 'legacy' : 'v1';
  const orphans: Orphan[] = [];
  for (const operation of OPERATIONS.filter(isListed)) {
    if (!(await hasRowOf(operation, ledger, record))) continue;
    const listing = await reads.listJobs(batch, { dialect, operation });
    if (listing.type === 'unreadable') return listing;
    const { jobs, begunAt } = listing;
    const from = startedAt - API_CLOCK_SLACK_MS;
    const to = (closedAt ?? begunAt) + API_CLOCK_SLACK_MS;
    const isClaimed = async (id: string): Promise<boolean> => {
      const steps = stepsOf(operation);
      if (own.some(({ step, jobId }) => jobId === id && steps.includes(step))) return true;
      const holders = steps.map((step) => ledger.holderOfJob(apiUrl, account, step, id));
      return (await Promise.all(holders)).some((holder) => holder !== undefined);
    };
    for (const job of jobs) {
      const { createdAtMs } = job;
      if (createdAtMs !== undefined && (createdAtMs < from || createdAtMs > to)) continue;
      if (!(await isClaimed(job.id))) orphans.push(orphanOf(job));
    }
  }
  return { type: 'listed', orphans };
}

/** Returns whether a row of the batch needs this operation. */
async function hasRowOf(operation: ListedOperation, ledger: Ledger, { name, settings }: BatchRecord): Promise<boolean> {
  for await (const { row } of ledger.scanRows(name)) {
    if (stepsIn(row.spec).some((step) => operationOf(row.spec, step, settings.tts) === operation)) return true;
  }
  return false;
}

function orphanOf({ id, status, createdAtMs, credits, videoUrl, audioUrl }: ListedJob): Orphan {
  return {
    id,
    status,
    ...defined({ createdAtMs, credits }),
    ...hostOf('videoHost', videoUrl),
    ...hostOf('audioHost', audioUrl),
  };
}

function hostOf<Name extends string>(name: Name, url: string | undefined): { readonly [N in Name]?: string } {
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
  return (host === undefined ? {} : { [name]: host }) as { readonly [N in Name]?: string };
}

/** A voice that a row's lost request may have made: it has the requested name, and belongs to no row. */
export interface VoiceOfRow {
  readonly row: number;
  /** The row's id. */
  readonly id: string;
  /** The voice's id at the API. */
  readonly voice: string;
  readonly name: string;
  readonly provider: string;
  /** True if the voice was certainly not there before the request. */
  readonly isNew: boolean;
  /** When the voice was made, ms since 1970; omitted if the API does not say. */
  readonly createdAtMs?: number;
}

/**
 * Lists the voices that these rows' lost requests may have made; for each row, the oldest first, and those without a
 * time last. Leaves out voices made before the request. Reads the API's list only if one of the rows makes a voice.
 */
export async function listLostVoices(
  ledger: Ledger,
  reads: Pick<FreeReads, 'listVoices'>,
  batch: BatchRecord,
  rows: readonly number[],
): Promise<{ readonly type: 'listed'; readonly voices: readonly VoiceOfRow[] } | Unreadable> {
  const { name: batchName, apiUrl, account } = batch;
  const found: VoiceOfRow[] = [];
  let list: Awaited<ReturnType<FreeReads['listVoices']>> | undefined;
  for (const row of rows) {
    const attempt = await findUnresolved(ledger, batchName, row);
    const record = (await ledger.readRow(batchName, row))?.row;
    if (attempt?.step !== 'voice' || record === undefined) continue;
    list ??= await reads.listVoices(batchName, dialectOf(record.spec));
    if (list.type === 'unreadable') return list;
    const { name: wanted = '' } = record.spec;
    const ofRow: VoiceOfRow[] = [];
    for (const { id: voice, name, provider, createdAtMs } of list.voices) {
      if (!isSameName(name, wanted) || (createdAtMs !== undefined && wasMadeBefore(createdAtMs, attempt))) continue;
      if ((await ledger.holderOfJob(apiUrl, account, 'voice', voice)) !== undefined) continue;
      ofRow.push({
        row,
        id: record.id,
        voice,
        name,
        provider,
        isNew: isNewSince(attempt, { createdAtMs }),
        ...defined({ createdAtMs }),
      });
    }
    found.push(...ofRow.sort((a, b) => (a.createdAtMs ?? Infinity) - (b.createdAtMs ?? Infinity)));
  }
  return { type: 'listed', voices: found };
}
