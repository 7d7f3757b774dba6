import { loadAttempt, loadBatch, type LoadedAttempt } from '../activities/load-attempt.ts';
import { findTrace } from '../activities/find-trace.ts';
import { readList } from '../activities/read-list.ts';
import { readInTurn } from '../activities/slots.ts';
import { ApiError, type JobOperation } from '../api/speech-api.ts';
import { OPERATION_STYLE, ROW_KINDS } from '../contract/row-kinds.ts';
import type { ChargeRecord } from '../ledger/record-types.ts';
import { dependenciesOf, type WorkerWorld } from './dependencies.ts';

/**
 * What `voxbatch reconcile` does with rows that have ended `unknown`, in the process of the command itself: it looks once more
 * for what their requests left behind, lets a person name a job, and lists the jobs that no row has. Everything here is
 * free; what it settles goes through the ledger like a late answer, so a row whose job runs is open again afterwards and
 * needs its batch to be worked on.
 */

/** Called off by this; default: never. */
type Called = AbortSignal;
const never = (): Called => new AbortController().signal;

/** What became of a row that was unknown. `unreadable`: the API's list could not be read, so nothing is known of it. */
export type Settled =
  { readonly is: 'found' | 'adopted' | 'still-unknown' } | { readonly is: 'unreadable'; readonly why: string };

/**
 * Looks again in the store and in the API's list for what the requests of unknown rows left; rows of one call share the reading of
 * the list. `found`: the result was in the store, the row has ended. `adopted`: its job was in the list, the row is open again.
 * `still-unknown`: no trace, or no such doubt. In the order of `rows`.
 */
export async function settleUnknown(
  world: WorkerWorld,
  batch: string,
  rows: readonly number[],
  signal: Called = never(),
): Promise<readonly Settled[]> {
  const deps = dependenciesOf(world, signal);
  return Promise.all(
    rows.map(async (row): Promise<Settled> => {
      const doubt = await findDoubt(world, batch, row);
      if (doubt?.state !== 'unknown') return { is: 'still-unknown' };
      try {
        const trace = await findTrace(deps, await loadAttempt(deps, doubt), doubt, signal);
        return { is: trace ?? 'still-unknown' };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { is: 'unreadable', why: error.failure.message };
      }
    }),
  );
}

/** Whether a job became a row's. */
export type AdoptReply = { readonly is: 'adopted' } | { readonly is: 'refused'; readonly why: string };

/** Of which take a person speaks, and who that is. */
export interface Adoption {
  /** Default: the take that the row is at. */
  readonly take?: number;
  /** User and host. Default: somebody. */
  readonly who?: string;
}

/**
 * Gives an unknown row the job that a person says is its own. The job must exist, be of the kind that the row's step makes,
 * and belong to no row. The row is open again then; for a take that the row has left it settles the charge and nothing else. Throws ApiError
 * where the API cannot be asked.
 */
export async function adoptJob(
  world: WorkerWorld,
  batch: string,
  row: number,
  jobId: string,
  { take, who = 'somebody' }: Adoption = {},
  signal: Called = never(),
): Promise<AdoptReply> {
  const deps = dependenciesOf(world, signal);
  const doubt = await findDoubt(world, batch, row, take);
  if (doubt === undefined) {
    // Said once more, as after a kill: it is done.
    if (await hasJob(world, batch, row, jobId, take)) return { is: 'adopted' };
    return refused('the row has no request whose outcome is unknown');
  }
  if (doubt.state === 'sending') return refused('its request is in flight now; wait for its answer');
  const loaded = await loadAttempt(deps, doubt);
  const operation = jobOperationOf(loaded);
  if (operation === undefined) return refused(`a ${doubt.step} of a ${loaded.row.kind} row makes no job`);
  try {
    await readInTurn(deps, batch, signal, () => deps.api.readJob(operation, jobId, signal));
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.class !== 'BadRequest') throw error;
    return refused(`the API has no ${doubt.step} job of that id (${error.message})`);
  }
  const isSettled = await deps.ledger.decide(doubt, { what: 'adopted', jobId, who });
  if (isSettled || (await hasJob(world, batch, row, jobId, take))) return { is: 'adopted' };
  const { apiUrl, account } = loaded.batch;
  const isTaken = await deps.ledger.isJobClaimed(apiUrl, account, doubt.step, jobId);
  return refused(isTaken ? 'another row has that job' : 'its answer came meanwhile');
}

