import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Pauses between two tries: the first, and the longest, ms. Each is doubled, and shortened at random by up to a half.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Why a place cannot be used for now. */
export interface OutageProblem {
  /** The last error, in words. */
  readonly problem: string;
  /** It answers, and waits for what a person does. Only who waits without limit waits for that. Default false. */
  readonly needsPerson?: boolean;
}

/** What is known about a place that does not answer. */
export interface OutageStatus extends OutageProblem {
  /** How long it has not answered, ms. */
  readonly forMs: number;
}

/** When a place that says nothing at all counts as away: its server or machine stands still. */
interface Silence {
  /** How long the answer to an operation may take, ms. */
  readonly ms: number;
  /** What to say then. */
  readonly problem: string;
}

/** How operations that wait are held back, so that many of them do not keep a place busy that fails. */
interface Crowd {
  /** Time between two tries of all that wait together, ms. */
  readonly everyMs: number;
  /** The longest pause, ms: of each of them, and of one that fails while the place answers others of its kind. */
  readonly longestMs: number;
}

/** An operation that waits. */
interface Waiting {
  readonly kind: string;
  /** When it failed first, in monotonic ms. */
  readonly since: number;
  failures: number;
  why: OutageProblem;
  /** Whether the place has answered another of its kind since. */
  isAnswered: boolean;
  /** Whether the place has answered anything since it waits, and it has tried again for that. */
  isWoken: boolean;
  /** Ends its pause. */
  wake: () => void;
}

/**
 * Waits for a place on another machine that has gone away: the database of the ledger, a store in a bucket. Whatever
 * needs it is repeated until it succeeds, or its time is over.
 */
export class Outage {
  #limitMs: number;
  readonly #problemOf: (error: unknown) => OutageProblem | undefined;
  readonly #silence: Silence;
  readonly #crowd: Crowd;
  /** Of the last that failed. */
  #heard: OutageProblem | undefined;
  /** What is asked now and has neither answer nor error, the oldest first. */
  readonly #asking = new Set<{ readonly since: number }>();
  /** What waits now, the oldest first. */
  readonly #waiting = new Set<Waiting>();
  #pauses = newPauses();
  readonly #answers = new EventEmitter().setMaxListeners(0);
  /** The last one that is over, in monotonic ms. */
  #over: { readonly from: number; readonly to: number } = { from: -Infinity, to: -Infinity };

  /**
   * @param limitMs how long each operation is repeated from its first failure on, ms
   * @param problemOf the problem, if waiting may end it; undefined for an error that is final
   * @param silence default: an operation may take as long as it likes
   * @param crowd default: each tries again every two seconds
   */
  constructor(
    limitMs: number,
    problemOf: (error: unknown) => OutageProblem | undefined,
    silence: Silence = { ms: Infinity, problem: '' },
    crowd: Crowd = { everyMs: 0, longestMs: LONGEST_PAUSE_MS },
  ) {
    this.#limitMs = limitMs;
    this.#problemOf = problemOf;
    this.#silence = silence;
    this.#crowd = crowd;
  }

  /**
   * Changes how long each operation is repeated, ms, also of those that wait: they try again at once. 0 ends all
   * waiting.
   */
  limit(ms: number): void {
    this.#limitMs = ms;
    this.#pauses.abort();
    this.#pauses = newPauses();
  }

