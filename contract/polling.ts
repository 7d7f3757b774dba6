import type { Setting } from './tunables.ts';
import type { ValueKind } from './value-kinds.ts';

type Duration = Extract<ValueKind, { readonly type: 'duration' }>;

/** How the jobs of a batch are watched, by the keys of `polling` in the config file. Fixed when the batch is made. */
export const POLLING = {
  /** The provider advises 3 to 5 s; the lower end finishes short jobs sooner. */
  firstLookMs: {
    takes: { type: 'duration', unit: 'ms', least: 0 },
    default: 3_000,
    meaning: 'Time from the acceptance of a job to the first look at it',
  },
  gapMs: {
    takes: { type: 'duration', unit: 'ms', least: 1 },
    default: 3_000,
    meaning: 'Time between two looks at a job, give or take a little',
  },
  jobDeadlineMinutes: {
    takes: { type: 'duration', unit: 'minutes' },
    default: 120,
    meaning: 'A job that runs longer ends its row `overdue`',
  },
} as const satisfies Readonly<Record<string, Setting<Duration>>>;

/** A value for each key of {@link POLLING}, in the unit that the key names. */
export type Polling = { readonly [N in keyof typeof POLLING]: number };

/** These values, and the default for each that is not given. */
export function pollingOf(given: Partial<Polling> = {}): Polling {
  const defaults = Object.entries(POLLING).map(([name, { default: usual }]) => [name, usual] as const);
  return { ...(Object.fromEntries(defaults) as unknown as Polling), ...given };
}
