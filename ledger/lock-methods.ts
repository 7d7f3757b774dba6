/**
 * Locks between processes, kept beside the records: each ends with its process, however that dies, and lasts as long as the process lives, however
 * slow or suspended it is. A part of {@link Ledger}.
 */
export interface LockMethods {
  /**
   * Lets the workers of one Temporal server work on the ledger, and those of no other at the same time. Two servers know nothing of each
   * other: each would hold the rows for its own, take requests that are on the wire for lost ones, and with `--on-unknown resubmit`
   * pay for them again. `server` names it.
   *
   * Returns what gives the share back. Throws {@link LedgerInUse} while another server's workers have it.
   */
  lockForWorkers(server: string): Promise<Unlock>;
  /** Whether a worker of any server has the ledger. Makes nothing. */
  isWorkedOn(): Promise<boolean>;
  /** Waits until nobody else loads a batch, and keeps others from it. */
  lockForLoading(): Promise<Unlock>;
}

/** Gives a lock back. */
export type Unlock = () => void;
