import type { RedrivePrice, SettleWay } from './protocol.ts';

/**
 * The actions behind the page's buttons; each runs the command of the same name. Each resolves with the lines that the
 * command prints, and rejects with {@link ActionRefused} if the command refuses.
 */
export interface PageActions {
  readonly control: (batch: string, what: Control, reason: string | undefined) => Promise<readonly string[]>;
  readonly tune: (batch: string, tuning: PageTuning, reason: string | undefined) => Promise<readonly string[]>;
  /** Prices a redrive of these rows and changes nothing. `flag`: as if `redrive` had this flag. */
  readonly checkRedrive: (
    batch: string,
    rows: readonly string[],
    flag?: 'resubmit' | 'accept',
  ) => Promise<RedrivePrice>;
  readonly redrive: (batch: string, ids: readonly string[], reason: string | undefined) => Promise<readonly string[]>;
  /** Settles a lost request, or accepts a kept result. `job`: the id that a person names for `adopt`, else empty. */
  readonly settle: (
    batch: string,
    decision: { readonly way: SettleWay['way']; readonly row: string; readonly job: string },
    reason: string | undefined,
  ) => Promise<readonly string[]>;
  /** Asks the API again about all lost requests of a batch. Sends no paid request. */
  readonly lookUp: (batch: string, reason: string | undefined) => Promise<readonly string[]>;
}

/** The commands that set whether a batch goes on. */
export const CONTROLS = ['pause', 'resume', 'stop'] as const;
/** A button that runs the command of this name. */
export type Control = (typeof CONTROLS)[number];

/** What the page can tune; values as in the flags of `voxbatch tune`. */
export interface PageTuning {
  readonly rate?: string;
  readonly budget?: string;
}

/** The command refused. The message is the one that it prints. */
export class ActionRefused extends Error {}
