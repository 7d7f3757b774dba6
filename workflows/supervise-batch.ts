import {
  ActivityFailure,
  TimeoutFailure,
  condition,
  defineSignal,
  makeContinueAsNewFunc,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { downloadQueueOf } from '../contract/names.ts';
import { dutyOfLane, FIRST_DOWNLOAD_LANE } from '../contract/worker-duty.ts';
import { WAKE_UP_SIGNAL, type SuperviseBatchInput } from '../contract/batch-workflow.ts';
import { surveyBatch, workLane } from './activities.ts';
import { recheckPauseMs, roundPauseMs } from '../policy/lanes/lane-share.ts';
import { defined } from '../contract/defined.ts';
import { ShownFigures } from './show-figures.ts';
import { isVersionReplaced, withLeftVersion, currentVersionOptions } from './worker-versions.ts';

/**
 * Supervises one batch: keeps as many lanes running as there are workers for, until no row is open.
 *
 * It knows no rows. The ledger holds them and the user's requests; lanes read both. So this is a loop of three steps:
 * it surveys the batch, offers the idle lanes, and sleeps until it is woken, a lane comes back idle, or (if no lane has
 * anything to do) it is time to survey again. Surveys become ever rarer, because a batch may be paused for days.
 *
 * A wake-up may mean anything: a user request, reopened rows, a new worker. It is never lost: the server does not let a
 * workflow end past a signal that it has not seen, and a survey that began before a wake-up is followed by another.
 *
 * Near the end of its history, or when workers of another version are to take over, it offers no more lanes, and
 * continues as new when the last one has come back; a slice takes minutes.
 */
export async function superviseBatch(input: SuperviseBatchInput): Promise<void> {
  let wakeUps = 0;
  setHandler(defineSignal(WAKE_UP_SIGNAL), () => {
    wakeUps += 1;
  });
  const isFull = (): boolean => isRunOver(input);
  const shown = new ShownFigures(input.batch);
  const work: LanesAtWork = { lanes: new Set(), wanted: 0, wantedDownloads: 0, returns: 0, shown };
  const seen = { wakeUps: 0, returns: 0 };
  const isDue = (): boolean => wakeUps !== seen.wakeUps || work.returns !== seen.returns || work.failed !== undefined;
  for (let stalled = 0, before = Infinity; ;) {
    stalled = wakeUps === seen.wakeUps ? stalled + 1 : 0;
    Object.assign(seen, { wakeUps, returns: work.returns });
    const survey = await surveyBatch(input.batch);
    shown.show(survey);
    const { open, lanes: useful } = survey;
    if (open === 0 && work.lanes.size === 0 && !isDue()) return;
    if (isFull() && work.lanes.size === 0) await continueInNewRun(input, shown);
    if (open < before) stalled = 0;
    before = open;

    if (work.lanes.size === 0) {
      const pauseMs = useful === 0 ? recheckPauseMs(stalled) : roundPauseMs(stalled);
      if (pauseMs > 0) await condition(() => wakeUps !== seen.wakeUps, pauseMs, { summary: 'until the next survey' });
      if (useful === 0) continue;
    }
    // The history became full during an uninterrupted pause: nothing is offered below, so there is nothing to wait for.
    if (isFull() && work.lanes.size === 0) continue;
    const { downloadLanes = 0 } = survey;
    Object.assign(work, { wanted: useful, wantedDownloads: downloadLanes });
    for (const lane of [...numbersFrom(1, useful), ...numbersFrom(FIRST_DOWNLOAD_LANE, downloadLanes)]) {
      if (work.lanes.has(lane) || isFull()) continue;
      keepLane(lane, work, input).catch((error: unknown) => {
        work.failed ??= { error };
      });
    }
    await condition(isDue);
    if (work.failed !== undefined) throw work.failed.error as Error;
  }
}

/** The lanes of a run, as the loop and the offers see them. */
interface LanesAtWork {
  /** Numbers of the lanes that are offered or held by a worker. */
  readonly lanes: Set<number>;
  /** Target number of lanes from the last survey. */
  wanted: number;
  /** The same for lanes of workers that only download. */
  wantedDownloads: number;
  readonly shown: ShownFigures;
  /** How often a lane has come back. */
  returns: number;
  /** The first offer that failed for good. */
  failed?: { readonly error: unknown };
}

/** Offers a lane to workers again and again, as long as there is work for it. */
async function keepLane(lane: number, work: LanesAtWork, input: SuperviseBatchInput): Promise<void> {
  const { batch } = input;
  const run = workflowInfo().firstExecutionRunId;
  work.lanes.add(lane);
  try {
    for (;;) {
      const { number, lanes, options } = describeLane(lane, work);
      if (number > lanes || isRunOver(input)) break;
      const report = await workLane.executeWithOptions(options, [{ batch, lane, lanes, run }]);
      work.shown.show(report);
      if (report.then === 'idle') break;
    }
  } catch (error) {
    if (!wasNotTaken(error)) throw error;
  } finally {
    work.lanes.delete(lane);
    work.returns += 1;
  }
}

/** Returns a lane's number among those of its duty, how many of these are wanted, and the options of its activity. */
function describeLane(lane: number, { wanted, wantedDownloads }: LanesAtWork) {
  if (dutyOfLane(lane) === 'submit')
    return { number: lane, lanes: wanted, options: { summary: `lane ${String(lane)} of ${String(wanted)}` } };
  const number = lane - FIRST_DOWNLOAD_LANE + 1;
  const summary = `download lane ${String(number)} of ${String(wantedDownloads)}`;
  const taskQueue = downloadQueueOf(workflowInfo().taskQueue);
  // With a timeout: the last worker that only downloads may have ended, and the batch must not wait for another.
  const options = { summary, taskQueue, scheduleToStartTimeout: DOWNLOAD_LANE_TIMEOUT };
  return { number, lanes: wantedDownloads, options };
}

/** Time within which a worker must take a lane for downloads. Otherwise the next survey counts the workers again. */
const DOWNLOAD_LANE_TIMEOUT = '20s';

/** Returns whether the error says that no worker took a lane in time. */
function wasNotTaken(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** Returns `count` consecutive numbers. */
function numbersFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Continues as new: with an empty history, on workers of the current version. Never returns. */
async function continueInNewRun(input: SuperviseBatchInput, shown: ShownFigures): Promise<never> {
  const typedSearchAttributes = shown.removeAttributes();
  const options = { ...defined({ typedSearchAttributes }), ...currentVersionOptions() };
  return makeContinueAsNewFunc<typeof superviseBatch>(options)(withLeftVersion(input));
}

/**
 * Returns whether this run should continue as new: its history nears the server's limit, or has the number of events
 * that the input sets, or workers of another version should take over.
 */
function isRunOver(input: SuperviseBatchInput): boolean {
  const { continueAfterEvents } = input;
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  if (isVersionReplaced(input)) return true;
  return continueAfterEvents === undefined ? continueAsNewSuggested : historyLength >= continueAfterEvents;
}
