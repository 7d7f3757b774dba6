import { settleVoices, takeVoiceLook } from './voices/awaited-voices.ts';
import {
  accountsAt,
  closeBatch,
  createBatch,
  discardLoading,
  findBatch,
  listBatches,
  openBatch,
  setControl,
} from './batches/batches.ts';
import { chargeOutlook, untoldSteps } from './money/open-requests.ts';
import { changeRunning, countRunning, finishJob, listSending, notePrice, settle } from './requests/charges.ts';
import { claimRows } from './lanes/claims.ts';
import { beginClean, cleanRows, endClean } from './clean/cleaning.ts';
import { commonReasons, countRows, sumMoney } from './batches/counts.ts';
import { releasedFiles } from './requests/decision-records.ts';
import { decide, decisionsOf } from './requests/decisions.ts';
import { findResults, lookForResult } from './cache/found-results.ts';
import { giveUp } from './requests/give-up.ts';
import { intend, revoke } from './requests/intents.ts';
import { acquireLane, laneOwners, releaseLane } from './lanes/lanes.ts';
import { lastRows } from './rows/last-rows.ts';
import { readTroubles, updateLimiter } from './lanes/limiters.ts';
import { monthSpend } from './schedules/months.ts';
import { openUnsent, skippedQuotes } from './batches/not-chosen.ts';
import { freeNotice, keepNotice, noteDelivery, noticesOf, takeNotice } from './notices/notices.ts';
import {
  beginOccurrence,
  endOccurrence,
  findOccurrence,
  forgetSchedule,
  knownSchedules,
  noteManifest,
  noteSkips,
  occurrencesOf,
} from './schedules/occurrences.ts';
import { endWhole, losePart } from './parts/parts.ts';
import { redrive } from './takes/redrive.ts';
import { isNewVoice } from './voices/refused-voices.ts';
import {
  keysWithResult,
  pruneResults,
  resultNames,
  resultsUnused,
  sumResults,
  usedBeyond,
} from './cache/result-lists.ts';
import { dropResult, revokeCached, useResult } from './cache/results.ts';
import { addRows, findRowById, partsOf, readRow, rowsWithIds } from './rows/rows.ts';
import { scanPage } from './rows/scans.ts';
import {
  scheduleHooks,
  setScheduleHooks,
  allowFirings,
  declineSettings,
  pauseFirings,
  resumeFirings,
  scheduleRecord,
  settleSchedule,
  withdrawFirings,
} from './schedules/schedule-settings.ts';
import type { Db } from './schema.ts';
import { cancelRest, runningJobs, stopNow } from './batches/stops.ts';
import { findStoredFile } from './cache/stored-file.ts';
import { takesOf } from './takes/takes.ts';
import { noteTextLimit, textLimits } from './lanes/text-limits.ts';
import { close } from './database/transactions.ts';
import { tune } from './batches/tune.ts';
import { earlierUnresolved, holderOfJob, isJobClaimed, otherUnresolved } from './requests/unresolved.ts';
import { voiceUsers } from './voices/voice-users.ts';
import { leaveWebhook, noteWebhook, releaseWebhook, takeWebhook, webhookOf } from './webhooks/webhooks.ts';
import { beat, forgetWorkers, lastWorkerEnd, livingWorkers, noteWorkerEnd } from './lanes/workers.ts';

/**
 * The methods of a ledger, each as a function of its database. The type {@link Ledger}, a ledger here and one in a thread
 * are made from this table.
 */
export const METHODS = {
  // Batches: create, steer, count and close them
  ...{ createBatch, addRows, openBatch, discardLoading, findBatch, listBatches, findStoredFile, accountsAt },
  ...{ setControl, stopNow, tune, closeBatch, cancelRest, counts: countRows, money: sumMoney, commonReasons },
  ...{ untoldSteps, chargeOutlook },
  // Removing what finished batches no longer need
  ...{ beginClean, cleanRows, endClean },
  // Who works on a batch: lanes and live worker processes
  ...{ acquireLane, releaseLane, laneOwners },
  ...{ beat, forgetWorkers, livingWorkers, noteWorkerEnd, lastWorkerEnd },
  // Rows: claim, read and open them again
  ...{ claimRows, readRow, findRowById, rowsWithIds, lastRows, scanPage, takesOf },
  ...{ redrive, openUnsent, skippedQuotes },
  // Rows whose text is spoken in parts
  ...{ partsOf, endWhole, losePart },
  // Paid requests: their intents, verdicts and jobs
  ...{ intend, settle, notePrice, revoke, finishJob, giveUp, changeRunning },
  ...{ sending: listSending, runningJobs, countRunning, isJobClaimed, holderOfJob, otherUnresolved, earlierUnresolved },
  ...{ decide, decisionsOf, releasedFiles },
  // Stored results that later rows may use
  ...{ findResults, lookForResult, useResult, dropResult, revokeCached, keysWithResult },
  ...{ sumResults, usedBeyond, resultsUnused, resultNames, pruneResults },
  // Limits shared by all workers
  ...{ updateLimiter, troubles: readTroubles, noteTextLimit, textLimits },
  // Messages about batches, to be delivered
  ...{ takeNotice, keepNotice, freeNotice, noteDelivery, noticesOf },
  // Voices that rows wait for, and who uses one
  ...{ takeVoiceLook, settleVoices, isNewVoice, voiceUsers },
  // What schedules run, and when they may fire
  ...{ settleSchedule, declineSettings, scheduleRecord, forgetSchedule, knownSchedules },
  ...{ setScheduleHooks, scheduleHooks, pauseFirings, resumeFirings, allowFirings, withdrawFirings },
  // What became of each time at which a schedule was due
  ...{ beginOccurrence, endOccurrence, noteManifest, noteSkips, monthSpend, findOccurrence, occurrencesOf },
  // Who uses the webhook of an account
  ...{ takeWebhook, noteWebhook, releaseWebhook, leaveWebhook, webhookOf },
  close,
} satisfies Readonly<Record<string, Method>>;

/** A function whose first argument is the database. */
export type Method = (db: Db, ...args: never[]) => Promise<unknown>;
type Methods = typeof METHODS;

/** The same without their first argument, except that a generic answer no longer depends on its argument. */
export type BoundMethods = {
  [Name in keyof Methods]: Methods[Name] extends (db: Db, ...args: infer Args) => infer Answer
    ? (...args: Args) => Answer
    : never;
};
