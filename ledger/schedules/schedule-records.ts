import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import type { AllowedFirings } from '../../policy/schedules/legal-firing.ts';

/** Everything of a schedule that decides what is spent, read or written, besides its hooks. Temporal has a copy of its times alone. */
export interface ScheduleSettings {
  /** What it runs; `inputs/schedules/scheduled-run.ts` reads it. */
  readonly run: unknown;
  readonly spec: ScheduleSpec;
  /** Whose money it spends. */
  readonly apiUrl: string;
  readonly account: string;
}

/** A schedule on record. */
export interface ScheduleRecord {
  readonly name: string;
  readonly settings: ScheduleSettings;
  /** Every time up to this one at which it was due is on record, ms since 1970. */
  readonly surveyedUntil: number;
  /** When its times were last set, ms since 1970. */
  readonly settledAt: number;
  /** Why it was last paused or resumed here; null: it never was. */
  readonly note: string | null;
  /** Firings that are allowed, the newest first. */
  readonly allowed: readonly AllowedFirings[];
}

/** Firings to allow. */
export type NewAllowance =
  | {
      readonly kind: 'due';
      readonly from: number;
      readonly until: number | null;
      readonly spec: ScheduleSpec;
    }
  | {
      readonly kind: 'backfill';
      readonly from: number;
      readonly until: number;
      readonly spec: ScheduleSpec;
      readonly askedAt: number;
    }
  | { readonly kind: 'trigger'; readonly from: number; readonly until: number };
