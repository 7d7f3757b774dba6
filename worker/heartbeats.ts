import type { Dependencies } from '../activities/dependencies.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { WorkerRecord } from '../ledger/lanes/workers.ts';

/** Heartbeat interval of a worker, ms. */
const BEAT_EVERY_MS = 2_000;

/** The running heartbeats of a worker process. */
export interface Heartbeats {
  /** Stops the heartbeats. The worker still counts as alive for a few seconds. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Records in the ledger, now and every few seconds, that a worker is alive. Rejects if the first heartbeat cannot be
 * written; a later one that cannot be written is skipped.
 */
export async function startHeartbeats(ledger: Pick<Ledger, 'beat'>, worker: WorkerRecord): Promise<Heartbeats> {
  let beating: Promise<unknown> = ledger.beat(worker);
  await beating;
  const timer = setInterval(() => {
    beating = beating.then(() => ledger.beat(worker)).catch(() => undefined);
  }, BEAT_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}

/** A worker's entry in the ledger, kept alive by heartbeats. */
export interface WorkerRegistration {
  /**
   * Stops the heartbeats and removes the entry; after a fault, marks it as failed with the fault's message instead. A
   * write that fails is ignored.
   */
  end(fault: Error | undefined): Promise<void>;
}

/** Registers this worker in the ledger, and keeps it alive there until {@link WorkerRegistration.end}. */
export async function registerWorker({
  ledger,
  realm,
  owner,
  only,
}: Pick<Dependencies, 'ledger' | 'realm' | 'owner' | 'only'>): Promise<WorkerRegistration> {
  const worker = { owner, apiUrl: realm.apiUrl, account: realm.account, only };
  const heartbeats = await startHeartbeats(ledger, worker);
  return {
    end: async (fault) => {
      await heartbeats.stop();
      const recorded =
        fault === undefined ? ledger.forgetWorkers({ owner }) : ledger.noteWorkerEnd(worker, fault.message);
      await recorded.catch(() => undefined);
    },
  };
}
