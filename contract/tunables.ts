import { CACHE_MODES } from './cache-modes.ts';
import { ALIKE_HALT, NEVER_HALT } from './halt.ts';
import { UNKNOWN_POLICIES } from './outcomes.ts';
import type { ValueKind, ValueOf } from './value-kinds.ts';

/** A setting of the config file. */
export interface Setting<K extends ValueKind = ValueKind> {
  /** The values that it accepts. */
  readonly takes: K;
  /** The value in a new batch. */
  readonly default: ValueOf<K>;
  /** For help and docs. */
  readonly meaning: string;
}

/** A setting that may be changed while a batch runs. */
export interface Tunable<K extends ValueKind = ValueKind> extends Setting<K> {
  /** The effect of the default, if its name does not say it. */
  readonly defaultMeans?: string;
  /** Value of batches created before this setting existed. Default: the default of new batches. */
  readonly before?: ValueOf<K>;
  /** Whether it is one of the batch's `limits`, which all workers together keep towards the API. */
  readonly isLimit: boolean;
}

type AnyTunable = { [K in ValueKind['type']]: Tunable<Extract<ValueKind, { readonly type: K }>> }[ValueKind['type']];

/**
 * Everything that can be changed while a batch runs (`voxbatch tune`), by its key in the config file. Flags, help,
 * config file, `tune`, `status`, `plan`, docs and batch records are made from this table. A new tunable needs an entry
 * here and the code that obeys it. Each worker reads the current values for every request.
 */
export const TUNABLES = {
  /** Max credits for all takes of the batch, uncertain charges included; null for no limit. */
  budget: {
    takes: { type: 'credits' },
    default: null,
    isLimit: false,
    meaning: 'Spending limit in credits',
  },
  /** When failures stop or pause the batch. */
  halt: {
    takes: { type: 'halt' },
    default: ALIKE_HALT,
    defaultMeans: 'pause if the first 20 paid rows all fail alike',
    before: NEVER_HALT,
    isLimit: false,
    meaning: 'When to stop because of failures',
  },
  /** What happens to a row whose answer is lost for good. */
  onUnknown: {
    takes: { type: 'choice', words: UNKNOWN_POLICIES },
    default: 'hold',
    isLimit: false,
    meaning: 'If an answer is lost: hold the row, send it again at the risk of a second charge, or let it fail',
  },
  /** Automatic new takes per row. At most 10: a job that has failed ten times will fail again, at full price. */
  retakes: {
    takes: { type: 'count', least: 0, most: 10 },
    default: 0,
    isLimit: false,
    meaning: 'Retry failed jobs, and results that did not pass a check, up to this many times; each retry is charged',
  },
  /** Whether results of earlier, equal rows are used; see {@link CACHE_MODES}. */
  cache: {
    takes: { type: 'choice', words: CACHE_MODES },
    default: 'on',
    defaultMeans: 'a result that is there already is not paid for again',
    before: 'off',
    isLimit: false,
    meaning: 'Results of earlier, equal rows: use them, pay for fresh ones, use nothing else, or leave them alone',
  },
  /** A shell command to run when the batch ends or pauses by itself. `docs/guide/hooks.md` describes its input. */
  onEnd: {
    takes: { type: 'command' },
    default: null,
    isLimit: false,
    meaning: 'Shell command to run when the batch ends or pauses by itself',
  },
  /**
   * URL that receives a signed JSON message when the batch ends or pauses by itself. It may be a secret, so it is never
   * shown whole.
   */
  notify: {
    takes: { type: 'url' },
    default: null,
    isLimit: false,
    meaning: 'URL to send a message to when the batch ends or pauses by itself',
  },
  /** Max paid requests per second; null for as fast as the API accepts them, slowed down by its 429s. */
  rate: {
    takes: { type: 'rate' },
    default: null,
    isLimit: true,
    meaning: 'Max paid requests per second',
  },
  /**
   * Max paid requests in flight; without a setting, `defaultSubmits` (`policy/lanes/lane-share.ts`) lowers it for small
   * batches. 8 feed 40 rows a second if an answer takes 200 ms. 256 at that speed are over 1,000
   * creates a second: more would leave more rows in doubt after a crash, and be no faster.
   */
  submits: {
    takes: { type: 'count', least: 1, most: 256 },
    default: 8,
    defaultMeans: 'in a small batch a quarter of its rows, at least 2',
    isLimit: true,
    meaning: 'Max paid requests in flight; a crash can leave this many unknown',
  },
  /**
   * Max rows sent and not yet fetched. A worker tracks and polls a job for each: with the default gap, 10,000 of them
   * are 3,300 status reads a second. 400 feed some 50 rows a second.
   */
  window: {
    takes: { type: 'count', least: 1, most: 10_000 },
    default: 400,
    isLimit: true,
    meaning: 'Max rows in flight',
  },
  /** Max status reads per second; null for no limit of ours. */
  pollRate: {
    takes: { type: 'rate' },
    default: null,
    isLimit: true,
    meaning: 'Max status reads per second',
  },
} as const satisfies Readonly<Record<string, AnyTunable>>;

