import { asId } from '../../api/read-members.ts';
import { ApiError, type Voice } from '../../api/speech-api.ts';
import type { FreeReads, Unreadable } from '../../batches/free-reads.ts';
import type { Dependencies } from '../dependencies.ts';
import { recoverAnswer } from './recover-answer.ts';
import { loadAttempt } from '../attempt.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import { readJobList } from './read-job-list.ts';
import { apiForDialect } from '../row-api.ts';
import { readInTurn } from '../polling/read-in-turn.ts';

/**
 * Creates the free reads with which `voxbatch reconcile` settles rows in doubt (`batches/free-reads.ts` describes
 * each). They are paced like all reads, and refuse batches of another realm. An API failure is returned as
 * `unreadable`; other errors throw. `signal` aborts them.
 */
export function createFreeReads(deps: Dependencies, signal: AbortSignal): FreeReads {
  return {
    recoverAnswer: (request) =>
      orUnreadable(async () => {
        const trace = await recoverAnswer(deps, await loadAttempt(deps, request), request, signal);
        return { type: trace ?? 'none' };
      }),
    async findJob(batch, { dialect, operation }, jobId) {
      await requireOwnRealm(deps, batch);
      if (asId(jobId) !== jobId) return { type: 'missing', why: 'the API would not give a job such an id' };
      try {
        const read = () => apiForDialect(deps, dialect).readJob(operation, jobId, signal);
        const { credits } = await readInTurn(deps, batch, signal, read);
        return { type: 'there', ...(credits === undefined ? {} : { credits }) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { class: name, message } = error.failure;
        return { type: name === 'BadRequest' ? 'missing' : 'unreadable', why: message };
      }
    },
    listJobs: (batch, list) =>
      orUnreadable(async () => {
        await requireOwnRealm(deps, batch);
        const { jobs, begunAt } = await readJobList(deps, list, batch, signal);
        return { type: 'listed', jobs, begunAt };
      }),
    listVoices: (batch, dialect) =>
      orUnreadable(async () => {
        await requireOwnRealm(deps, batch);
        const inTurn = <T>(read: () => Promise<T>): Promise<T> => readInTurn(deps, batch, signal, read);
        const voices: Voice[] = [];
        for await (const voice of apiForDialect(deps, dialect).listVoices({ inTurn }, signal)) voices.push(voice);
        return { type: 'listed', voices };
      }),
  };
}

/** Throws if the batch belongs to another API or account than this process. */
async function requireOwnRealm(deps: Dependencies, batch: string): Promise<void> {
  await loadBatch(deps, batch);
}

/** Runs a read, and returns an API failure as `unreadable`. */
async function orUnreadable<T>(read: () => Promise<T>): Promise<T | Unreadable> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: 'unreadable', why: error.failure.message };
  }
}
