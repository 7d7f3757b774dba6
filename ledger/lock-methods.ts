/**
 * Locks between processes, kept beside the records: each ends with its process, however that dies, and lasts as long as
 * the process lives, however slow or suspended it is. Part of {@link Ledger}.
 */
export interface LockMethods {
  /**
   * Locks the ledger for the workers of one Temporal server, so that those of no other server work on it at the same
   * time. Two servers know nothing of each other: each would take the rows for its own, treat requests in flight as
   * lost, and with `--on-unknown resubmit` pay for them again. `server` names it.
   *
   * Returns the function that releases the lock. Throws {@link LedgerInUse} while another server's workers hold it.
   */
  lockForWorkers(server: string): Promise<Unlock>;
  /** Whether a worker of any server holds the ledger. Creates nothing. */
  isWorkedOn(): Promise<boolean>;
  /** Waits until nobody else is loading a batch, and keeps others from it. */
  lockForLoading(): Promise<Unlock>;
  /** Waits until nobody else is replacing the files of a batch, and keeps others from it. */
  lockForFiles(): Promise<Unlock>;
}

/** Releases a lock. */
export type Unlock = () => void;
