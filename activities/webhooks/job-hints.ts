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

/** A webhook listener that reports the jobs mentioned. */
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
/** A probe polled more often than this stops being a probe. */
const MAX_PROBES_POLLS = 4;

/**
 * Number of poll gaps after which a spared job is reconsidered: by then, job durations may be known, and probes may
 * have ended.
 */
const ASK_AGAIN_GAPS = 10;

/** A job whose webhook may come. */
interface Hinted {
  readonly gapMs: number;
  /** Its waiter; see {@link JobHints.begin}. */
  waiter: object;
  /** A webhook came since the job was last read. */
  isHinted: boolean;
  /** When to read it regardless of the poll schedule, monotonic ms. */
  lookAt: number;
  /** When it was last read because of a webhook. */
  hintedLookAt: number;
  isProbe: boolean;
  probePolls: number;
  /** The age of a probe before which it is not polled again, ms. */
  probeAge: number;
  /** Its webhook can still come: it ran after webhooks were listened for. */
  mayBeSpared: boolean;
  /** It had ended when read, or could not be read: it is polled until its end is recorded. */
  isDue: boolean;
  hasEnded: boolean;
  /** The age from which the next look by the safety net is counted, ms. */
  netFrom: number | undefined;
  /** Wakes its waiter. */
  wake: (() => void) | undefined;
}

/**
 * Tracks webhook hints about the jobs that this process waits for, and the polls they make unnecessary. A webhook only
 * says when to read a job; the API's answer decides. Losing one costs time, never a row.
 */
export class JobHints {
  readonly #now: () => number;
  readonly #jobs = new Map<string, Hinted>();
  /** Jobs that had ended without a webhook. It may still come within a moment. */
  readonly #judging = new Map<string, NodeJS.Timeout>();
  #source: HintSource | undefined;
  /** Since when webhooks are listened for; monotonic ms. */
  #listenedSince = Infinity;
  #isUsed = false;
  #trust: HintTrust = NEW_TRUST;
  #probes: Probes = NO_PROBES;

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether webhooks are listened for, or were. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  get trust(): HintTrust {
    return this.#trust;
  }

  /** Listens from now on, until {@link JobHints.stop}. */
  listen(source: HintSource): void {
    this.#source = source;
    this.#listenedSince = this.#now();
    this.#isUsed = true;
    this.#trust = NEW_TRUST;
    for (const [id, job] of this.#jobs) {
      job.mayBeSpared = false;
      source.listenFor(id);
    }
  }

