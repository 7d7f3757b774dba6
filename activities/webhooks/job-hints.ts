import {
  afterEnd,
  NEW_TRUST,
  canSkipPolls,
  type HintTrust,
  needsProbe,
  nextProbeAge,
  NO_PROBES,
  type Probes,
} from '../../policy/webhooks/hint-trust.ts';

/** Delivers the ids of jobs that webhooks mention, to `JobHints.receive`. */
export interface HintSource {
  /**
   * Reports the next webhook that mentions this job, once. A webhook received up to {@link UNHEARD_MS} before the first
   * call for a job counts too. Call again for the next one.
   */
  listenFor(jobId: string): void;
  /** Stops reporting this job. */
  forget(jobId: string): void;
  /** How long a webhook may be on its way here after it was received, ms. Default: 0. */
  readonly delayMs?: number;
}

/** How long a source remembers hints, ms. A hint may arrive before the answer that names its job. */
export const UNHEARD_MS = 10_000;
/** After this many polls that found it running, a probe becomes an ordinary job: it would show nothing for long. */
const MAX_PROBE_POLLS = 4;

/**
 * A skipped poll is reconsidered after at most this many poll intervals: by then, job durations may be known, and
 * probes may have ended.
 */
const RECONSIDER_AFTER_GAPS = 10;

/** A job that this process waits for. */
interface Hinted {
  /** Its poll interval, ms. */
  readonly gapMs: number;
  /** Its waiter; see {@link JobHints.track}. */
  waiter: object;
  /** A webhook has come since the last poll began. */
  isHinted: boolean;
  /** When to poll it regardless of the schedule, monotonic ms; Infinity if never. */
  pollAt: number;
  /** When it was last polled because of a webhook, monotonic ms. */
  lastHintedPollAt: number;
  /** It is polled by the schedule, to find out whether webhooks still come. */
  isProbe: boolean;
  probePolls: number;
  /** The age of a probe before which it is not polled again, ms. */
  probeNotBefore: number;
  /** Its end will be announced: it was still running when this process already listened. */
  isWebhookExpected: boolean;
  /** The last poll failed or found its end: it is polled by the schedule until the end is recorded. */
  mustPoll: boolean;
  hasEnded: boolean;
  /** The age from which its next safety poll is computed, ms. Safety polls find ends whose webhooks are lost. */
  safetyFrom: number | undefined;
  /** Wakes its waiter. */
  wake: (() => void) | undefined;
}

/**
 * Decides which polls of jobs webhooks replace. A *hint* is a webhook that mentions a job. It only says when to poll;
 * the API's answer decides, so a lost or forged webhook costs time, never a row.
 *
 * While webhooks are trusted (`policy/webhooks/hint-trust.ts`), a job is polled when a hint comes, and rarely besides
 * (safety polls). A few jobs, the *probes*, are polled by the schedule all the same. If a poll finds the end of a job
 * and no hint follows within a poll interval, webhooks are doubted, and all jobs are polled by the schedule again.
 *
 * Per job, call `track` before each wait, `beginPoll` as a poll begins, then one of `foundRunning`, `foundEnded` and
 * `pollFailed`, and `forget` once nobody waits for the job.
 */
export class JobHints {
  readonly #now: () => number;
  readonly #jobs = new Map<string, Hinted>();
  /** Jobs whose end a poll found before a hint came. The hint may still come until the timer fires. */
  readonly #graceTimers = new Map<string, NodeJS.Timeout>();
  #source: HintSource | undefined;
  /** Since when webhooks are received, monotonic ms; Infinity if they never were. */
  #listenedSince = Infinity;
  #isUsed = false;
  #trust: HintTrust = NEW_TRUST;
  #probes: Probes = NO_PROBES;

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether webhooks were ever received for this process. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  get trust(): HintTrust {
    return this.#trust;
  }

  /** Receives hints from `source` until {@link JobHints.stop}. Trust starts anew. */
  listen(source: HintSource): void {
    this.#source = source;
    this.#listenedSince = this.#now();
    this.#isUsed = true;
    this.#trust = NEW_TRUST;
    for (const [id, job] of this.#jobs) {
      job.isWebhookExpected = false;
      source.listenFor(id);
    }
  }

