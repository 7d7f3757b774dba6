import { hostname, userInfo } from 'node:os';
import { ApiError } from '../api/speech-api.ts';
import { LedgerMisuse } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { newIdentity, type WorkerWorld } from '../worker/dependencies.ts';
import { adoptJob, findDoubt, listOrphans, settleUnknown, type Orphan } from '../worker/settle-unknown.ts';
import { openLog } from './embedded-worker.ts';
import { hasList, makesJob } from '../batches/leftovers.ts';
import type { OpenApi } from './open-api.ts';
import type { NamedJob, RowTake } from './reconcile-choice.ts';
import { openStore } from './open-store.ts';
import type { Settings } from './settings.ts';
import type { ReconciledRow } from './terminal/reconcile-words.ts';
import type { Output } from './terminal/output.ts';

/** Rows of one look-up: they share the reading of the API's list. */
const ROWS_A_LOOK = 500;

/** This process looks as a worker does, but sends nothing and starts no workflow. */
export async function worldOf(settings: Settings, ledger: Ledger, { api, profile }: OpenApi): Promise<WorkerWorld> {
  const store = await openStore(settings, ledger);
  const realm = { apiUrl: api.baseUrl, account: profile.userId, ledgerId: ledger.id };
  const onFault = (fault: Error): void => {
    throw fault;
  };
  return { ledger, store, api, realm, owner: newIdentity(), log: openLog(settings.home), onFault };
}

/** Gives rows the jobs that a person names. A job that cannot be read is told as a refusal. */
export async function adoptAll(
  world: WorkerWorld,
  batch: BatchRecord,
  adoptions: readonly NamedJob[],
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (const { row, take, jobId } of adoptions) {
    const facts = { row, id: await idOf(world, batch.name, row), jobId };
    try {
      const adoption = { who: whoAsks(), ...(take === undefined ? {} : { take }) };
      const reply = await adoptJob(world, batch.name, row, jobId, adoption);
      const isEarlier = take !== undefined && take < ((await world.ledger.readRow(batch.name, row))?.row.take ?? 1);
      tell(reply.is === 'adopted' && isEarlier ? { ...facts, is: 'charged', take } : { ...facts, ...reply });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell({ ...facts, is: 'refused', why: `the job could not be read: ${error.failure.message}` });
    }
  }
}

/** Takes back the jobs that persons gave to rows. */
export async function releaseAll(
  { ledger }: WorkerWorld,
  batch: BatchRecord,
  takes: readonly RowTake[],
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (const { row, take } of takes) {
    const found = await ledger.readRow(batch.name, row);
    const decided = await ledger.decisionsOf(batch.name, row);
    const last = decided.findLast((one) => one.take === (take ?? found?.row.take));
    const facts = { row, id: found?.row.id ?? '', jobId: last?.jobId ?? null };
    const isDone = last?.what === 'released';
    const released =
      last?.what === 'adopted' &&
      (await told(() => ledger.decide(last, { what: 'released', jobId: last.jobId ?? '', who: whoAsks() })));
    if (typeof released === 'string') tell({ ...facts, jobId: null, is: 'refused', why: released });
    else if (released || isDone) tell({ ...facts, is: 'released' });
    else
      tell({
        ...facts,
        jobId: null,
        is: 'refused',
        why: 'nobody gave it a job by --adopt; what the API itself answered is not taken back',
      });
  }
}

/** Settles requests of earlier takes that were not charged, as a person has seen in the account. */
export async function settleNotCharged(
  { ledger }: WorkerWorld,
  batch: BatchRecord,
  takes: readonly RowTake[],
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (const { row, take } of takes) {
    const found = await ledger.readRow(batch.name, row);
    const facts = { row, id: found?.row.id ?? '', jobId: null };
    const doubt = await findDoubt({ ledger }, batch.name, row, take);
    if (doubt?.state !== 'unknown') {
      tell({ ...facts, is: 'refused', why: 'that take has no request whose outcome is unknown' });
      continue;
    }
    if (doubt.take === found?.row.take) {
      const why =
        'the row is at that take; --resubmit sends it again, and settles nothing of what may have been charged';
      tell({ ...facts, is: 'refused', why });
      continue;
    }
    const isSettled = await ledger.decide(doubt, { what: 'not-charged', who: whoAsks() });
    tell(
      isSettled
        ? { ...facts, is: 'not-charged', take: doubt.take }
        : { ...facts, is: 'refused', why: 'its answer came meanwhile' },
    );
  }
}

/** The answer, or the words of a ledger that refuses. */
async function told(work: () => Promise<boolean>): Promise<boolean | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LedgerMisuse) return error.message;
    throw error;
  }
}

/** User and host, for the record of a decision. */
function whoAsks(): string {
  let user = 'somebody';
  try {
    user = userInfo().username;
  } catch {
    // A container may run under a number that has no name.
  }
  return `${user}@${hostname()}`;
}

/** Looks for what became of rows whose answer was lost, and tells of each. */
export async function lookUp(
  world: WorkerWorld,
  batch: BatchRecord,
  rows: readonly number[],
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_A_LOOK) {
    const some = rows.slice(at, at + ROWS_A_LOOK);
    const settled = await settleUnknown(world, batch.name, some);
    for (const [place, row] of some.entries()) {
      const became = settled[place];
      const found = await world.ledger.readRow(batch.name, row);
      if (became === undefined || found === undefined) continue;
      const last = found.charges.findLast((charge) => charge.take === found.row.take);
      const facts = { row, id: found.row.id, jobId: last?.jobId ?? null };
      if (became.is === 'unreadable') tell({ ...facts, is: 'unreadable', why: became.why });
      else if (became.is !== 'still-unknown') tell({ ...facts, is: became.is });
      else if (found.row.outcome === null) tell({ ...facts, is: 'moved-on' });
      else {
        const makes = makesJob(found, batch.settings.tts);
        tell({ ...facts, is: 'still-unknown', hasList: hasList(found), makesJob: makes });
      }
    }
  }
}

/** The jobs from the time of the batch that no row has; null where the API does not say, which is told. */
export async function findOrphans(
  world: WorkerWorld,
  batch: BatchRecord,
  output: Output,
): Promise<readonly Orphan[] | null> {
  try {
    return await listOrphans(world, batch.name);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    output.say(`Jobs that no row has could not be listed: ${error.failure.message}`);
    return null;
  }
}

async function idOf({ ledger }: WorkerWorld, batch: string, row: number): Promise<string> {
  return (await ledger.readRow(batch, row))?.row.id ?? '';
}