  /** No webhook comes any more: all jobs are polled again. No effect if another source than this one is listened to. */
  stop(source = this.#source): void {
    if (source !== this.#source) return;
    this.#source = undefined;
    this.#pollAll();
    for (const timer of this.#judging.values()) clearTimeout(timer);
    this.#judging.clear();
  }

  /**
   * Registers a wait for a job of this age (ms). `gapMs`: its poll interval. `waiter`: identifies the waiter; of two
   * waiters for one job, the later one counts. Repeatable.
   */
  begin(jobId: string, waiter: object, ageMs: number, gapMs: number): void {
    if (this.#source === undefined) return;
    const known = this.#jobs.get(jobId);
    if (known !== undefined) {
      known.waiter = waiter;
      return;
    }
    // Webhooks that came before we listened are lost, and those for unknown jobs are only remembered for a while.
    const mayBeSpared = ageMs <= Math.min(UNHEARD_MS, this.#now() - this.#listenedSince);
    const none = { isHinted: false, lookAt: Infinity, hintedLookAt: -Infinity, wake: undefined, netFrom: undefined };
    const no = { isProbe: false, probePolls: 0, probeAge: 0, isDue: false, hasEnded: false };
    this.#jobs.set(jobId, { gapMs, waiter, mayBeSpared, ...none, ...no });
    this.#probes = { ...this.#probes, jobs: this.#probes.jobs + 1 };
    this.#source.listenFor(jobId);
  }

  /** When to read a job regardless of the poll schedule, monotonic ms; Infinity if never. */
  lookAt(jobId: string): number {
    return this.#jobs.get(jobId)?.lookAt ?? Infinity;
  }

  /** Sets the callback that wakes the waiter when a job should be read; the last one counts. */
  wakes(jobId: string, wake: () => void): void {
    const job = this.#jobs.get(jobId);
    if (job !== undefined) job.wake = wake;
  }

  /** Webhooks mentioned these jobs. */
  heard(jobIds: readonly string[]): void {
    for (const id of jobIds) {
      const job = this.#jobs.get(id);
      if (job === undefined || job.hasEnded) {
        clearTimeout(this.#judging.get(id));
        this.#judging.delete(id);
        continue;
      }
      job.isHinted = true;
      job.lookAt = Math.min(job.lookAt, Math.max(this.#now(), job.hintedLookAt + job.gapMs));
      job.wake?.();
    }
  }

  /**
   * The age at which to ask again if the planned poll of a job at this age can be skipped, else undefined.
   * `nextSafetyPollAge` computes the safety net's next poll from a given age; its knowledge of such jobs may change.
   */
  spare(jobId: string, ageMs: number, nextSafetyPollAge: (fromMs: number) => number): number | undefined {
    const job = this.#jobs.get(jobId);
    if (this.#source === undefined || job === undefined || !canSkipPolls(this.#trust)) return undefined;
    if (!job.mayBeSpared || job.isDue) return undefined;
    if (!job.isProbe && needsProbe(this.#probes, this.#trust.standing)) {
      [job.isProbe, job.probePolls, job.probeAge] = [true, 0, 0];
      this.#probes = { ...this.#probes, running: this.#probes.running + 1 };
    }
    if (job.isProbe) {
      if (ageMs < job.probeAge - 1) return job.probeAge;
      job.probeAge = nextProbeAge(ageMs);
      return undefined;
    }
    job.netFrom ??= ageMs;
    const netAge = nextSafetyPollAge(job.netFrom);
    if (ageMs < netAge - 1) return Math.min(netAge, ageMs + ASK_AGAIN_GAPS * job.gapMs);
    job.netFrom = undefined;
    return undefined;
  }

  /** A job is read now; returns whether a webhook asked for it. From here on, the next one counts. */
  looks(jobId: string): boolean {
    const job = this.#jobs.get(jobId);
    if (job === undefined) return false;
    const { isHinted } = job;
    if (isHinted) {
      job.hintedLookAt = this.#now();
      this.#source?.listenFor(jobId);
    }
    [job.isHinted, job.lookAt] = [false, Infinity];
    return isHinted;
  }

  /** The job was read and still runs. */
  ran(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (job === undefined) return;
    [job.mayBeSpared, job.isDue] = [true, false];
    if (!job.isProbe) return;
    job.probePolls += 1;
    this.#probes = { ...this.#probes, polls: this.#probes.polls + 1 };
    if (job.probePolls === MAX_PROBES_POLLS) this.#leaveProbes(job);
  }

  /** The job could not be read: it is polled until it can be. */
  unread(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (job !== undefined) job.isDue = true;
  }

  /** The job was read and has ended. `wasHinted`: because of a webhook. */
  ended(jobId: string, wasHinted: boolean): void {
    const job = this.#jobs.get(jobId);
    if (job === undefined || job.hasEnded) return;
    [job.isDue, job.hasEnded] = [true, true];
    this.#leaveProbes(job);
    if (wasHinted) this.#trust = afterEnd(this.#trust, 'hinted');
    // A webhook that arrived during the read also announced the end.
    else if (job.mayBeSpared && !job.isHinted) this.#judgeSoon(jobId, job.gapMs);
  }

  /** The job is no longer waited for by this waiter, see {@link JobHints.begin}. */
  forget(jobId: string, waiter: object): void {
    const job = this.#jobs.get(jobId);
    if (job?.waiter !== waiter) return;
    this.#leaveProbes(job);
    this.#jobs.delete(jobId);
    if (!this.#judging.has(jobId)) this.#source?.forget(jobId);
  }

  /** Webhooks need a moment longer than a poll that happens to come first. */
  #judgeSoon(jobId: string, gapMs: number): void {
    const judge = (): void => {
      this.#judging.delete(jobId);
      if (!this.#jobs.has(jobId)) this.#source?.forget(jobId);
      const didSpare = canSkipPolls(this.#trust);
      this.#trust = afterEnd(this.#trust, 'missed');
      if (didSpare) this.#pollAll();
    };
    this.#judging.set(jobId, setTimeout(judge, gapMs + (this.#source?.delayMs ?? 0)).unref());
  }

  /** Polls all jobs within a gap, spread over it. */
  #pollAll(): void {
    const now = this.#now();
    for (const job of this.#jobs.values()) {
      job.netFrom = undefined;
      job.lookAt = Math.min(job.lookAt, now + Math.random() * job.gapMs);
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
