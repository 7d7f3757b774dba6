import { close, readClock } from './database/transactions.ts';
import type { Db } from './schema.ts';

/** A function whose first argument is the database. */
export type Method = (db: Db, ...args: never[]) => Promise<unknown>;

/** Loaders of every module below. */
const loads: (() => Promise<unknown>)[] = [];
/** Modules loaded or being loaded. */
const begun = new Set<Promise<unknown>>();

/**
 * The named functions of a module, which is loaded on the first call to any of them: most commands need only a few
 * modules.
 */
function from<Name extends string, Module extends Readonly<Record<Name, Method>>>(
  load: () => Promise<Module>,
  ...names: readonly Name[]
): Pick<Module, Name> {
  let loaded: Module | undefined;
  const loadNow = (): Promise<Module> => {
    const loading = load().then((module) => (loaded = module));
    begun.add(loading);
    return loading;
  };
  loads.push(loadNow);
  const call =
    (name: Name): Method =>
    (db, ...args) =>
      loaded === undefined ? loadNow().then((module) => module[name](db, ...args)) : loaded[name](db, ...args);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Pick<Module, Name>;
}

/**
 * Loads all modules, for processes that record payments: none may be missing because an upgrade replaced its files
 * meanwhile.
 */
export async function loadMethods(): Promise<void> {
  await Promise.all(loads.map((load) => load()));
}

/**
 * The methods of a ledger, each as a function of its database. The {@link Ledger} type, the local ledger and the
 * threaded one all derive from this table.
 */
