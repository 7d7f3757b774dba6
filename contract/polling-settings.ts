import type { Setting } from './tunables.ts';
import type { ValueKind } from './value-kinds.ts';

type Duration = Extract<ValueKind, { readonly type: 'duration' }>;

/** How a batch polls its jobs: the keys of `polling` in the config file. Fixed when the batch is created. */
export const POLLING = {
  /** The provider advises 3 to 5 s; the lower end finishes short jobs sooner. */
  firstLookMs: {
    takes: { type: 'duration', unit: 'ms', least: 0 },
    default: 3_000,
    meaning: 'Time from the acceptance of a job to its first poll',
  },
  gapMs: {
    takes: { type: 'duration', unit: 'ms', least: 1 },
    default: 3_000,
    meaning: 'Time between two polls of a job, with a little jitter',
  },
  jobDeadlineMinutes: {
    takes: { type: 'duration', unit: 'minutes' },
    default: 120,
    meaning: 'A job that runs longer ends its row `overdue`',
  },
} as const satisfies Readonly<Record<string, Setting<Duration>>>;

/** Values for the keys of {@link POLLING}, in the unit that each key names. */
export type Polling = { readonly [N in keyof typeof POLLING]: number };

/** Polling settings as recorded with a batch, all in ms. */
export interface PollingSettings {
  /** Delay of a job's first poll after its creation was accepted, in ms. */
  readonly firstLookMs: number;
  /** Gap between two polls of a job, in ms, before jitter. */
  readonly pollGapMs: number;
  /** A job that has not finished this long after its creation is `overdue`, in ms. */
  readonly jobDeadlineMs: number;
}

/** Returns the settings to record: the given values, and defaults for the rest. */
export function pollingSettings(given: Partial<Polling> = {}): PollingSettings {
  const valueOf = (name: keyof Polling): number => given[name] ?? POLLING[name].default;
  return {
    firstLookMs: valueOf('firstLookMs'),
    pollGapMs: valueOf('gapMs'),
    jobDeadlineMs: valueOf('jobDeadlineMinutes') * 60_000,
  };
}
