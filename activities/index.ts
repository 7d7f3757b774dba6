import { asyncLocalStorage, Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Activities, BatchSurvey, ReportedFigures, LaneOffer, LaneReport } from '../contract/activities.ts';
import { byItself, bySchedule } from '../contract/actions.ts';
import { dutyOfLane } from '../contract/worker-duty.ts';
import { LedgerMisuse, LedgerReadOnly, LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';
import { closeOccurrence } from './schedules/close-occurrence.ts';
import { BatchMissing, loadBatch } from './cache/batch-cache.ts';
import { openOccurrence } from './schedules/open-occurrence.ts';
import { readArgument } from './read-arguments.ts';
import { setMaxListeners } from 'node:events';
import { parseOccurrence } from '../policy/schedules/occurrence.ts';
import { lanesFor, hasWorkerWithoutLane } from '../policy/lanes/lane-share.ts';
import { ofSameVersion } from '../policy/lanes/worker-names.ts';
import { eligibleWorkers } from './lane/eligible-workers.ts';
import { runLane, type SliceContext } from './lane/run-lane.ts';
import { sweep } from './lane/sweeps.ts';
import { roundCredits } from '../contract/price-units.ts';
import type { SearchFigures } from '../contract/search-attributes.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';

/** Heartbeat interval of activities without a loop of their own, ms. A lane beats whenever it reads the ledger. */
const BEAT_EVERY_MS = 2_000;

/** Creates all activities, bound to their dependencies. Each reads its argument first (`read-arguments.ts`). */
export function createActivities(deps: Dependencies): Activities {
  return {
    surveyBatch: (batch) => withTimedHeartbeat(deps, () => surveyBatch(deps, readArgument('surveyBatch', batch))),
    openOccurrence: (offer) =>
      withTimedHeartbeat(deps, () => openOccurrence(deps, readArgument('openOccurrence', offer))),
    // Stored histories have the activity by the name from when it waited for the batch's end.
    awaitOccurrence: (batch) =>
      withTimedHeartbeat(deps, () => closeOccurrence(deps, readArgument('awaitOccurrence', batch))),
    stopBatch: (batch) => reportingFaults(deps, () => stopBatch(deps, readArgument('stopBatch', batch))),
    workLane: (offer) =>
      reportingFaults(deps, () =>
        withHeartbeat((signal, beat) => {
          const { attempt, workflowExecution: workflow } = Context.current().info;
          disableAsyncContext(deps);
          return workLane(deps, readArgument('workLane', offer), { signal, beat, attempt, workflow });
        }),
      ),
  };
}

/** Runs work with a heartbeat every two seconds, so that another worker soon takes it over if this one dies. */
function withTimedHeartbeat<T>(deps: Dependencies, work: () => Promise<T>): Promise<T> {
  return reportingFaults(deps, () =>
    withHeartbeat(async (_signal, beat) => {
      disableAsyncContext(deps);
      const timer = setInterval(beat, BEAT_EVERY_MS);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    }),
  );
}

/**
 * Switches off the async context storages of Temporal's SDK, including that of the activity's own context: they slow
 * down every promise. See {@link Dependencies.disableCallContext}.
 */
function disableAsyncContext(deps: Pick<Dependencies, 'disableCallContext'>): void {
  asyncLocalStorage.disable();
  deps.disableCallContext();
}

/**
 * Runs work, and reports a local fault (disk full, ledger or store not writable) at once: Temporal would retry the
 * activity forever, and the user would see nothing.
 */
async function reportingFaults<T>(deps: Pick<Dependencies, 'onFault' | 'observe'>, work: () => Promise<T>): Promise<T> {
  const { attempt } = Context.current().info;
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatchMissing) throw batchMissingFailure(deps, error, attempt);
    const isLocal = [LedgerUnreachable, LedgerReadOnly, StoreUnwritable].some((kind) => error instanceof kind);
    if (isLocal) deps.onFault(error as Error);
    // The ledger refuses the call: no retry fixes that, but a new workflow starts from what the ledger has.
    if (error instanceof LedgerMisuse) throw ApplicationFailure.nonRetryable(error.message, error.name);
    throw error;
  }
}

/** Maximum attempts of an activity whose batch is missing in the worker's ledger. */
const MAX_MISSING_ATTEMPTS = 20;
/** Pause between them, ms. */
const MISSING_RETRY_MS = 500;

/**
 * Returns the failure for work on a batch that this worker's ledger does not have. It is retried for a while, because a
 * worker with an outdated or restored database may share Temporal's task queue with workers whose ledger has the batch.
 */
function batchMissingFailure(
  { observe }: Pick<Dependencies, 'observe'>,
  { batch, message }: BatchMissing,
  attempt: number,
): ApplicationFailure {
  observe({ type: 'note', what: 'batch-missing', batch });
  if (attempt >= MAX_MISSING_ATTEMPTS) return ApplicationFailure.nonRetryable(message, 'BatchMissing');
  return ApplicationFailure.create({ message, type: 'BatchMissing', nextRetryDelay: MISSING_RETRY_MS });
}

