import { settleVoices, takeVoiceLook } from './awaited-voices.ts';
import { isNewVoice } from './refused-voices.ts';
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
import { changeRunning, countRunning, finishJob, listSending, notePrice, settle } from './charges.ts';
import { earlierUnresolved, holderOfJob, otherUnresolved } from './unresolved.ts';
import { tune } from './tune.ts';
import { claimRows } from './claims.ts';
import { beginClean, cleanRows, endClean } from './cleaning.ts';
import { countRows, sumMoney } from './counts.ts';
import { releasedFiles } from './decision-records.ts';
import { decide, decisionsOf } from './decisions.ts';
import { giveUp } from './give-up.ts';
import { intend, revoke } from './intents.ts';
import { laneOwners, releaseLane, acquireLane } from './lanes.ts';
import { lastRows } from './last-rows.ts';
import type { Ledger } from './ledger.ts';
import { voiceUsers } from './voice-users.ts';
import { readTroubles, updateLimiter } from './limiters.ts';
import type { LockMethods } from './lock-methods.ts';
import { monthSpend } from './months.ts';
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
import { scheduleHooks, setScheduleHooks } from './schedule-hooks.ts';
import {
  allowFirings,
  pauseFirings,
  resumeFirings,
  declineSettings,
  scheduleRecord,
  settleSchedule,
  withdrawFirings,
} from './schedule-settings.ts';
import { openUnsent, skippedQuotes } from './not-chosen.ts';
import { withReserve, type Reserve } from './reserve.ts';
import { endWhole, losePart } from './parts.ts';
import { chargeOutlook, untoldSteps } from './charge-outlook.ts';
import { commonReasons } from './reasons.ts';
import { redrive } from './redrive.ts';
import { findResults, lookForResult } from './found-results.ts';
import { keysWithResult, pruneResults, resultNames, resultsUnused, sumResults, usedBeyond } from './result-lists.ts';
import { dropResult, revokeCached, useResult } from './results.ts';
import { addRows, findRowById, partsOf, readRow, rowsWithIds } from './rows.ts';
import { scanPage, scanRows } from './scans.ts';
import type { Db } from './schema.ts';
import { close } from './transactions.ts';
import { cancelRest, runningJobs, stopNow } from './stops.ts';
import { findStoredFile } from './stored-file.ts';
import { takesOf } from './takes.ts';
import { noteTextLimit, textLimits } from './text-limits.ts';
import { leaveWebhook, noteWebhook, releaseWebhook, takeWebhook, webhookOf } from './webhooks.ts';
import { beat, forgetWorkers, lastWorkerEnd, livingWorkers, noteWorkerEnd } from './workers.ts';

/** An open database whose tables are up to date, and the locks beside it. */
export interface OpenDatabase extends Pick<Ledger, 'id' | 'origin' | 'place'> {
  readonly db: Db;
  readonly locks: LockMethods;
  readonly findStrange: Ledger['strangeParts'];
  /** Room kept for answers; undefined: none. */
  readonly reserve?: Reserve;
}