export const METHODS = {
  ...from(() => import('./copy/read-only.ts'), 'readLedgerFacts'),
  // Batches: create, control, count and close them
  ...from(
    () => import('./batches/change-batches.ts'),
    'createBatch',
    'openBatch',
    'discardLoading',
    'setControl',
    'closeBatch',
    'tune',
  ),
  ...from(() => import('./batches/read-batches.ts'), 'findBatch', 'listBatches', 'closedAmong', 'accountsAt'),
  ...from(() => import('./batches/counts.ts'), 'counts', 'money', 'commonReasons', 'skippedQuotes'),
  ...from(() => import('./batches/progress.ts'), 'recentEnds', 'oldestRow'),
  ...from(() => import('./status/api-health.ts'), 'apiHealth'),
  ...from(() => import('./metrics/batch-gauges.ts'), 'gauges'),
  ...from(() => import('./batches/stops.ts'), 'stopNow', 'cancelRest'),
  ...from(() => import('./batches/add-sound.ts'), 'addSound'),
  ...from(() => import('./batches/unfinished.ts'), 'runningJobs'),
  ...from(() => import('./batches/open-unsent.ts'), 'openUnsent'),
  ...from(() => import('./money/charge-ratios.ts'), 'stepsWithUnknownCharge', 'chargeOutlook'),
  ...from(() => import('./database/accept-copy.ts'), 'acceptCopy'),
  ...from(() => import('./database/copy-doubts.ts'), 'acceptedAt', 'clearDoubts', 'heldBatches', 'requireResumable'),
  ...from(() => import('./database/copy-senders.ts'), 'confirmSender'),
  ...from(() => import('./database/own-store.ts'), 'storeId', 'recordStore', 'replaceStore', 'findStoredFile'),
  // Removing what finished batches no longer need
  ...from(() => import('./clean/cleaning.ts'), 'beginClean', 'cleanRows', 'endClean'),
  // Who works on a batch: lanes and live worker processes
  ...from(() => import('./lanes/lanes.ts'), 'acquireLane', 'releaseLane', 'laneOwners', 'handOverRow'),
  ...from(() => import('./lanes/claims.ts'), 'claimRows'),
  ...from(() => import('./lanes/lane-shares.ts'), 'handBackRows'),
  ...from(
    () => import('./lanes/workers.ts'),
    'beat',
    'forgetWorkers',
    'livingWorkers',
    'allLivingWorkers',
    'workerLiveness',
    'noteWorkerEnd',
    'lastWorkerEnd',
    'noteStoreWait',
    'storeWaits',
  ),
  // Rows: claim, read and open them again
  ...from(() => import('./rows/rows.ts'), 'addRows', 'readRow', 'findRowById', 'rowsWithIds', 'partsOf'),
  ...from(() => import('./rows/scans.ts'), 'scanPage'),
  ...from(() => import('./rows/last-rows.ts'), 'lastRows'),
  // What a person looks for in a large batch
  ...from(() => import('./rows/row-pages.ts'), 'rowPage'),
  ...from(() => import('./rows/row-ranks.ts'), 'rankRows', 'rowsNumbered'),
  ...from(() => import('./status/status-counts.ts'), 'statusCounts'),
  ...from(() => import('./status/failure-messages.ts'), 'failureMessages'),
  ...from(() => import('./voices/voice-counts.ts'), 'voiceCounts', 'namesOfMadeVoices'),
  ...from(() => import('./status/end-counts.ts'), 'countEnds', 'endRange'),
  ...from(() => import('./takes/takes.ts'), 'takesOf'),
  ...from(() => import('./takes/redrive.ts'), 'redrive'),
  // Rows whose text is spoken in parts
  ...from(() => import('./parts/end-split-row.ts'), 'endSplitRow', 'failLostPart'),
  // Paid requests: their intents, verdicts and jobs
  ...from(() => import('./requests/intents.ts'), 'intend', 'revoke'),
  ...from(() => import('./requests/settle.ts'), 'settle', 'notePrice'),
  ...from(() => import('./requests/job-end.ts'), 'finishJob', 'changeRunning'),
  ...from(() => import('./requests/record-again.ts'), 'recordAgain'),
  ...from(() => import('./requests/found-files.ts'), 'filesWithoutAnswer', 'noteFoundFiles', 'noteNamedFiles'),
  ...from(() => import('./requests/charges.ts'), 'sending', 'countRunning', 'giveUp'),
  ...from(() => import('./requests/unresolved.ts'), 'holderOfJob', 'otherUnresolved', 'earlierUnresolved'),
  ...from(() => import('./requests/decisions.ts'), 'decide'),
  ...from(() => import('./requests/decision-records.ts'), 'decisionsOf'),
  ...from(() => import('./requests/decision-records.ts'), 'releasedFiles', 'releasedJobs'),
  // What was done to batches and schedules, and by whom
  ...from(() => import('./history/actions.ts'), 'actionsOf', 'lastAction'),
  // Stored results that later rows may use
  ...from(() => import('./cache/found-results.ts'), 'findResults', 'findReusable', 'keysWithResult', 'resultEntries'),
  ...from(() => import('./cache/reuse-results.ts'), 'useResult', 'dropResult', 'revokeCached'),
  ...from(() => import('./cache/cache-sums.ts'), 'sumResults', 'usedBeyond'),
  ...from(() => import('./cache/prune-results.ts'), 'resultsUnused', 'pruneResults'),
  // Limits shared by all workers
  ...from(() => import('./lanes/limiters.ts'), 'updateLimiter', 'noteTextLimit', 'textLimits'),
  // Messages about batches, to be delivered
  ...from(() => import('./notices/notices.ts'), 'takeNotice', 'keepNotice', 'freeNotice', 'noteDelivery', 'noticesOf'),
  // Voices that rows wait for, and who uses one
  ...from(() => import('./voices/awaited-voices.ts'), 'claimVoicePoll', 'settleVoices'),
  ...from(() => import('./voices/refused-voices.ts'), 'isNewVoice'),
  ...from(() => import('./voices/voice-users.ts'), 'voiceUsers'),
  // Schedule settings, and when schedules may fire
  ...from(() => import('./schedules/schedule-settings.ts'), 'settleSchedule', 'scheduleRecord'),
  ...from(() => import('./schedules/schedule-settings.ts'), 'setScheduleHooks', 'scheduleHooks', 'pauseFirings'),
  ...from(() => import('./schedules/schedule-settings.ts'), 'resumeFirings', 'allowFirings', 'withdrawFirings'),
  // The outcome of each time at which a schedule was due
  ...from(() => import('./schedules/occurrences.ts'), 'forgetSchedule', 'knownSchedules', 'beginOccurrence'),
  ...from(() => import('./schedules/occurrences.ts'), 'endOccurrence', 'noteManifest', 'noteSkips', 'findOccurrence'),
  ...from(() => import('./schedules/occurrences.ts'), 'occurrencesOf'),
  ...from(() => import('./schedules/months.ts'), 'monthSpend'),
  // Which worker uses an account's webhook
  ...from(
    () => import('./webhooks/webhooks.ts'),
    'takeWebhook',
    'noteWebhook',
    'releaseWebhook',
    'forgetWebhook',
    'webhookOf',
  ),
  // Webhooks about jobs that another process waits for
  ...from(() => import('./webhooks/job-hints.ts'), 'passHints', 'takeHints'),
  readClock,
  /** Waits for earlier calls, then closes the database. */
  close: async (db: Db): Promise<void> => {
    await Promise.allSettled(begun);
    await close(db);
  },
} satisfies Readonly<Record<string, Method>>;

type Methods = typeof METHODS;

/** The methods without their first argument. A generic answer type no longer depends on its argument. */
export type BoundMethods = {
  [Name in keyof Methods]: Methods[Name] extends (db: Db, ...args: infer Args) => infer Answer
    ? (...args: Args) => Answer
    : never;
};
