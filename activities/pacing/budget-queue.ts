/** How often one of the waiting rows checks again for room, ms. */
const ASK_EVERY_MS = 250;

/**
 * Rows that wait for budget room, or for the API's real charge to become known. Both may take as long as a job, and the
 * rows they wait for may need their slots. So they wait outside every limit, including the window; one of them checks
 * from time to time, and when one has found room or given up (`passed`), the next checks at once.
 */
export class BudgetQueue {
  readonly #lines = new Map<string, Line>();

  /** Waits until it is this row's turn to ask; rejects if the signal aborts first. */
  async next(batch: string, signal: AbortSignal): Promise<void> {
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

  /** A row of the batch has found room, or asks no more; the next may ask. */
  passed(batch: string): void {
    this.#lines.get(batch)?.letOneAsk();
  }

  #lineOf(batch: string): Line {
    const known = this.#lines.get(batch);
    if (known !== undefined) return known;
    const waiting = new Set<() => void>();
    const letOneAsk = (): void => {
      const [first] = waiting;
      first?.();
    };
    const line = { waiting, letOneAsk, timer: setInterval(letOneAsk, ASK_EVERY_MS) };
    this.#lines.set(batch, line);
    return line;
  }
}

interface Line {
  readonly waiting: Set<() => void>;
  readonly letOneAsk: () => void;
  readonly timer: NodeJS.Timeout;
}
