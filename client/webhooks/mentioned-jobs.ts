import { eachWord, keyOf } from '../../policy/webhooks/mentions.ts';

// Finds the jobs that webhooks mention: any word of a request may be a job's id, because the API documents no format of
// its webhooks. Jobs that this process waits for are watched.

/** Starts or stops watching a job. */
export interface WatchChange {
  readonly jobId: string;
  readonly isWatched: boolean;
}

/** What a webhook mentions. */
export interface Mentions {
  /** Watched jobs that it mentioned. */
  readonly ids: readonly string[];
  /** Other words, which may be the ids of jobs that another process waits for. */
  readonly words: readonly string[];
}

/** Applies changes in order. Returns the jobs that were mentioned before they were watched. */
export function changeWatched(jobs: MentionedJobs, changes: readonly WatchChange[]): readonly string[] {
  const mentioned: string[] = [];
  for (const { jobId, isWatched } of changes) {
    if (!isWatched) jobs.forget(jobId);
    else if (jobs.watch(jobId)) mentioned.push(jobId);
  }
  return mentioned;
}

/** Max words remembered per request that name no job yet. Requests usually have few. */
const MAX_WORDS = 64;

/** Max words remembered in total. */
const MAX_REMEMBERED = 4096;

/**
 * Finds the jobs that webhooks mention. Each job is reported once per {@link MentionedJobs.watch}: further mentions in
 * between add nothing to the first.
 */
export class MentionedJobs {
  readonly #now: () => number;
  readonly #memoryMs: number;
  /** Watched jobs, keyed by the part of their ids that bodies are searched for. */
  readonly #watched = new Map<string, Set<string>>();
  /** Words of recent requests with their arrival times, oldest first. */
  readonly #words = new Map<string, number>();

  /**
   * @param memoryMs how long to remember words that name no watched job yet
   * @param now monotonic clock, ms
   */
  constructor(memoryMs: number, now: () => number = () => performance.now()) {
    this.#memoryMs = memoryMs;
    this.#now = now;
  }

  /** Watches for the next mention of a job. Returns true if it was already mentioned within `memoryMs`. */
  watch(jobId: string): boolean {
    const key = keyOf(jobId);
    const mentionedAt = this.#words.get(key);
    if (mentionedAt !== undefined && this.#now() - mentionedAt <= this.#memoryMs) {
      this.#words.delete(key);
      return true;
    }
    const ids = this.#watched.get(key);
    if (ids === undefined) this.#watched.set(key, new Set([jobId]));
    else ids.add(jobId);
    return false;
  }

  /** Stops watching a job. */
  forget(jobId: string): void {
    const key = keyOf(jobId);
    const ids = this.#watched.get(key);
    ids?.delete(jobId);
    if (ids?.size === 0) this.#watched.delete(key);
  }

  /**
   * Returns the watched jobs that a request mentions, each once even if repeated, as in a link. `others` receives the
   * first words that name no watched job.
   *
   * @param content query, body and headers of the request
   */
  search(content: string, others: string[] = []): readonly string[] {
    const mentioned: string[] = [];
    const reported = new Set<string>();
    let words = 0;
    eachWord(content, (word) => {
      const ids = this.#watched.get(word);
      if (ids !== undefined) {
        mentioned.push(...ids);
        this.#watched.delete(word);
        reported.add(word);
      } else if (words < MAX_WORDS && !reported.has(word)) {
        words += 1;
        others.push(word);
        this.#remember(word);
      }
    });
    return mentioned;
  }

  #remember(word: string): void {
    this.#words.delete(word);
    this.#words.set(word, this.#now());
    if (this.#words.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#words.keys()) {
      this.#words.delete(oldest);
      return;
    }
  }
}
