import { ApiError } from '../api/speech-api.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { newIdentity, type WorkerWorld } from '../worker/dependencies.ts';
import { adoptJob, listOrphans, settleUnknown, type Orphan } from '../worker/settle-unknown.ts';
import { openLog } from './embedded-worker.ts';
import { hasList, makesJob } from './gather-leftovers.ts';
import type { OpenApi } from './open-api.ts';
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
  adoptions: ReadonlyMap<number, string>,
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (const [row, jobId] of adoptions) {
    const facts = { row, id: await idOf(world, batch.name, row), jobId };
    try {
      const reply = await adoptJob(world, batch.name, row, jobId);
      tell({ ...facts, ...reply });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell({ ...facts, is: 'refused', why: `the job could not be read: ${error.failure.message}` });
    }
  }
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
