import type { Ledger } from '../../ledger/ledger.ts';
import type { Account } from '../../contract/names.ts';

/** A word that named no job of another process is not looked for again for this long, ms: each webhook repeats some. */
const NO_JOB_MS = 10_000;
/** Max words of one look, and max words that wait for one or are known to name no job. More are lost. */
const MOST_A_LOOK = 500;
const MOST_WORDS = 4_096;
/** How long the answer to whether other processes work for the account holds, ms. */
const ALONE_MS = 5_000;

/** What {@link HintForwarder} needs. */
interface PassingRequest {
  readonly ledger: Pick<Ledger, 'livingWorkers' | 'passHints'>;
  /** The worker process that receives the webhooks. */
  readonly owner: string;
  readonly account: Account;
  /** Default: {@link PAUSES}. */
  readonly pauses?: Pauses;
}

interface Pauses {
  /** Webhooks that come within this time share a look into the ledger, ms. */
  readonly gatherMs: number;
  /** A word is looked for again for this long, ms: a webhook may be faster than the record of the job's acceptance. */
  readonly lookForMs: number;
  readonly lookAgainMs: number;
}

const PAUSES: Pauses = { gatherMs: 250, lookForMs: 3_000, lookAgainMs: 1_000 };

/**
 * Passes webhooks on whose jobs other processes wait for: looks into the ledger for jobs with these ids, and leaves the
 * processes that hold them a hint there. Looks only while there are other processes. What fails is left out: a lost
 * hint costs time.
 */
export class HintForwarder {
  readonly #request: PassingRequest;
  readonly #pauses: Pauses;
  /** Words to look for, and when each came, monotonic ms; oldest first. */
  readonly #words = new Map<string, number>();
  /** Words that named no job, and since when; oldest first. */
  readonly #noJobs = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #alone: { readonly is: boolean; readonly at: number } = { is: true, at: -Infinity };
  #hasEnded = false;

  constructor(request: PassingRequest) {
    this.#request = request;
    this.#pauses = request.pauses ?? PAUSES;
  }

  /** Words of webhooks that named no job of this process. */
  heard(words: readonly string[]): void {
    const now = performance.now();
    for (const word of words) {
      const none = this.#noJobs.get(word);
      if (none !== undefined && now - none < NO_JOB_MS) continue;
      if (this.#words.size < MOST_WORDS) this.#words.set(word, this.#words.get(word) ?? now);
    }
    this.#lookIn(this.#pauses.gatherMs);
  }

  /** Looks no more. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #lookIn(ms: number): void {
    if (this.#hasEnded || this.#isLooking || this.#timer !== undefined || this.#words.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isLooking = true;
      const look = this.#look().catch(() => {
        this.#words.clear();
      });
      void look.finally(() => {
        this.#isLooking = false;
        this.#lookIn(this.#pauses.lookAgainMs);
      });
    }, ms).unref();
  }

  async #look(): Promise<void> {
    const { ledger, owner, account } = this.#request;
    if (await this.#isAlone()) {
      this.#words.clear();
      return;
    }
    const asked = [...this.#words].slice(0, MOST_A_LOOK);
    const words = asked.map(([word]) => word);
    const passed = new Set(await ledger.passHints(account, owner, words));
    const now = performance.now();
    for (const [word, cameAt] of asked) {
      if (!passed.has(word) && now - cameAt < this.#pauses.lookForMs) continue;
      this.#words.delete(word);
      if (!passed.has(word)) this.#isNoJob(word, now);
    }
  }

  async #isAlone(): Promise<boolean> {
    const { ledger, owner, account } = this.#request;
    const now = performance.now();
    if (now - this.#alone.at >= ALONE_MS) {
      const workers = await ledger.livingWorkers(account.apiUrl, account.account);
      this.#alone = { is: workers.every((one) => one === owner), at: now };
    }
    return this.#alone.is;
  }

  #isNoJob(word: string, now: number): void {
    this.#noJobs.delete(word);
    this.#noJobs.set(word, now);
    for (const [oldest] of this.#noJobs) {
      if (this.#noJobs.size <= MOST_WORDS) return;
      this.#noJobs.delete(oldest);
    }
  }
}