/**
 * Runs an activity's work, and sends one heartbeat. The work sends further ones by `beat`, so a heartbeat proves
 * progress; the SDK passes on one every 2 s at most (`worker/create-worker.ts`). The signal aborts when the server
 * cancels the activity or the worker shuts down.
 */
async function withHeartbeat<T>(work: (signal: AbortSignal, beat: () => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { cancellationSignal } = context;
  // Each row that the work waits for adds a listener, and Node would warn of a leak.
  setMaxListeners(0, cancellationSignal);
  const beat = (): void => {
    context.heartbeat();
  };
  beat();
  return work(cancellationSignal, beat);
}

/**
 * Ends the unsent rows of a stopping batch, closes the batch if no row is open, and returns how many lanes it can use
 * now. A paused batch can use lanes only for rows that have begun.
 */
async function surveyBatch(deps: Dependencies, name: string): Promise<BatchSurvey> {
  const batch = await loadBatch(deps, name);
  const { apiUrl, account, control } = batch;
  if (control === 'stopping') await sweep(deps.ledger, name);
  const open = await deps.ledger.closeBatch(name);
  const shown: ReportedFigures = { figures: await figuresOf(deps, batch), searchable: deps.searchable };
  if (open === 0) return { open, control, lanes: 0, ...shown };
  const workers = await deps.ledger.livingWorkers(apiUrl, account);
  const senders = await deps.ledger.livingWorkers(apiUrl, account, 'submit');
  const lanes = lanesFor(open, ofSameVersion(deps.owner, senders).length);
  const downloadLanes = workers.length - senders.length;
  const survey = { open, control, ...shown, ...(downloadLanes > 0 ? { downloadLanes } : {}) };
  if (control !== 'paused') return { ...survey, lanes };
  const { states } = await deps.ledger.counts(name);
  return { ...survey, lanes: open > states.waiting + states.blocked ? lanes : 0 };
}

/** Stops a batch whose workflow was cancelled: by its schedule's overlap policy, or by a person in Temporal. */
async function stopBatch(deps: Dependencies, batch: string): Promise<void> {
  const { name } = await loadBatch(deps, batch);
  const schedule = parseOccurrence(name)?.schedule;
  const by =
    schedule === undefined
      ? byItself('its workflow was cancelled in Temporal')
      : bySchedule(schedule, 'its overlap policy');
  await deps.ledger.setControl(name, 'stopping', undefined, by);
}

/** A process declines a lane this often in favour of other workers, then takes it. */
const MAX_DECLINES = 20;
/** Pause before Temporal offers a declined lane again, ms. */
const DECLINE_FOR_MS = 250;

/**
 * Works on an offered lane. Lanes spread work over processes, so a process that already has a lane of this batch
 * declines the next one as long as another worker has none.
 */
async function workLane(
  deps: Dependencies,
  offer: LaneOffer,
  life: SliceContext & { readonly attempt: number },
): Promise<LaneReport> {
  const { batch } = offer;
  if ((dutyOfLane(offer.lane) === 'download') !== (deps.only === 'download'))
    throw ApplicationFailure.nonRetryable('This worker does not do the work of such a lane.', 'BadArgument');
  const mine = deps.lanes.get(batch) ?? 0;
  if (mine > 0 && life.attempt <= MAX_DECLINES && (await isAnotherFree(deps, offer))) {
    throw ApplicationFailure.create({
      type: 'LaneDeclined',
      message: 'Another worker has no lane of this batch yet.',
      nextRetryDelay: DECLINE_FOR_MS,
      // Benign failures are not logged as warnings.
      category: ApplicationFailureCategory.BENIGN,
    });
  }
  deps.lanes.set(batch, (deps.lanes.get(batch) ?? 0) + 1);
  try {
    const report = await runLane(deps, offer, life);
    return { ...report, figures: await figuresOf(deps, await loadBatch(deps, batch)), searchable: deps.searchable };
  } finally {
    deps.lanes.set(batch, (deps.lanes.get(batch) ?? 1) - 1);
  }
}

async function isAnotherFree(deps: Dependencies, { batch, lane }: LaneOffer): Promise<boolean> {
  return hasWorkerWithoutLane(await eligibleWorkers(deps, lane), await deps.ledger.laneOwners(batch));
}

/** Returns the figures of a batch that Temporal shows. The ledger keeps these sums, so a large batch costs no more. */
async function figuresOf(
  { ledger }: Pick<Dependencies, 'ledger'>,
  { name, control }: Pick<BatchRecord, 'name' | 'control'>,
): Promise<SearchFigures> {
  const [{ total, notChosen, outcomes }, { charged }] = await Promise.all([ledger.counts(name), ledger.money(name)]);
  const done = Object.values(outcomes).reduce((sum, rows) => sum + rows, 0) - notChosen;
  const rows = total - notChosen;
  return {
    state: done === rows ? 'ended' : control,
    rows,
    done,
    failed: outcomes.failed,
    unknown: outcomes.unknown,
    credits: roundCredits(charged),
  };
}