  /** Stops receiving hints: all jobs are polled by the schedule again. No effect if another source is in use. */
  stop(source = this.#source): void {
    if (source !== this.#source) return;
    this.#source = undefined;
    this.#pollAll();
    for (const timer of this.#graceTimers.values()) clearTimeout(timer);
    this.#graceTimers.clear();
  }

  /**
   * Registers a wait for a job of this age (ms). `gapMs`: its poll interval. `waiter`: identifies the waiter; of two
   * waiters for one job, the later one counts. Repeatable.
   */
  track(jobId: string, waiter: object, ageMs: number, gapMs: number): void {
    if (this.#source === undefined) return;
    const known = this.#jobs.get(jobId);
    if (known !== undefined) {
      known.waiter = waiter;
      return;
    }
    // Webhooks that came before we listened are lost, and those for unknown jobs are only remembered for a while.
    const isWebhookExpected = ageMs <= Math.min(UNHEARD_MS, this.#now() - this.#listenedSince);
    const initial = {
      isHinted: false,
      pollAt: Infinity,
      lastHintedPollAt: -Infinity,
      wake: undefined,
      safetyFrom: undefined,
      isProbe: false,
      probePolls: 0,
      probeNotBefore: 0,
      mustPoll: false,
      hasEnded: false,
    };
    this.#jobs.set(jobId, { gapMs, waiter, isWebhookExpected, ...initial });
    this.#probes = { ...this.#probes, jobs: this.#probes.jobs + 1 };
    this.#source.listenFor(jobId);
  }

  /** Returns when to poll a job regardless of the schedule, monotonic ms; Infinity if never. */
  pollAt(jobId: string): number {
    return this.#jobs.get(jobId)?.pollAt ?? Infinity;
  }

  /** Sets the callback that wakes the waiter when `pollAt` moves earlier. Replaces the former callback. */
  onWake(jobId: string, wake: () => void): void {
    const job = this.#jobs.get(jobId);
    if (job !== undefined) job.wake = wake;
  }

  /** Records that webhooks mention these jobs. */
  receive(jobIds: readonly string[]): void {
    for (const id of jobIds) {
      const job = this.#jobs.get(id);
      if (job === undefined || job.hasEnded) {
        clearTimeout(this.#graceTimers.get(id));
        this.#graceTimers.delete(id);
        continue;
      }
      job.isHinted = true;
      job.pollAt = Math.min(job.pollAt, Math.max(this.#now(), job.lastHintedPollAt + job.gapMs));
      job.wake?.();
    }
  }

  /**
   * Returns the age, ms, until which polls of a job of this age can be skipped; undefined if it must be polled now.
   * `nextSafetyPollAge` computes the age of its next safety poll from a given age; the result may change over time, as
   * the durations of such jobs become known.
   */
  skipPoll(jobId: string, ageMs: number, nextSafetyPollAge: (fromMs: number) => number): number | undefined {
    const job = this.#jobs.get(jobId);
    if (this.#source === undefined || job === undefined || !canSkipPolls(this.#trust)) return undefined;
    if (!job.isWebhookExpected || job.mustPoll) return undefined;
    if (!job.isProbe && needsProbe(this.#probes, this.#trust.state)) {
      [job.isProbe, job.probePolls, job.probeNotBefore] = [true, 0, 0];
      this.#probes = { ...this.#probes, running: this.#probes.running + 1 };
    }
    if (job.isProbe) {
      // Less a millisecond, by which a timer may fire early.
      if (ageMs < job.probeNotBefore - 1) return job.probeNotBefore;
      job.probeNotBefore = nextProbeAge(ageMs);
      return undefined;
    }
    job.safetyFrom ??= ageMs;
    const safetyAge = nextSafetyPollAge(job.safetyFrom);
    if (ageMs < safetyAge - 1) return Math.min(safetyAge, ageMs + RECONSIDER_AFTER_GAPS * job.gapMs);
    job.safetyFrom = undefined;
    return undefined;
  }

  /** Records that a poll of a job begins. Returns whether a hint caused it; later hints cause another poll. */
  beginPoll(jobId: string): boolean {
    const job = this.#jobs.get(jobId);
    if (job === undefined) return false;
    const { isHinted } = job;
    if (isHinted) {
      job.lastHintedPollAt = this.#now();
      this.#source?.listenFor(jobId);
    }
    [job.isHinted, job.pollAt] = [false, Infinity];
    return isHinted;
  }

  /** Records that a poll found the job running. */
  foundRunning(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (job === undefined) return;
    [job.isWebhookExpected, job.mustPoll] = [true, false];
    if (!job.isProbe) return;
    job.probePolls += 1;
    this.#probes = { ...this.#probes, polls: this.#probes.polls + 1 };
    if (job.probePolls === MAX_PROBE_POLLS) this.#leaveProbes(job);
  }

  /** Records that a poll failed: the job is polled by the schedule until a poll succeeds. */
  pollFailed(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (job !== undefined) job.mustPoll = true;
  }

  /** Records that a poll found the job's end. `wasHinted`: what `beginPoll` returned for this poll. */
  foundEnded(jobId: string, wasHinted: boolean): void {
    const job = this.#jobs.get(jobId);
    if (job === undefined || job.hasEnded) return;
    [job.mustPoll, job.hasEnded] = [true, true];
    this.#leaveProbes(job);
    if (wasHinted) this.#trust = afterEnd(this.#trust, 'hinted');
    // A webhook that arrived during the read also announced the end.
    else if (job.isWebhookExpected && !job.isHinted) this.#judgeAfterGrace(jobId, job.gapMs);
  }

  /** Ends a waiter's wait for a job. No effect if another waiter has taken over; see {@link JobHints.track}. */
  forget(jobId: string, waiter: object): void {
    const job = this.#jobs.get(jobId);
    if (job?.waiter !== waiter) return;
    this.#leaveProbes(job);
    this.#jobs.delete(jobId);
    if (!this.#graceTimers.has(jobId)) this.#source?.forget(jobId);
  }

  /**
   * Counts an end as missed by webhooks unless a hint comes within a poll interval: a webhook takes longer than a poll
   * that happens to come first.
   */
  #judgeAfterGrace(jobId: string, gapMs: number): void {
    const judge = (): void => {
      this.#graceTimers.delete(jobId);
      if (!this.#jobs.has(jobId)) this.#source?.forget(jobId);
      const skippedPolls = canSkipPolls(this.#trust);
      this.#trust = afterEnd(this.#trust, 'missed');
      if (skippedPolls) this.#pollAll();
    };
    this.#graceTimers.set(jobId, setTimeout(judge, gapMs + (this.#source?.delayMs ?? 0)).unref());
  }

  /** Schedules a poll of each job at a random time within its poll interval. */
  #pollAll(): void {
    const now = this.#now();
    for (const job of this.#jobs.values()) {
      job.safetyFrom = undefined;
      job.pollAt = Math.min(job.pollAt, now + Math.random() * job.gapMs);
      job.wake?.();
    }
  }

  #leaveProbes(job: Hinted): void {
    if (!job.isProbe) return;
    job.isProbe = false;
    const { running, over } = this.#probes;
    this.#probes = { ...this.#probes, running: running - 1, over: over + 1 };
  }
}
