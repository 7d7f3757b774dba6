import type { RedrivePrice, SettleWay } from './protocol.ts';

/**
 * What the page can have done: what the commands of the same names do. Each resolves with what they say; rejects if
 * they refuse.
 */
export interface PageActions {
  readonly steer: (batch: string, what: Steering, reason: string | undefined) => Promise<readonly string[]>;
  readonly tune: (batch: string, tuning: PageTuning, reason: string | undefined) => Promise<readonly string[]>;
  /** What a redrive of these rows would do and cost. Changes nothing. `flag`: with this flag of `redrive`. */
  readonly checkRedrive: (
    batch: string,
    rows: readonly string[],
    flag?: 'resubmit' | 'accept',
  ) => Promise<RedrivePrice>;
  readonly redrive: (batch: string, ids: readonly string[], reason: string | undefined) => Promise<readonly string[]>;
  /** Decides about a lost request or a kept result. `job`: only for `adopt`. */
  readonly settle: (
    batch: string,
    decision: Pick<SettleWay, 'way' | 'row'> & { readonly job: string },
    reason: string | undefined,
  ) => Promise<readonly string[]>;
  /** Looks again for traces of all lost requests of a batch. Sends nothing. */
  readonly lookUp: (batch: string, reason: string | undefined) => Promise<readonly string[]>;
}

export const STEERINGS = ['pause', 'resume', 'stop'] as const;
export type Steering = (typeof STEERINGS)[number];

/** What the page can tune, as flags of `tune` would be written. */
export interface PageTuning {
  readonly rate?: string;
  readonly budget?: string;
}

/** What was asked for is refused, in the words of the command. */
export class ActionRefused extends Error {}
