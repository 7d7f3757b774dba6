/** How often one of the waiting rows checks for budget room, ms. */
const CHECK_EVERY_MS = 250;

/**
 * Queues the rows of this process that wait for budget room: for a reservation to be freed, or for the API's real
 * charge to become known. That may take as long as a job, and the rows that they wait for may need their slots, so they
 * wait outside every limit, including the window. The first of them checks four times a second. When a row has found
 * room or no longer waits (`letNextCheck`), the next checks at once.
 */
export class BudgetQueue {
  readonly #lines = new Map<string, Line>();

  /** Waits until it is a row's turn to check for room. Rejects if the signal aborts first. */
  async waitForTurn(batch: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        line.waiting.delete(go);
        signal.removeEventListener('abort', abort);
        if (line.waiting.size > 0) return;
        clearInterval(line.timer);
        this.#lines.delete(batch);
      };
      const go = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passes on what it was given
        reject(signal.reason);
      };
      const line = this.#lineOf(batch);
      line.waiting.add(go);
      signal.addEventListener('abort', abort);
    });
  }

  /** Lets the next row of the batch check at once. */
  letNextCheck(batch: string): void {
    this.#lines.get(batch)?.letFirstCheck();
  }

  #lineOf(batch: string): Line {
    const known = this.#lines.get(batch);
    if (known !== undefined) return known;
    const waiting = new Set<() => void>();
    const letFirstCheck = (): void => {
      const [first] = waiting;
      first?.();
    };
    const line = { waiting, letFirstCheck, timer: setInterval(letFirstCheck, CHECK_EVERY_MS) };
    this.#lines.set(batch, line);
    return line;
  }
}

/** The waiting rows of one batch. */
interface Line {
  /** Ends the wait of one row each, in order of arrival. */
  readonly waiting: Set<() => void>;
  readonly letFirstCheck: () => void;
  readonly timer: NodeJS.Timeout;
}
