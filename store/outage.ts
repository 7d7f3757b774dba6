import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The first pause between two tries, ms. Each further one is twice as long, and shortened at random by up to a half.
 */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

/** Why a place cannot be used for now. */
export interface OutageProblem {
  /** The last error, for a person to read. */
  readonly problem: string;
  /**
   * True if the place answers, but refuses until a person changes something, such as a full disk or missing rights.
   * Only operations without a time limit wait for that. Default false.
   */
  readonly needsPerson?: boolean;
}

/** The state of a place that does not answer. */
export interface OutageStatus extends OutageProblem {
  /** How long it has not answered, ms. */
  readonly forMs: number;
}

/** When a place that neither answers nor fails counts as away: its server or machine may hang. */
interface Silence {
  /** Longest time that an operation may take to answer, ms. */
  readonly ms: number;
  /** The problem to report after that. */
  readonly problem: string;
}

/** How waiting operations are spread out, so that many of them do not overload a place that fails. */
interface Crowd {
  /** Time between two tries over all waiting operations, ms. */
  readonly everyMs: number;
  /**
   * The longest pause of one operation, ms: in a crowd, and where it alone fails while others of its kind succeed.
   */
  readonly maxMs: number;
}

/** An operation that failed and waits to be tried again. */
interface Waiting {
  readonly kind: string;
  /** When it failed first, in monotonic ms. */
  readonly since: number;
  failures: number;
  why: OutageProblem;
  /** Whether another operation of its kind has succeeded since its last failure. */
  isAnswered: boolean;
  /** Whether a success of another kind has already ended one of its pauses; it does so once. */
  isWoken: boolean;
  /** Ends its pause. */
  wake: () => void;
}

/**
 * Retries operations on a remote place while it is away: the database server of the ledger, or a store in a bucket. All
 * operations on one place share one `Outage`:
 *
 * - {@link repeat} runs an operation again, with growing pauses, until it succeeds, fails for good, or its time is up.
 * - Many waiting operations are spread out, see {@link Crowd}.
 * - A success ends the pauses of the others: always of those of its kind, once of those of other kinds.
 * - {@link status} and {@link trouble} return for how long the place has been away, and why.
 */
export class Outage {
  #limitMs: number;
  readonly #problemOf: (error: unknown) => OutageProblem | undefined;
  readonly #silence: Silence;
  readonly #crowd: Crowd;
  /** The problem of the operation that failed last. */
  #lastProblem: OutageProblem | undefined;
  /** Operations in progress, waiting ones included, by the begin of their latest try, the oldest first. */
  readonly #pending = new Set<{ readonly since: number }>();
  /** Operations that wait, the oldest first. */
  readonly #waiting = new Set<Waiting>();
  #pauses = newPauses();
  readonly #answers = new EventEmitter().setMaxListeners(0);
  /** The last outage that is over, in monotonic ms. */
  #lastOutage: { readonly from: number; readonly to: number } = { from: -Infinity, to: -Infinity };

  /**
   * @param limitMs how long an operation is repeated, from its first failure on, ms
   * @param problemOf returns the problem behind an error if waiting may solve it; undefined if the error is final
   * @param silence default: an operation may take any time to answer
   * @param crowd default: waiting operations are not spread out, and each tries again at least every two seconds
   */
  constructor(
    limitMs: number,
    problemOf: (error: unknown) => OutageProblem | undefined,
    silence: Silence = { ms: Infinity, problem: '' },
    crowd: Crowd = { everyMs: 0, maxMs: MAX_PAUSE_MS },
  ) {
    this.#limitMs = limitMs;
    this.#problemOf = problemOf;
    this.#silence = silence;
    this.#crowd = crowd;
  }

  /**
   * Changes how long operations are repeated, ms. Applies to waiting ones, too, which try again at once. With 0,
   * nothing waits any more.
   */
  limit(ms: number): void {
    this.#limitMs = ms;
    this.#pauses.abort();
    this.#pauses = newPauses();
  }

