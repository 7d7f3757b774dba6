import type { FaultPlan } from '../../simulator/start-simulator.ts';
import { seeded } from './seeded.ts';

type Rule = NonNullable<FaultPlan['rules']>[number];
type Fault = Rule['fault'];

/** Faults of a paid request after which nobody can tell whether it was taken. */
const DOUBTFUL: readonly Fault[] = [
  'reset-before',
  'reset-after',
  'accept-then-500',
  { kind: 'html', accepted: true },
  { kind: 'html' },
  'cut',
  'wrong-length',
  { kind: 'status', status: 502, body: 'foreign' },
];

/** Faults of a paid request whose answer tells what happened. */
const CLEAR: readonly Fault[] = [
  { kind: 'status', status: 429, retryAfter: 1 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 422 },
  'soft-error',
  { kind: 'late', ms: 2_000 },
  'job-fails',
  'unknown-status',
];

/** Faults of a look at a job. */
const OF_READS: readonly Fault[] = [
  ...([404, 429, 500, 503] as const).map((status) => ({ kind: 'status', status }) as const),
  ...(['html', 'soft-error', 'reset-before', 'cut', 'wrong-length', 'dead-link', 'unknown-status'] as const),
];

/** Faults of a download. */
const OF_DOWNLOADS: readonly Fault[] = [
  ...(['html', 'reset-before', 'cut', 'wrong-length', 'dead-link', 'wrong-type'] as const),
  { kind: 'status', status: 500 },
];

/** A fault plan, and how many requests it can leave in doubt. */
export interface DrawnFaults {
  readonly plan: FaultPlan;
  readonly mostDoubtful: number;
}

/** The lies of the API for a seed. What leaves a request in doubt comes a counted number of times; the rest as often as drawn. */
export function drawFaults(seed: number, rows: number): DrawnFaults {
  const chance = seeded(seed ^ 0x5eed);
  const times = Math.max(1, Math.round(rows / 250));
  const often = (on: Rule['on'], faults: readonly Fault[], share: number): Rule[] =>
    faults.map((fault) => ({ on, fault, match: { share: share * (0.5 + chance()) } }));
  const counted = (fault: Fault): Rule => ({ on: 'create', fault, times, match: { share: 0.02 * (0.5 + chance()) } });
  return {
    plan: {
      rules: [
        ...DOUBTFUL.map(counted),
        { ...counted({ kind: 'hang', accepted: true }), times: 1 },
        { ...counted('job-stuck'), times: 1 },
        ...often('create', CLEAR, 0.006),
        ...often('read', OF_READS, 0.004),
        ...often('download', OF_DOWNLOADS, 0.01),
        ...often('list', ['reset-before', { kind: 'status', status: 500 }], 0.05),
      ],
    },
    mostDoubtful: DOUBTFUL.length * times + 1,
  };
}
