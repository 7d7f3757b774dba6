import { asyncLocalStorage, Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Activities, BatchSurvey, ReportedFigures, LaneOffer, LaneReport } from '../contract/activities.ts';
import { byItself, bySchedule } from '../contract/actions.ts';
import { dutyOfLane } from '../contract/worker-duty.ts';
import { LedgerMisuse, LedgerReadOnly, LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';
import { awaitOccurrence } from './schedules/await-occurrence.ts';
import { BatchMissing, loadBatch } from './cache/batch-cache.ts';
import { openOccurrence } from './schedules/open-occurrence.ts';
import { readArgument } from './read-arguments.ts';
import { setMaxListeners } from 'node:events';
import { parseOccurrence } from '../policy/schedules/occurrence.ts';
import { lanesFor, hasWorkerWithoutLane } from '../policy/lanes/share.ts';
import { ofSameVersion } from '../policy/lanes/versions.ts';
import { eligibleWorkers } from './lane/eligible-workers.ts';
import { runLane, type SliceContext } from './lane/run-lane.ts';
import { sweep } from './lane/sweeps.ts';
import { roundCredits } from '../contract/price-units.ts';
import type { SearchFigures } from '../contract/search-attributes.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';

/** Heartbeat interval for work without its own loop, ms. A lane beats whenever it reads the ledger. */
const BEAT_EVERY_MS = 2_000;

/** All activities, bound to their dependencies. */
export function createActivities(deps: Dependencies): Activities {
  return {
    surveyBatch: (batch) => withTimedHeartbeat(deps, () => surveyBatch(deps, readArgument('surveyBatch', batch))),
    openOccurrence: (offer) =>
      withTimedHeartbeat(deps, () => openOccurrence(deps, readArgument('openOccurrence', offer))),
    awaitOccurrence: (batch) =>
      withTimedHeartbeat(deps, () => awaitOccurrence(deps, readArgument('awaitOccurrence', batch))),
    stopBatch: (batch) =>
      reportingFaults(deps, async () => {
        const { name } = await loadBatch(deps, readArgument('stopBatch', batch));
        const schedule = parseOccurrence(name)?.schedule;
        const by =
          schedule === undefined
            ? byItself('its workflow was cancelled in Temporal')
            : bySchedule(schedule, 'its overlap policy');
        await deps.ledger.setControl(name, 'stopping', undefined, by);
      }),
    workLane: (offer) =>
      reportingFaults(deps, () =>
        withHeartbeat((signal, beat) => {
          const { attempt, workflowExecution: workflow } = Context.current().info;
          leaveContexts(deps);
          return workLane(deps, readArgument('workLane', offer), { signal, beat, attempt, workflow });
        }),
      ),
  };
}

/** Sends heartbeats during long work, so that another worker can take it over soon if this one dies. */
function withTimedHeartbeat<T>(deps: Dependencies, work: () => Promise<T>): Promise<T> {
  return reportingFaults(deps, () =>
    withHeartbeat(async (_signal, beat) => {
      leaveContexts(deps);
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
 * Switches off the async context storages of Temporal's SDK, including that of an activity's own context. See {@link
 * Dependencies.disableCallContext}.
 */
function leaveContexts(deps: Pick<Dependencies, 'disableCallContext'>): void {
  asyncLocalStorage.disable();
  deps.disableCallContext();
}

/**
 * Reports a local fault (disk full, ledger or store not writable) at once: Temporal would retry the activity forever,
 * and the user would see nothing.
 */
async function reportingFaults<T>(deps: Pick<Dependencies, 'onFault' | 'observe'>, work: () => Promise<T>): Promise<T> {
  const { attempt } = Context.current().info;
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatchMissing) throw offeredElsewhere(deps, error, attempt);
    const isLocal = [LedgerUnreachable, LedgerReadOnly, StoreUnwritable].some((kind) => error instanceof kind);
    if (isLocal) deps.onFault(error as Error);
    // The ledger does not know what is asked for: no retry fixes that, but a new workflow starts from the ledger.
    if (error instanceof LedgerMisuse) throw ApplicationFailure.nonRetryable(error.message, error.name);
    throw error;
  }
}

/** How often work on a batch that a ledger does not have is offered again, and the pause in between, ms. */
const MOST_ELSEWHERE = 20;
const ELSEWHERE_AFTER_MS = 500;

/**
 * The failure for work on a batch that this worker's ledger does not have. A worker on a former or restored database
 * may share Temporal's queue with those of the ledger, so others get the work first. If none of them has the batch,
 * either, no retry fixes that.
 */
function offeredElsewhere(
  { observe }: Pick<Dependencies, 'observe'>,
  { batch, message }: BatchMissing,
  attempt: number,
): ApplicationFailure {
  observe({ type: 'note', what: 'batch-missing', batch });
  const isOver = attempt >= MOST_ELSEWHERE;
  return ApplicationFailure.create({
    ...{ message, type: 'BatchMissing', nonRetryable: isOver },
    ...(isOver ? {} : { nextRetryDelay: ELSEWHERE_AFTER_MS }),
  });
}

/**
 * Runs an activity's work with its heartbeat, which also delivers cancellation: the signal aborts when the server takes
 * the work away or the worker shuts down. The work itself beats, so a beat proves progress; the SDK sends one every 2 s
 * at most (`worker/create-worker.ts`).
 */
async function withHeartbeat<T>(work: (signal: AbortSignal, beat: () => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { cancellationSignal } = context;
  // Each row that the work waits for adds a listener.
  setMaxListeners(0, cancellationSignal);
  const beat = (): void => {
    context.heartbeat();
  };
  beat();
  return work(cancellationSignal, beat);
}

/**
 * Ends a stopping batch's unsent rows, closes the batch if no row is open, and returns how many lanes it can use now. A
 * paused batch can use lanes only for rows already begun.
 */
async function surveyBatch(deps: Dependencies, name: string): Promise<BatchSurvey> {
  const batch = await loadBatch(deps, name);
  const { apiUrl, account, control } = batch;
  if (control === 'stopping') await sweep(deps.ledger, name);
  const open = await deps.ledger.closeBatch(name);
  const told: ReportedFigures = { figures: await figuresOf(deps, batch), searchable: deps.searchable };
  if (open === 0) return { open, control, lanes: 0, ...told };
  const workers = await deps.ledger.livingWorkers(apiUrl, account);
  const senders = await deps.ledger.livingWorkers(apiUrl, account, 'submit');
  const lanes = lanesFor(open, ofSameVersion(deps.owner, senders).length);
  const downloadLanes = workers.length - senders.length;
  const survey = { open, control, ...told, ...(downloadLanes > 0 ? { downloadLanes } : {}) };
  if (control !== 'paused') return { ...survey, lanes };
  const { states } = await deps.ledger.counts(name);
  return { ...survey, lanes: open > states.waiting + states.blocked ? lanes : 0 };
}

/**
 * How often a process declines a lane that another worker could take before taking it anyway, and the pause between
 * offers, ms.
 */
const MOST_DECLINES = 20;
const DECLINE_FOR_MS = 250;

/**
 * Works on an offered lane. Lanes spread work over processes: a process that already has a lane of this batch leaves
 * the next one to a worker without one.
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
  if (mine > 0 && life.attempt <= MOST_DECLINES && (await isAnotherFree(deps, offer))) {
    throw ApplicationFailure.create({
      type: 'LaneDeclined',
      message: 'Another worker has no lane of this batch yet.',
      nextRetryDelay: DECLINE_FOR_MS,
      // Nothing that a log should warn of.
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

/** How a batch stands. Reads kept sums, whatever the batch's size. */
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
