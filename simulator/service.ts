import type { Dialect } from '../contract/dialects.ts';
import { makesJob, type Operation } from '../contract/row-kinds.ts';
import { Account } from './account.ts';
import { ChargeLedger, type LedgerEntry } from './charge-ledger.ts';
import { Draw, hashOf } from './draw.ts';
import { FaultDrawer, type ReadyFaultPlan } from './fault-plan.ts';
import { JobBook, phaseOf } from './jobs.ts';
import { Limits } from './limits.ts';
import { MediaCache } from './media/media-cache.ts';
import { MediaFetches } from './media-fetches.ts';
import type { MediaResult } from './media-result.ts';
import { Refusal } from './refusals.ts';
import type { ReadySettings } from './settings.ts';
import { type FixedShape, LEGACY_SHAPE, parseShape } from './shapes.ts';
import { SignedLinks } from './signed-links.ts';
import { Statistics } from './statistics.ts';
import { drawHabits, type ListHabits } from './voice-list.ts';
import { checkTextLength } from './text-limit.ts';
import { VoiceBook, type StoredVoice } from './voices.ts';
import { Webhooks } from './webhooks.ts';

/** A paid request's admission by the limits. */
export interface Admission {
  /** Drawn latency of the request in ms. */
  readonly latencyMs: number;
  /** Checks the limits at the moment of acceptance; throws a refusal. A synchronous request then occupies a slot. */
  enter(): void;
  /** Frees that slot. No effect if none is occupied. */
  leave(): void;
}

/** The state of a simulated service. It lives in memory and ends with the process. */
export class Service {
  readonly settings: ReadySettings;
  readonly account: Account;
  readonly limits: Limits;
  readonly ledger = new ChargeLedger();
  readonly jobs = new JobBook();
  readonly statistics = new Statistics();
  readonly voices: VoiceBook;
  readonly listHabits: ListHabits;
  readonly media = new MediaCache();
  readonly links: SignedLinks;
  readonly mediaFetches = new MediaFetches();
  readonly webhooks: Webhooks;
  faults: FaultDrawer;
  readonly #shape: FixedShape;
  readonly #results = new Map<string, MediaResult>();
  #requests = 0;

  /** @param mediaOrigin - origin of the results, without a trailing slash */
  constructor(settings: ReadySettings, mediaOrigin: string) {
    this.settings = settings;
    const { token, credits, rate, concurrency } = settings;
    this.account = new Account({ token, credits });
    this.limits = new Limits({ rate, concurrency });
    this.voices = new VoiceBook(settings.voices, settings.voiceCount);
    this.links = new SignedLinks(mediaOrigin, settings.linkLifeMs);
    this.faults = new FaultDrawer(settings.plan, settings.seed);
    this.#shape = parseShape(settings.shape);
    this.listHabits = drawHabits(new Draw(hashOf(settings.seed, 'voices'), this.#shape), this.#shape);
    this.webhooks = new Webhooks(this.account, settings, this.#shape, this.statistics);
  }

  /** Returns the random numbers of the next request. */
  nextDraw(dialect: Dialect = 'v1'): Draw {
    this.#requests += 1;
    const fixed = dialect === 'legacy' ? { ...this.#shape, ...LEGACY_SHAPE } : this.#shape;
    return new Draw(hashOf(this.settings.seed, this.#requests), fixed, dialect);
  }

  /**
   * Refuses a voice that does not exist, is in training, or does not support the engine. With `speaksAtOnce`, the
   * answer would be the audio itself, and a refusal may then be a 200 with an error in it.
   */
  checkVoice(id: string, { speaksAtOnce = false, engine }: VoiceUse = {}): void {
    if (this.voices.has(id)) {
      checkUse(this.voices.find(id), engine);
      return;
    }
    const status = Number(this.nextDraw().shape('voice.missing'));
    throw new Refusal(status === 200 && !speaksAtOnce ? 400 : status, 'ERR_VOICE_NOT_FOUND', 'Voice not found');
  }

  /** Refuses a text that is too long. */
  checkText(text: string): void {
    checkTextLength(text, this.settings.textLimit, () => this.nextDraw());
  }

  /** Returns whether an unfinished job uses this voice. */
  isVoiceInUse(id: string): boolean {
    const now = Date.now();
    return this.ledger.list().some(({ operation, voiceId, jobId }) => {
      if (voiceId !== id || jobId === null || !makesJob(operation)) return false;
      const job = this.jobs.find(operation, jobId);
      return job !== undefined && ['waiting', 'processing'].includes(phaseOf(job, now));
    });
  }

  /** Counts a well-formed paid request and draws its latency. */
  admission(operation: Operation, cost: number): Admission {
    this.statistics.countPaidRequest(operation);
    let release: (() => void) | null = null;
    return {
      latencyMs: this.nextDraw().uniform(...this.settings.createMs),
      enter: () => {
        this.limits.check(() => this.jobs.countUnfinished(Date.now()));
        this.account.checkBalance(cost);
        this.limits.use();
        if (!makesJob(operation)) release = this.jobs.beginSynchronous();
      },
      leave: () => {
        release?.();
        release = null;
      },
    };
  }

  /** Charges an accepted request and records it. */
  charge(entry: Omit<LedgerEntry, 'answered' | 'at'>): LedgerEntry {
    this.account.charge(entry.credits);
    return this.ledger.add({ at: Date.now(), ...entry });
  }

  /** Replaces the fault plan and resets its counters. */
  replacePlan(plan: ReadyFaultPlan): void {
    this.faults = new FaultDrawer(plan, this.settings.seed);
  }

  /** Keeps a result, so that its link works. */
  keep(result: MediaResult): void {
    this.#results.set(result.file, result);
  }

  /** Returns a kept result by its file name. */
  find(file: string): MediaResult | undefined {
    return this.#results.get(file);
  }
}

/** How a request uses a voice. */
interface VoiceUse {
  /** True if the answer would be the audio itself. */
  readonly speaksAtOnce?: boolean;
  readonly engine?: string | undefined;
}

/** Checks a listed voice; undefined stands for any other valid one. */
function checkUse(voice: StoredVoice | undefined, engine: string | undefined): void {
  if (voice === undefined) return;
  if (Date.now() < voice.readyAt) throw new Refusal(400, 'ERR_VOICE_NOT_READY', 'Voice is still in training');
  if (engine !== undefined && voice.engines?.includes(engine) === false)
    throw new Refusal(400, 'ERR_MODEL_NOT_SUPPORTED', 'This voice does not work with this model');
}
