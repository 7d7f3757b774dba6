import type { Ledger } from '../../ledger/ledger.ts';
import type { Account } from '../../contract/names.ts';

/** A word that named no job of another process is not looked up again for this long, ms: webhooks repeat many words. */
const NO_JOB_MS = 10_000;
/** Max words of one look-up, and max words that wait for one or are known to name no job. More are dropped. */
const MAX_PER_LOOKUP = 500;
const MAX_WORDS = 4_096;
/** How long to cache whether other processes work for the account, ms. */
const ALONE_CACHE_MS = 5_000;

/** Options of {@link HintForwarder}. */
interface ForwarderOptions {
  readonly ledger: Pick<Ledger, 'livingWorkers' | 'passHints'>;
  /** The worker process that receives the webhooks. */
  readonly owner: string;
  readonly account: Account;
  /** Default: {@link PAUSES}. */
  readonly pauses?: Pauses;
}

interface Pauses {
  /** Webhooks that arrive within this time share a look-up, ms. */
  readonly gatherMs: number;
  /**
   * A word is looked up again for this long, ms, at intervals of `retryEveryMs`: a webhook may arrive before the job's
   * acceptance is recorded.
   */
  readonly retryForMs: number;
  readonly retryEveryMs: number;
}

const PAUSES: Pauses = { gatherMs: 250, retryForMs: 3_000, retryEveryMs: 1_000 };

/**
 * Forwards webhooks about jobs that other processes wait for: looks up the words of webhooks in the ledger, and leaves
 * a hint there for the process that holds a job of that id (see `forwarded-hints.ts`). Works only while there are other
 * processes. Failures are ignored: a lost hint only costs time, because jobs are polled all the same.
 */
export class HintForwarder {
  readonly #request: ForwarderOptions;
  readonly #pauses: Pauses;
  /** Words to look up, with their arrival times, monotonic ms; oldest first. */
  readonly #words = new Map<string, number>();
  /** Words that named no job, with the time of the look-up; oldest first. */
  readonly #noJobs = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isLookingUp = false;
  #alone: { readonly is: boolean; readonly at: number } = { is: true, at: -Infinity };
  #hasEnded = false;

  constructor(request: ForwarderOptions) {
    this.#request = request;
    this.#pauses = request.pauses ?? PAUSES;
  }

  /** Adds words of webhooks that named no job of this process; they are looked up soon. */
  add(words: readonly string[]): void {
    const now = performance.now();
    for (const word of words) {
      const none = this.#noJobs.get(word);
      if (none !== undefined && now - none < NO_JOB_MS) continue;
      if (this.#words.size < MAX_WORDS) this.#words.set(word, this.#words.get(word) ?? now);
    }
    this.#lookUpIn(this.#pauses.gatherMs);
  }

  /** Stops forwarding. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  /** Schedules a look-up after `ms`, if words wait and none is scheduled or running. */
  #lookUpIn(ms: number): void {
    if (this.#hasEnded || this.#isLookingUp || this.#timer !== undefined || this.#words.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isLookingUp = true;
      const lookUp = this.#lookUp().catch(() => {
        this.#words.clear();
      });
      void lookUp.finally(() => {
        this.#isLookingUp = false;
        this.#lookUpIn(this.#pauses.retryEveryMs);
      });
    }, ms).unref();
  }

  /** Looks up waiting words, and leaves hints for those that name a job. */
  async #lookUp(): Promise<void> {
    const { ledger, owner, account } = this.#request;
    if (await this.#isAlone()) {
      this.#words.clear();
      return;
    }
    const batch = [...this.#words].slice(0, MAX_PER_LOOKUP);
    const words = batch.map(([word]) => word);
    const found = new Set(await ledger.passHints(account, owner, words));
    const now = performance.now();
    for (const [word, arrivedAt] of batch) {
      if (!found.has(word) && now - arrivedAt < this.#pauses.retryForMs) continue;
      this.#words.delete(word);
      if (!found.has(word)) this.#noteNoJob(word, now);
    }
  }

  /** Returns whether no other living process works for the account; cached for {@link ALONE_CACHE_MS}. */
  async #isAlone(): Promise<boolean> {
    const { ledger, owner, account } = this.#request;
    const now = performance.now();
    if (now - this.#alone.at >= ALONE_CACHE_MS) {
      const workers = await ledger.livingWorkers(account.apiUrl, account.account);
      this.#alone = { is: workers.every((worker) => worker === owner), at: now };
    }
    return this.#alone.is;
  }

  /** Remembers a word that named no job, and forgets the oldest one if there are too many. */
  #noteNoJob(word: string, now: number): void {
    this.#noJobs.delete(word);
    this.#noJobs.set(word, now);
    for (const [oldest] of this.#noJobs) {
      if (this.#noJobs.size <= MAX_WORDS) return;
      this.#noJobs.delete(oldest);
    }
  }
}
