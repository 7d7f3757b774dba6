import { parseFaultPlan, type FaultPlan, type ReadyFaultPlan } from './fault-plan.ts';
import { parseShape } from './shapes.ts';

/** How a simulator behaves. Every setting has a default. */
export interface SimulatorOptions {
  /** Port of the API; 0 takes a free one. Default 0. */
  port?: number;
  /** Port of the media origin; 0 takes a free one. Default 0. */
  mediaPort?: number;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string;
  /** The only bearer token that is accepted. Default `simulator-token`. */
  token?: string;
  /** Seed of shapes, durations and faults. Default 1. */
  seed?: number;
  /** What goes wrong. Default nothing. */
  plan?: FaultPlan;
  /** Balance in API credits. Default 1,000,000. */
  credits?: number;
  /** Paid requests taken per second; others get a 429 with `Retry-After`. Null, the default: any number. */
  rate?: number | null;
  /** Unfinished jobs and synchronous requests at once; others get a 429. Null, the default: any number. */
  concurrency?: number | null;
  /** Latency of a paid request in ms, evenly spread; half of it passes before acceptance. Default 20 to 60. */
  createMs?: [number, number];
  /** Duration of a job in ms. Default 500 to 1,500. */
  jobMs?: [number, number];
  /** `uniform`: between the two of `jobMs`; `lognormal`: 9 of 10 between them. Default `uniform`. */
  jobDistribution?: 'uniform' | 'lognormal';
  /** Life of a result link in ms. Default 60,000. */
  linkLifeMs?: number;
  /** Shape of the answers: `drawn` (default), a name, or `dimension=variant` pairs; see `shapes.ts`. */
  shape?: string;
}

/** Settings with every default filled in. */
export type ReadySettings = Required<Omit<SimulatorOptions, 'plan'>> & { readonly plan: ReadyFaultPlan };

/** Fills in the defaults. Throws on a fault plan or shape that is not valid. */
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
    linkLifeMs: options.linkLifeMs ?? 60_000,
    shape,
    plan: parseFaultPlan(plan ?? {}),
  };
}
