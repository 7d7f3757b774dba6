import type { OwnOperation } from '../contract/own-operations/own-operation.ts';
import { parseFaultPlan, type FaultPlan, type ReadyFaultPlan } from './fault-plan.ts';
import { parseShape } from './shapes.ts';
import type { WebhookMode } from './webhook-modes.ts';
import type { VoiceRule } from './voices.ts';

/** Options of a simulator. All have defaults. */
export interface SimulatorOptions {
  /** Port of the API; 0 picks a free one. Default 0. */
  port?: number;
  /** Port of the media origin; 0 picks a free one. Default 0. */
  mediaPort?: number;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** The only accepted bearer token. Default `simulator-token`. */
  token?: string;
  /** Seed of shapes, durations and faults. Default 1. */
  seed?: number;
  /** The fault plan. Default: no faults. */
  plan?: FaultPlan;
  /** Balance in API credits. Default 1,000,000. */
  credits?: number;
  /** Paid requests accepted per second; others get a 429 with `Retry-After`. Default null: no limit. */
  rate?: number | null;
  /** Max unfinished jobs and synchronous requests; others get a 429. Default null: no limit. */
  concurrency?: number | null;
  /** Latency of a paid request in ms, uniformly distributed; half of it passes before acceptance. Default 20 to 60. */
  createMs?: [number, number];
  /** Duration of a job in ms. Default 500 to 1,500. */
  jobMs?: [number, number];
  /** `uniform`: between the two values of `jobMs`; `lognormal`: 9 of 10 between them. Default `uniform`. */
  jobDistribution?: 'uniform' | 'lognormal';
  /**
   * Whether media of other hosts are fetched, as a real service does: a job fails, and a transcription is refused, if
   * they cannot be. Default false: no other host is contacted.
   */
  fetchMedia?: boolean;
  /** Lifetime of a result link in ms. Default 60,000. */
  linkLifeMs?: number;
  /** Which voices work: `any` (default), except ids such as `missing-…`, or only those that are `listed`. */
  voices?: VoiceRule;
  /** The longest text of speech, in characters; a longer one gets a 400. Default null: no limit. */
  textLimit?: number | null;
  /**
   * How long a new voice is in training, ms, uniformly distributed; speech with it is refused until then. Default 0.
   */
  trainMs?: [number, number];
  /** Number of existing voices of the account, `voice-1` and so on. Default 0. */
  voiceCount?: number;
  /** How many of those to delete and recreate after each page of the list. Default 0. */
  voiceChurn?: number;
  /** Shape of the answers: `drawn` (default), a name, or `dimension=variant` pairs; see `shapes.ts`. */
  shape?: string;
  /** When webhooks are sent, once the profile has an address for them; see `webhooks.ts`. Default `drawn`. */
  webhooks?: WebhookMode;
  /** User-defined operations to support in addition. Default: none. */
  operations?: readonly OwnOperation[];
}

/** Settings with every default filled in. */
export type ReadySettings = Required<Omit<SimulatorOptions, 'plan'>> & { readonly plan: ReadyFaultPlan };

/** Fills in the defaults. Throws on an invalid fault plan or shape. */
export function readySettings(options: SimulatorOptions): ReadySettings {
  const { plan, shape = 'drawn' } = options;
  parseShape(shape);
  return {
    port: options.port ?? 0,
    mediaPort: options.mediaPort ?? 0,
    host: options.host ?? '127.0.0.1',
    token: options.token ?? 'simulator-token',
    seed: options.seed ?? 1,
    credits: options.credits ?? 1_000_000,
    rate: options.rate ?? null,
    concurrency: options.concurrency ?? null,
    createMs: options.createMs ?? [20, 60],
    jobMs: options.jobMs ?? [500, 1500],
    jobDistribution: options.jobDistribution ?? 'uniform',
    fetchMedia: options.fetchMedia ?? false,
    linkLifeMs: options.linkLifeMs ?? 60_000,
    voices: options.voices ?? 'any',
    textLimit: options.textLimit ?? null,
    trainMs: options.trainMs ?? [0, 0],
    voiceCount: options.voiceCount ?? 0,
    voiceChurn: options.voiceChurn ?? 0,
    shape,
    webhooks: options.webhooks ?? 'drawn',
    operations: options.operations ?? [],
    plan: parseFaultPlan(plan ?? {}),
  };
}