/** Assembles the ledger. */
export function createLedger({ db, id, origin, place, locks, findStrange, reserve }: OpenDatabase): Ledger {
  const ledger: Ledger = {
    ...locks,
    id,
    origin,
    place,
    strangeParts: findStrange,
    createBatch: (batch, month) => createBatch(db, batch, month),
    addRows: (batch, rows) => addRows(db, batch, rows),
    openBatch: (batch, rows) => openBatch(db, batch, rows),
    discardLoading: (batch) => discardLoading(db, batch),
    findBatch: (batch) => findBatch(db, batch),
    listBatches: () => listBatches(db),
    findStoredFile: () => findStoredFile(db),
    accountsAt: (apiUrl) => accountsAt(db, apiUrl),
    setControl: (batch, control, reason) => setControl(db, batch, control, reason),
    stopNow: (batch) => stopNow(db, batch),
    tune: (batch, tuning) => tune(db, batch, tuning),
    closeBatch: (batch) => closeBatch(db, batch),
    beginClean: (batch, parts) => beginClean(db, batch, parts),
    cleanRows: (batch, rows) => cleanRows(db, batch, rows),
    endClean: (batch) => endClean(db, batch),
    counts: (batch) => countRows(db, batch),
    money: (batch) => sumMoney(db, batch),
    acquireLane: (request) => acquireLane(db, request),
    releaseLane: (owned) => releaseLane(db, owned),
    laneOwners: (batch) => laneOwners(db, batch),
    beat: (worker) => beat(db, worker),
    forgetWorkers: (which) => forgetWorkers(db, which),
    livingWorkers: (apiUrl, account) => livingWorkers(db, apiUrl, account),
    noteWorkerEnd: (worker, reason) => noteWorkerEnd(db, worker, reason),
    lastWorkerEnd: (apiUrl, account) => lastWorkerEnd(db, apiUrl, account),
    makeRoom: () => Promise.resolve(),
    leaveRoom: () => Promise.resolve(),
    untoldSteps: (batch) => untoldSteps(db, batch),
    chargeOutlook: (batch) => chargeOutlook(db, batch),
    commonReasons: (batch, most) => commonReasons(db, batch, most),
    claimRows: (request) => claimRows(db, request),
    takeVoiceLook: (account, now) => takeVoiceLook(db, account, now),
    voiceUsers: (account, voice) => voiceUsers(db, account, voice),
    settleVoices: (settlements) => settleVoices(db, settlements),
    isNewVoice: (account, use, since) => isNewVoice(db, account, use, since),
    partsOf: (batch, row) => partsOf(db, batch, row),
    endWhole: (row, end) => endWhole(db, row, end),
    losePart: (row, part, failure) => losePart(db, row, part, failure),
    readRow: (batch, row) => readRow(db, batch, row),
    findRowById: (batch, rowId) => findRowById(db, batch, rowId),
    rowsWithIds: (batch, ids) => rowsWithIds(db, batch, ids),
    lastRows: (account, ids) => lastRows(db, account, ids),
    scanRows: (batch, options = {}) => scanRows((after) => scanPage(db, batch, options, after)),
    scanPage: (batch, options, after) => scanPage(db, batch, options, after),
    redrive: (batch, choices) => redrive(db, batch, choices),
    openUnsent: (batch, subset, rows) => openUnsent(db, batch, subset, rows),
    skippedQuotes: (batch) => skippedQuotes(db, batch),
    takesOf: (batch, row) => takesOf(db, batch, row),
    cancelRest: (batch) => cancelRest(db, batch),
    intend: (key, intent) => intend(db, key, intent),
    settle: (key, verdict, effect) => settle(db, key, verdict, effect),
    notePrice: (key, answer) => notePrice(db, key, answer),
    revoke: (key) => revoke(db, key),
    finishJob: (key, end, effect) => finishJob(db, key, end, effect),
    findResults: (keys) => findResults(db, keys),
    lookForResult: (own, key, passOver) => lookForResult(db, own, key, passOver),
    useResult: (key, use) => useResult(db, key, use),
    dropResult: (of) => dropResult(db, of),
    revokeCached: (key) => revokeCached(db, key),
    keysWithResult: (keys) => keysWithResult(db, keys),
    sumResults: () => sumResults(db),
    usedBeyond: (bytes) => usedBeyond(db, bytes),
    resultsUnused: (before, after, most) => resultsUnused(db, before, after, most),
    resultNames: (key) => resultNames(db, key),
    pruneResults: (results) => pruneResults(db, results),
    giveUp: (key, effect) => giveUp(db, key, effect),
    changeRunning: (key, effect) => changeRunning(db, key, effect),
    decide: (key, decision) => decide(db, key, decision),
    decisionsOf: (batch, row) => decisionsOf(db, batch, row),
    releasedFiles: (batch, row) => releasedFiles(db, batch, row),
    sending: (batch) => listSending(db, batch),
    runningJobs: (batch) => runningJobs(db, batch),
    countRunning: (apiUrl, account) => countRunning(db, apiUrl, account),
    isJobClaimed: async (...job) => (await holderOfJob(db, ...job)) !== undefined,
    holderOfJob: (...job) => holderOfJob(db, ...job),
    otherUnresolved: (apiUrl, account, key, since) => otherUnresolved(db, apiUrl, account, key, since),
    earlierUnresolved: (batch, most) => earlierUnresolved(db, batch, most),
    updateLimiter: (scope, step) => updateLimiter(db, scope, step),
    troubles: (scopes, since) => readTroubles(db, scopes, since),
    takeNotice: (claim) => takeNotice(db, claim),
    keepNotice: (id, leaseMs) => keepNotice(db, id, leaseMs),
    freeNotice: (id, claimer) => freeNotice(db, id, claimer),
    noteDelivery: (id, delivery) => noteDelivery(db, id, delivery),
    noticesOf: (batch) => noticesOf(db, batch),
    setScheduleHooks: (schedule, hooks) => setScheduleHooks(db, schedule, hooks),
    scheduleHooks: (schedule) => scheduleHooks(db, schedule),
    declineSettings: (schedule) => declineSettings(db, schedule),
    settleSchedule: (schedule, settings, at) => settleSchedule(db, schedule, settings, at),
    scheduleRecord: (schedule) => scheduleRecord(db, schedule),
    pauseFirings: (schedule, at, note) => pauseFirings(db, schedule, at, note),
    resumeFirings: (schedule, at, note) => resumeFirings(db, schedule, at, note),
    allowFirings: (schedule, allowance) => allowFirings(db, schedule, allowance),
    withdrawFirings: (id) => withdrawFirings(db, id),
    forgetSchedule: (schedule) => forgetSchedule(db, schedule),
    knownSchedules: () => knownSchedules(db),
    beginOccurrence: (occurrence, how) => beginOccurrence(db, occurrence, how),
    endOccurrence: (occurrence, end) => endOccurrence(db, occurrence, end),
    monthSpend: (question) => monthSpend(db, question),
    noteManifest: (occurrence, etag) => noteManifest(db, occurrence, etag),
    noteSkips: (schedule, survey) => noteSkips(db, schedule, survey),
    findOccurrence: (occurrence) => findOccurrence(db, occurrence),
    occurrencesOf: (schedule, which) => occurrencesOf(db, schedule, which),
    noteTextLimit: (account, operation, most) => noteTextLimit(db, account, operation, most),
    textLimits: (apiUrl, account) => textLimits(db, apiUrl, account),
    takeWebhook: (account, owner) => takeWebhook(db, account, owner),
    noteWebhook: (account, owner, set) => noteWebhook(db, account, owner, set),
    releaseWebhook: (account, owner) => releaseWebhook(db, account, owner),
    leaveWebhook: (account, owner) => leaveWebhook(db, account, owner),
    webhookOf: (account) => webhookOf(db, account),
    close: () => close(db),
  };
  return reserve === undefined ? ledger : withReserve(ledger, reserve);
}
