import { resolve } from 'node:path';
import { defaultOut } from '../contract/batch-name.ts';
import type { CleanEnd } from '../batches/clean/clean-batch.ts';
import { explainRow, type RowHistory } from '../batches/rows/explain.ts';
import { viewPilot, type Pilot } from '../batches/subset/pilot.ts';
import type { RedriveForecast } from '../batches/redrive/redrive-tally.ts';
import { viewBatch, type BatchView } from '../batches/status/view-batch.ts';
import type { ActionRecord } from '../contract/actions.ts';
import type { CleanParts } from '../contract/cleaning.ts';
import type { Control } from '../contract/outcomes.ts';
import type { Tuning } from '../contract/tunables.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { checkTuning, refuseEmptyLists } from './check-options.ts';
import type { FollowEvent } from './status/follow.ts';
import { paceOf, type PaceView, paceWhile } from './status/pace.ts';
import { chooseBatch } from './open-records.ts';
import { writeFiles, type WrittenFiles } from './results/write-files.ts';
import { clean } from './clean/clean.ts';
import { readHistory, type HistoryOptions } from './history/history.ts';
import type { Reconciled, ReconcileEnd, ReconcileOptions } from './reconcile/reconcile-options.ts';
import { NOBODY, personOf } from './person.ts';
import { redrive } from './redrive/redrive.ts';
import { previewRedrive } from './redrive/preview-redrive.ts';
import type { RedriveCheck, RedriveEnd, RedriveOptions } from './redrive/redrive-options.ts';
import { searchedStore } from './claim-store.ts';
import type { ReportChoice } from '../contract/report.ts';
import type { Session } from './session.ts';
import { controlBatch, type ControlResult, tuneBatch } from './control/control-batch.ts';

/** The reason for an action, for the batch's history. Default: no reason. */
export interface Reason {
  readonly reason?: string | undefined;
}

/** A recorded batch. Only `redrive`, and `reconcile` with `resubmit`, spend money. */
export interface Batch {
  readonly name: string;
  /** Current state: counts, sums, pace and the most common failures. */
  status(): Promise<BatchView & { readonly pace: PaceView }>;
  /**
   * Compares what the rows of a `subset` were charged with their quotes, and projects the cost of the others. Undefined
   * if no row was left out, or none was run.
   */
  pilot(): Promise<Pilot | undefined>;
  /**
   * Everything on record about a row, and whether its stored file is lost. `row` is its id, or its number if no row has
   * that id.
   */
  explain(row: string): Promise<{ readonly type: 'found'; readonly history: RowHistory } | { readonly type: 'no-row' }>;
  /**
   * Stops sending paid requests; results of running jobs are still fetched. Resolves once no paid request is in flight.
   */
  pause(options?: Reason): Promise<ControlResult>;
  /**
   * Continues a paused batch. Refused (`forgotten-requests`) if the folder of its files, by default `out/NAME`, has
   * paid requests that the ledger lacks, as after a restore.
   */
  resume(options?: Reason & { readonly out?: string }): Promise<ControlResult>;
  /**
   * Ends the batch for good: no more paid requests are sent, and unsent rows are cancelled. With `now`, running jobs
   * are abandoned too.
   */
  stop(options?: Reason & { readonly now?: boolean }): Promise<ControlResult>;
  /** Changes tunables. Returns whether workers were notified: false if none works on the batch. */
  tune(tuning: Tuning, options?: Reason): Promise<boolean>;
  /** What was done to the batch, when, by whom and why, the newest last. */
  history(options?: HistoryOptions): Promise<readonly ActionRecord[]>;
  /** Reports what {@link redrive} would do with the same options, and its price. Changes nothing, sends nothing. */
  checkRedrive(options: RedriveOptions): Promise<RedriveCheck>;
  /**
   * Runs ended rows again, as a new take at a new price, and starts work on the batch. Finished steps are kept, and
   * results of paid jobs are fetched for free. While these rows are open, calling it again with the same options
   * resumes the redrive and charges nothing twice. Once they have ended, rows that are named, or selected by an outcome
   * that has a result, are charged again.
   */
  redrive(options: RedriveOptions): Promise<RedriveAnswer>;
  /**
   * Settles rows whose answer was lost, and lists API jobs that belong to no row. If that reopens rows, starts work on
   * the batch.
   */
  reconcile(options?: ReconcileOptions): Promise<ReconcileAnswer>;
  /**
   * Removes the finished batch's media from the store, its rows' inputs, or both. Its bill stays, as do rows in doubt,
   * out folders, and files reused by other batches. With `isDryRun`, only reports what would be removed.
   */
  clean(parts: Partial<CleanParts> & Reason & { readonly isDryRun?: boolean }): Promise<CleanEnd>;
  /**
   * Writes the tables, the summary and the media in their current state to the folder `out`, which is created if
   * needed. Repeatable. `xlsx`: whether `results.xlsx` is one of them. Default: as for the batch, or if one was written
   * there before. `report`: which report is. Default: as for the batch.
   */
  writeFiles(out: string, options?: { readonly xlsx?: boolean; readonly report?: ReportChoice }): Promise<WrittenFiles>;
}

/** A batch in progress. */
export interface RunningBatch extends Batch {
  /** Absolute path of the out folder. */
  readonly out: string;
  /**
   * Follows the batch until it ends or pauses, and links its media into the out folder as they arrive. The last event
   * is `ended`. `signal` stops following, never the batch.
   */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<FollowEvent>;
}

