import { LedgerFull } from './errors.ts';
import type { Ledger } from './ledger.ts';

/** Room on the ledger's disk that is kept for the answers to paid requests. Shared by all who work on the ledger. */
export interface Reserve {
  /** Makes sure that the room is kept. Throws {@link LedgerFull} if the disk has too little for that. */
  hold(): void;
  /** Gives the room back to the disk. */
  free(): void;
  /** Whether files in this folder take their room from the same disk. */
  isOnDiskOf(folder: string): boolean;
}

/**
 * A ledger that records no request unless it has room for the answer. When the disk is full, what an answer said takes
 * that room, and nothing more is sent until there is room again.
 */
export function withReserve(ledger: Ledger, reserve: Reserve): Ledger {
  const recording =
    <A extends readonly unknown[], R>(record: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await record(...args);
      } catch (error) {
        if (!(error instanceof LedgerFull)) throw error;
        freeIfPossible(reserve);
        return record(...args);
      }
    };
  return {
    ...ledger,
    // No other way: a plain function could throw before it returns a promise.
    intend: async (key, intent) => {
      reserve.hold();
      return ledger.intend(key, intent);
    },
    settle: recording((key, verdict, effect) => ledger.settle(key, verdict, effect)),
    notePrice: recording((key, answer) => ledger.notePrice(key, answer)),
    finishJob: recording((key, end, effect) => ledger.finishJob(key, end, effect)),
    noteWorkerEnd: recording((worker, reason) => ledger.noteWorkerEnd(worker, reason)),
    makeRoom: () => {
      freeIfPossible(reserve);
      return Promise.resolve();
    },
    leaveRoom: async (folder) => {
      if (reserve.isOnDiskOf(folder)) reserve.hold();
      return Promise.resolve();
    },
  };
}

/** A disk that is gone, or read-only since an error, does not give its room back. The record that needs it says so, and is tried again. */
function freeIfPossible(reserve: Reserve): void {
  try {
    reserve.free();
  } catch {
    // See above.
  }
}
