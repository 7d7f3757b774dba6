import { eachWord, keyOf } from '../../policy/webhooks/mentions.ts';

/** Words of one request that are remembered although they name no job yet; usually it has few. */
const MOST_WORDS = 64;
/** Words that are remembered in all. */
const MOST_REMEMBERED = 4_096;

/**
 * Finds the jobs that webhooks mention. Each is told once, until somebody asks for the next time: however many webhooks
 * mention it in between, they say no more than the first.
 */
export class HeardJobs {
  readonly #now: () => number;
  readonly #memoryMs: number;
  /** Jobs to be told, by the part of their ids that bodies are searched for. */
  readonly #watched = new Map<string, Set<string>>();
  /** Words of the latest requests, oldest first, and when they came. */
  readonly #words = new Map<string, number>();

  /** @param memoryMs how long a word is remembered that names no job yet */
  constructor(memoryMs: number, now: () => number = () => performance.now()) {
    this.#memoryMs = memoryMs;
    this.#now = now;
  }

  /** Tells of this job from now on, once. Returns true if it was mentioned a moment ago, before anybody asked. */
  watch(jobId: string): boolean {
    const key = keyOf(jobId);
    const heardAt = this.#words.get(key);
    if (heardAt !== undefined && this.#now() - heardAt <= this.#memoryMs) {
      this.#words.delete(key);
      return true;
    }
    const ids = this.#watched.get(key);
    if (ids === undefined) this.#watched.set(key, new Set([jobId]));
    else ids.add(jobId);
    return false;
  }

  forget(jobId: string): void {
    const key = keyOf(jobId);
    const ids = this.#watched.get(key);
    ids?.delete(jobId);
    if (ids?.size === 0) this.#watched.delete(key);
  }

  /** The jobs that a request mentions. They are told once, also if it mentions them again, as in a link. */
  hear(said: string): readonly string[] {
    const heard: string[] = [];
    const told = new Set<string>();
    let words = 0;
    eachWord(said, (word) => {
      const ids = this.#watched.get(word);
      if (ids !== undefined) {
        heard.push(...ids);
        this.#watched.delete(word);
        told.add(word);
      } else if (words < MOST_WORDS && !told.has(word)) {
        words += 1;
        this.#remember(word);
      }
    });
    return heard;
  }

  #remember(word: string): void {
    this.#words.delete(word);
    this.#words.set(word, this.#now());
    if (this.#words.size <= MOST_REMEMBERED) return;
    for (const oldest of this.#words.keys()) {
      this.#words.delete(oldest);
      return;
    }
  }
}