  /** How long the one has waited that has waited longest, and what was heard last; undefined if nobody waits. */
  get status(): OutageStatus | undefined {
    const now = performance.now();
    const [oldest] = this.#waiting;
    // One that waits for another that waits, such as a look for a connection, hears nothing new.
    if (oldest !== undefined) return { forMs: now - oldest.since, ...(this.#heard ?? oldest.why) };
    const [first] = this.#asking;
    if (first === undefined) return undefined;
    const forMs = now - first.since;
    return forMs < this.#silence.ms ? undefined : { forMs, problem: this.#silence.problem };
  }

  /** Why the place does not answer; undefined if it did when it was last asked, and while nobody asks. */
  get trouble(): string | undefined {
    for (const { failures, isAnswered, why } of this.#waiting) {
      // A connection that was closed while idle fails once, and means nothing.
      if (failures > 1 && !isAnswered) return why.problem;
    }
    return undefined;
  }

  /** Resolves once there is no {@link trouble}, be it that nobody asks any more, or when the signal aborts. */
  async whenAnswered(signal: AbortSignal): Promise<void> {
    if (this.trouble === undefined || signal.aborted) return;
    await once(this.#answers, 'answer', { signal }).catch(() => undefined);
  }

  /**
   * For how long nothing went through, if that is so or was within the last `ms`: what others do regularly there is
   * then older by that than it looks.
   */
  recentDowntimeMs(ms: number): number {
    const { status } = this;
    if (status !== undefined) return status.forMs;
    return performance.now() - this.#over.to < ms ? this.#over.to - this.#over.from : 0;
  }

  /** When the last one was over, in monotonic ms. */
  get lastEndedAt(): number {
    return this.#over.to;
  }

  /**
   * Runs `work` again as long as it fails and may wait; throws its last error then. It must leave nothing when it
   * fails. `kind`: a place may do one kind of operation, and not another. Default: all are of one.
   */
  async repeat<T>(work: () => Promise<T>, kind = ''): Promise<T> {
    let mine: Waiting | undefined;
    try {
      for (;;) {
        const asked = { since: performance.now() };
        this.#asking.add(asked);
        try {
          const done = await work();
          this.#noteAnswer(kind);
          if (mine !== undefined) this.#noteOver(mine.since);
          return done;
        } catch (error) {
          const why = this.#problemOf(error);
          if (why === undefined || (why.needsPerson === true && this.#limitMs !== Infinity)) throw error;
          this.#heard = why;
          const isAlone = mine?.isAnswered === true;
          mine ??= newWaiting(kind, why);
          Object.assign(mine, { why, failures: mine.failures + 1, isAnswered: false });
          const leftMs = this.#limitMs - (performance.now() - mine.since);
          if (leftMs <= 0) throw error;
          this.#waiting.add(mine);
          await this.#pause(mine, isAlone, leftMs);
        } finally {
          this.#asking.delete(asked);
        }
      }
    } finally {
      if (mine !== undefined) this.#waiting.delete(mine);
      // Whoever asks no longer would never hear that the place answers, and others would wait for that.
      if (this.trouble === undefined) this.#answers.emit('answer');
    }
  }

  /** `isAlone`: the place answers others of its kind. */
  async #pause(mine: Waiting, isAlone: boolean, leftMs: number): Promise<void> {
    const { everyMs, longestMs } = this.#crowd;
    const { signal } = this.#pauses;
    const atRandom = 0.5 + Math.random() / 2;
    const ownMs = Math.min(isAlone ? longestMs : LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (mine.failures - 1));
    const crowdMs = Math.min(longestMs, everyMs * (this.#waiting.size - 1));
    await sleep(Math.min(leftMs, ownMs * atRandom), undefined, { signal }).catch(() => undefined);
    const moreMs = Math.min(leftMs, crowdMs * atRandom) - ownMs * atRandom;
    if (moreMs <= 0 || mine.isAnswered) return;
    const woken = new AbortController();
    mine.wake = () => {
      woken.abort();
    };
    await sleep(moreMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
  }

  /** Those of the same kind try again now, and once those of others. */
  #noteAnswer(kind: string): void {
    for (const one of this.#waiting) {
      if (one.kind === kind) one.isAnswered = true;
      else if (one.isWoken) continue;
      one.isWoken = true;
      one.wake();
    }
  }

  #noteOver(since: number): void {
    const { from, to } = this.#over;
    this.#over = { from: since < to ? Math.min(from, since) : since, to: performance.now() };
  }
}

function newWaiting(kind: string, why: OutageProblem): Waiting {
  const wake = (): void => undefined;
  return { kind, since: performance.now(), failures: 0, why, isAnswered: false, isWoken: false, wake };
}

/** Aborts the pauses of all that wait, however many. */
function newPauses(): AbortController {
  const pauses = new AbortController();
  setMaxListeners(0, pauses.signal);
  return pauses;
}
