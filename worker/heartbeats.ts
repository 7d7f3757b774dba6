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
 * Records in the ledger, now and every few seconds, that a worker is alive. A later heartbeat that cannot be written is
 * skipped.
 */
export async function startHeartbeats(ledger: Pick<Ledger, 'beat'>, me: WorkerRecord): Promise<Heartbeats> {
  let beating: Promise<unknown> = ledger.beat(me);
  await beating;
  const timer = setInterval(() => {
    beating = beating.then(() => ledger.beat(me)).catch(() => undefined);
  }, BEAT_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}

/**
 * Records in the ledger that this worker is alive until it ends, and then the reason if it failed. That last record is
 * best effort.
 */
export async function showAlive({
  ledger,
  realm,
  owner,
  only,
}: Pick<Dependencies, 'ledger' | 'realm' | 'owner' | 'only'>): Promise<{
  end(fault: Error | undefined): Promise<void>;
}> {
  const me = { owner, apiUrl: realm.apiUrl, account: realm.account, only };
  const beats = await startHeartbeats(ledger, me);
  return {
    end: async (fault) => {
      await beats.stop();
      const noted = fault === undefined ? ledger.forgetWorkers({ owner }) : ledger.noteWorkerEnd(me, fault.message);
      await noted.catch(() => undefined);
    },
  };
}