/**
 * Result of a redrive. `finished`: there was nothing to send. `open-edits` (a file edits rows that have not ended),
 * `refused-rows`, `refused`, `declined` and faults in the choice of rows: nothing was changed. `not-opened`: the ledger
 * refused after `opened` rows.
 */
export type RedriveAnswer =
  | ({ readonly opened: number; readonly forecast: RedriveForecast } & (
      { readonly type: 'running'; readonly batch: RunningBatch } | { readonly type: 'finished'; readonly batch: Batch }
    ))
  | Exclude<RedriveEnd, { readonly type: 'open' | 'finished' | 'unasked' }>;

/**
 * Result of settling. `settled`: no work is left. In all other cases with `rows`, the rows of `resubmit` were not sent
 * again; whatever could be settled still was.
 */
export type ReconcileAnswer =
  | (Reconciled &
      (
        { readonly type: 'running'; readonly batch: RunningBatch } | { readonly type: 'settled'; readonly batch: Batch }
      ))
  | Exclude<ReconcileEnd, { readonly type: 'open' | 'settled' | 'unasked' | 'unconfirmed' }>;

/** Error for an outcome of the command line alone: a program consents through its options, so nobody is asked. */
const NOT_FOR_PROGRAMS = 'A program consents through its options.';

/** Dependencies of {@link batchNamed}. */
export interface BatchInvocation {
  readonly session: Session;
  /** Called with a message before anything slow. */
  readonly say: (line: string) => void;
  /** Starts work on a batch. `isNew`: it cannot have a workflow yet. `out`: absolute path of the out folder. */
  readonly work: (batch: BatchRecord, isNew: boolean, out: string) => Promise<RunningBatch>;
}

/** Creates the {@link Batch} of this name. Reads nothing yet. */
export function batchNamed(name: string, invocation: BatchInvocation): Batch {
  const { session, say } = invocation;
  const record = async (): Promise<BatchRecord> => chooseBatch(await session.ledger(), name);
  const requestControl = async (
    control: Control,
    { reason, now: isNow = false, out }: Reason & { readonly now?: boolean; readonly out?: string | undefined } = {},
  ): Promise<ControlResult> => {
    const { settings } = session;
    const ledger = await session.ledger();
    return controlBatch({ settings, ledger, batch: await record(), control, isNow, out, reason, say });
  };
  const workOn = async (folder: string | undefined): Promise<RunningBatch | undefined> => {
    const now = await record();
    return now.state === 'closed' ? undefined : invocation.work(now, false, resolve(folder ?? defaultOut(name)));
  };
  const batch: Batch = {
    name,
    status: async () => {
      const view = await viewBatch(await session.ledger(), await record());
      const service = { api: view.api, isServed: view.standstill !== 'no-worker' };
      return { ...view, pace: paceWhile(service, await paceOf(await session.ledger(), view)) };
    },
    pilot: async () => viewPilot(await session.ledger(), await record()),
    explain: async (row) => {
      const [ledger, found] = [await session.ledger(), await record()];
      return explainRow(ledger, found, row, searchedStore(session.settings, ledger, found));
    },
    pause: ({ reason } = {}) => requestControl('paused', { reason }),
    resume: ({ reason, out } = {}) => requestControl('running', { reason, out }),
    stop: (options) => requestControl('stopping', options),
    history: async (options = {}) => (await readHistory(await session.ledger(), { batch: name, ...options })).actions,
    tune: async (tuning, { reason } = {}) => {
      checkTuning(tuning);
      const { settings } = session;
      return tuneBatch({ settings, ledger: await session.ledger(), batch: await record(), tuning, reason, say });
    },
    checkRedrive: async (options) => {
      refuseEmptyLists(options);
      return previewRedrive(session, await record(), options, NOBODY);
    },
    redrive: async ({ confirm, ...options }) => {
      refuseEmptyLists(options);
      const end = await redrive(session, await record(), options, personOf(confirm));
      if (end.type === 'unasked') throw new Error(NOT_FOR_PROGRAMS);
      if (end.type !== 'open' && end.type !== 'finished') return end;
      const { opened, forecast } = end;
      const running = end.type === 'open' ? await workOn(options.out) : undefined;
      return running === undefined
        ? { type: 'finished', batch, opened, forecast }
        : { type: 'running', batch: running, opened, forecast };
    },
    reconcile: async ({ confirm, ...options } = {}) => {
      // Reconciling loads the worker's API code, which is slow to import.
      const { reconcile } = await import('./reconcile/reconcile.ts');
      const end = await reconcile(session, await record(), options, personOf(confirm));
      if (end.type === 'unasked' || end.type === 'unconfirmed') throw new Error(NOT_FOR_PROGRAMS);
      if (end.type !== 'open' && end.type !== 'settled') return end;
      const { rows, orphans, voices, forgotten, stored } = end;
      const running = end.type === 'open' ? await workOn(options.out) : undefined;
      return running === undefined
        ? { type: 'settled', batch, rows, orphans, voices, forgotten, stored }
        : { type: 'running', batch: running, rows, orphans, voices, forgotten, stored };
    },
    clean: async (options) => clean(session, await record(), options),
    writeFiles: async (folder, options) => {
      const [ledger, store, now] = [await session.ledger(), await session.store(), await record()];
      return writeFiles({ ledger, settings: session.settings, store, batch: now, out: folder, ...options });
    },
  };
  return batch;
}