  /**
   * Returns the wait of the operation that has waited longest, and the latest problem. If none waits: whether a try has
   * been silent for too long. Undefined if the place is fine, or unused.
   */
  get status(): OutageStatus | undefined {
    const now = performance.now();
    const [oldest] = this.#waiting;
    // The oldest may itself wait for a nested operation, such as opening a connection, whose problem is newer.
    if (oldest !== undefined) return { forMs: now - oldest.since, ...(this.#lastProblem ?? oldest.why) };
    const [first] = this.#pending;
    if (first === undefined) return undefined;
    const forMs = now - first.since;
    return forMs < this.#silence.ms ? undefined : { forMs, problem: this.#silence.problem };
  }

  /** Returns why the place does not answer; undefined if the latest try succeeded, or if no operation waits. */
  get trouble(): string | undefined {
    for (const { failures, isAnswered, why } of this.#waiting) {
      // One failure alone is no outage: a connection may have been closed while idle.
      if (failures > 1 && !isAnswered) return why.problem;
    }
    return undefined;
  }

  /** Resolves once there is no {@link trouble}, also because no operation waits any more, or when the signal aborts. */
  async whenAnswered(signal: AbortSignal): Promise<void> {
    if (this.trouble === undefined || signal.aborted) return;
    await once(this.#answers, 'answer', { signal }).catch(() => undefined);
  }

  /**
   * Returns the length of the present outage, or of one that ended within the last `ms`; 0 if there was none. What
   * others write to the place regularly, such as heartbeats, may be older by that and still count as recent.
   */
  recentDowntimeMs(ms: number): number {
    const { status } = this;
    if (status !== undefined) return status.forMs;
    const { from, to } = this.#lastOutage;
    return performance.now() - to < ms ? to - from : 0;
  }

  /** When the last outage ended, in monotonic ms; -Infinity if there was none. */
  get lastEndedAt(): number {
    return this.#lastOutage.to;
  }

  /**
   * Runs `work` until it succeeds, and returns its result. Throws its error if that is final, or once the time limit is
   * over. A failed `work` must have changed nothing.
   *
   * @param kind groups operations, since a place may fail with one kind alone, such as uploads. Default: one kind
   */
  async repeat<T>(work: () => Promise<T>, kind = ''): Promise<T> {
    let mine: Waiting | undefined;
    try {
      for (;;) {
        const pending = { since: performance.now() };
        this.#pending.add(pending);
        try {
          const done = await work();
          this.#noteAnswer(kind);
          if (mine !== undefined) this.#noteEnd(mine.since);
          return done;
        } catch (error) {
          const why = this.#problemOf(error);
          if (why === undefined || (why.needsPerson === true && this.#limitMs !== Infinity)) throw error;
          this.#lastProblem = why;
          const failsAlone = mine?.isAnswered === true;
          mine ??= newWaiting(kind, why);
          Object.assign(mine, { why, failures: mine.failures + 1, isAnswered: false });
          const leftMs = this.#limitMs - (performance.now() - mine.since);
          if (leftMs <= 0) throw error;
          this.#waiting.add(mine);
          await this.#pause(mine, failsAlone, leftMs);
        } finally {
          this.#pending.delete(pending);
        }
      }
    } finally {
      if (mine !== undefined) this.#waiting.delete(mine);
      // An operation that gave up will never report an answer, so whoever waits for one must not depend on it.
      if (this.trouble === undefined) this.#answers.emit('answer');
    }
  }

  /**
   * Waits before the next try: the operation's own pause first; then, if many operations wait, until it is its turn
   * among them, which {@link Waiting.wake} cuts short. `failsAlone`: others of its kind succeed.
   */
  async #pause(mine: Waiting, failsAlone: boolean, leftMs: number): Promise<void> {
    const { everyMs, maxMs } = this.#crowd;
    const { signal } = this.#pauses;
    const jitter = 0.5 + Math.random() / 2;
    const ownMs = Math.min(failsAlone ? maxMs : MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (mine.failures - 1));
    const crowdMs = Math.min(maxMs, everyMs * (this.#waiting.size - 1));
    await sleep(Math.min(leftMs, ownMs * jitter), undefined, { signal }).catch(() => undefined);
    const restMs = Math.min(leftMs, crowdMs * jitter) - ownMs * jitter;
    if (restMs <= 0 || mine.isAnswered) return;
    const woken = new AbortController();
    mine.wake = () => {
      woken.abort();
    };
    await sleep(restMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
  }

  /** Ends the pauses of waiting operations of this kind, and once those of other kinds. */
  #noteAnswer(kind: string): void {
    for (const waiting of this.#waiting) {
      if (waiting.kind === kind) waiting.isAnswered = true;
      else if (waiting.isWoken) continue;
      waiting.isWoken = true;
      waiting.wake();
    }
  }

  /** Records an outage that began at `since` and ends now. Overlapping ones count as one. */
  #noteEnd(since: number): void {
    const { from, to } = this.#lastOutage;
    this.#lastOutage = { from: since < to ? Math.min(from, since) : since, to: performance.now() };
  }
}

function newWaiting(kind: string, why: OutageProblem): Waiting {
  const wake = (): void => undefined;
  return { kind, since: performance.now(), failures: 0, why, isAnswered: false, isWoken: false, wake };
}

/** Returns a controller that aborts the pauses of all waiting operations, however many listen to it. */
function newPauses(): AbortController {
  const pauses = new AbortController();
  setMaxListeners(0, pauses.signal);
  return pauses;
}
