import { settleVoices, takeVoiceLook } from './awaited-voices.ts';
import {
  accountsAt,
  closeBatch,
  createBatch,
  discardLoading,
  findBatch,
  listBatches,
  openBatch,
  setControl,
} from './batches.ts';
import { chargeOutlook, untoldSteps } from './charge-outlook.ts';
import { changeRunning, countRunning, finishJob, listSending, notePrice, settle } from './charges.ts';
import { claimRows } from './claims.ts';
import { beginClean, cleanRows, endClean } from './cleaning.ts';
import { commonReasons, countRows, sumMoney } from './counts.ts';
import { releasedFiles } from './decision-records.ts';
import { decide, decisionsOf } from './decisions.ts';
import { findResults, lookForResult } from './found-results.ts';
import { giveUp } from './give-up.ts';
import { intend, revoke } from './intents.ts';
import { acquireLane, laneOwners, releaseLane } from './lanes.ts';
import { lastRows } from './last-rows.ts';
import { readTroubles, updateLimiter } from './limiters.ts';
import { monthSpend } from './months.ts';
import { openUnsent, skippedQuotes } from './not-chosen.ts';
import { freeNotice, keepNotice, noteDelivery, noticesOf, takeNotice } from './notices.ts';
import {
  beginOccurrence,
  endOccurrence,
  findOccurrence,
  forgetSchedule,
  knownSchedules,
  noteManifest,
  noteSkips,
  occurrencesOf,
} from './occurrences.ts';
import { endWhole, losePart } from './parts.ts';
import { redrive } from './redrive.ts';
import { isNewVoice } from './refused-voices.ts';
import { keysWithResult, pruneResults, resultNames, resultsUnused, sumResults, usedBeyond } from './result-lists.ts';
import { dropResult, revokeCached, useResult } from './results.ts';
import { addRows, findRowById, partsOf, readRow, rowsWithIds } from './rows.ts';
import { scanPage } from './scans.ts';
import { scheduleHooks, setScheduleHooks } from './schedule-hooks.ts';
import {
  allowFirings,
  declineSettings,
  pauseFirings,
  resumeFirings,
  scheduleRecord,
  settleSchedule,
  withdrawFirings,
} from './schedule-settings.ts';
import type { Db } from './schema.ts';
import { cancelRest, runningJobs, stopNow } from './stops.ts';
import { findStoredFile } from './stored-file.ts';
import { takesOf } from './takes.ts';
import { noteTextLimit, textLimits } from './text-limits.ts';
import { close } from './transactions.ts';
import { tune } from './tune.ts';
import { earlierUnresolved, holderOfJob, isJobClaimed, otherUnresolved } from './unresolved.ts';
import { voiceUsers } from './voice-users.ts';
import { leaveWebhook, noteWebhook, releaseWebhook, takeWebhook, webhookOf } from './webhooks.ts';
import { beat, forgetWorkers, lastWorkerEnd, livingWorkers, noteWorkerEnd } from './workers.ts';

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