type Table = typeof TUNABLES;
/** A setting that `tune` can change while a batch runs. */
export type TunableName = keyof Table;

/** A value for each tunable. */
export type TunableValues = { readonly [N in TunableName]: ValueOf<Table[N]['takes']> };

/** A tunable that bounds the requests to the API. */
export type LimitName = { [N in TunableName]: Table[N]['isLimit'] extends true ? N : never }[TunableName];
/** Any other tunable, such as the budget or what is done after a failure. */
export type PolicyName = Exclude<TunableName, LimitName>;

/** Limits of a batch towards the API, kept by all its workers together. */
export type BatchLimits = Pick<TunableValues, LimitName>;

/** {@link TunableValues} as a batch's record holds them: with the limits in an object of their own. */
export type Tunables = Pick<TunableValues, PolicyName> & { readonly limits: BatchLimits };

/** A change of {@link Tunables}; absent members stay as they are. */
export type Tuning = Partial<Omit<Tunables, 'limits'>> & { readonly limits?: Partial<BatchLimits> };

/** In the order of help and docs. */
export const TUNABLE_NAMES = Object.keys(TUNABLES) as readonly TunableName[];
/** Tunables that are kept under `limits` in a batch's settings. */
export const LIMIT_NAMES = TUNABLE_NAMES.filter((name) => TUNABLES[name].isLimit) as readonly LimitName[];
/** Tunables that are members of a batch's settings themselves. */
export const POLICY_NAMES = TUNABLE_NAMES.filter((name) => !TUNABLES[name].isLimit) as readonly PolicyName[];

/** Returns the tunables of a tuning, or of a batch's settings, as one flat record; other members are dropped. */
export function valuesOf(tuning: Tuning): Partial<TunableValues> {
  const given = new Map<string, unknown>(Object.entries({ ...tuning, ...tuning.limits }));
  return Object.fromEntries(
    TUNABLE_NAMES.flatMap((name) => (given.get(name) === undefined ? [] : [[name, given.get(name)]])),
  );
}

/** Returns the tuning with these values. The inverse of {@link valuesOf}. */
export function tuningOf(values: Partial<TunableValues>): Tuning {
  const isLimit = (name: string): boolean => (LIMIT_NAMES as readonly string[]).includes(name);
  const entries = Object.entries(values);
  const limits = entries.filter(([name]) => isLimit(name));
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isLimit(name))),
    ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
  };
}

/** Values of a new batch. */
export const DEFAULT_TUNABLES = tuningOf(
  Object.fromEntries(TUNABLE_NAMES.map((name) => [name, TUNABLES[name].default])),
) as Tunables;

/** Values of the tunables that the record of an older batch lacks. */
export const EARLIER_TUNABLES = tuningOf(
  Object.fromEntries(
    TUNABLE_NAMES.map((name) => {
      const { default: usual, before = usual }: Tunable = TUNABLES[name];
      return [name, before];
    }),
  ),
) as Tunables;