/** True if the take, by default the row's present one, has this job. */
async function hasJob(
  { ledger }: WorkerWorld,
  batch: string,
  row: number,
  jobId: string,
  take?: number,
): Promise<boolean> {
  const found = await ledger.readRow(batch, row);
  return found?.charges.some((one) => one.take === (take ?? found.row.take) && one.jobId === jobId) ?? false;
}

/** A job that the API has and no row of this ledger claims. */
export interface Orphan {
  readonly id: string;
  /** The API's own word. */
  readonly status: string;
  readonly createdAtMs?: number;
  /** What the API says it cost, where it says so. */
  readonly credits?: number;
  /** Where its inputs come from, where the list echoes them: hosts only, for a link may be a secret. */
  readonly videoHost?: string;
  readonly audioHost?: string;
}

/** How far the API's clock may be from ours, ms. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Lip-sync jobs in the API's list (the only one it has) from the time of a batch that no attempt of this ledger has: made for a row
 * whose answer was lost, or by another program. A job without a time counts. Throws ApiError if the list cannot be read.
 */
export async function listOrphans(
  world: WorkerWorld,
  batch: string,
  signal: Called = never(),
): Promise<readonly Orphan[]> {
  const deps = dependenciesOf(world, signal);
  const { apiUrl, account, startedAt, closedAt } = await loadBatch(deps, batch);
  if (startedAt === null) return [];
  const { jobs, begunAt } = await readList(deps, batch, signal);
  const [from, to] = [startedAt - CLOCK_SLACK_MS, (closedAt ?? begunAt) + CLOCK_SLACK_MS];
  const orphans: Orphan[] = [];
  for (const { id, status, createdAtMs, credits, videoUrl, audioUrl } of jobs) {
    if (createdAtMs !== undefined && (createdAtMs < from || createdAtMs > to)) continue;
    if (await deps.ledger.isJobClaimed(apiUrl, account, 'lip-sync', id)) continue;
    orphans.push({
      id,
      status,
      ...(createdAtMs === undefined ? {} : { createdAtMs }),
      ...(credits === undefined ? {} : { credits }),
      ...hostOf('videoHost', videoUrl),
      ...hostOf('audioHost', audioUrl),
    });
  }
  return orphans;
}

/** The request of a take, by default the row's present one, that nobody knows the outcome of, if there is one. */
export async function findDoubt(
  { ledger }: Pick<WorkerWorld, 'ledger'>,
  batch: string,
  row: number,
  wanted?: number,
): Promise<ChargeRecord | undefined> {
  const found = await ledger.readRow(batch, row);
  if (found === undefined) return undefined;
  const { kind } = found.row;
  const take = wanted ?? found.row.take;
  const inDoubt = found.charges.filter(
    (one) => one.take === take && (one.state === 'unknown' || one.state === 'sending'),
  );
  // A later step is only ever asked for once the one before is settled.
  return inDoubt.findLast(({ step }) => ROW_KINDS[kind].steps.includes(step));
}

function jobOperationOf({ operation }: LoadedAttempt): JobOperation | undefined {
  return OPERATION_STYLE[operation] === 'job' ? (operation as JobOperation) : undefined;
}

function hostOf<Name extends string>(name: Name, url: string | undefined): { readonly [N in Name]?: string } {
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
  return (host === undefined ? {} : { [name]: host }) as { readonly [N in Name]?: string };
}

function refused(why: string): AdoptReply {
  return { is: 'refused', why };
}
