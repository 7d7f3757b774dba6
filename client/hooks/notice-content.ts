import { createHash } from 'node:crypto';
import { viewBatch, exitOfView, type BatchView } from '../../batches/status/view-batch.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Notice } from '../../ledger/notices/notices.ts';
import { parseOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import { voxbatchVersion } from '../version.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import type { BatchHookEvent } from '../../contract/hooks.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { isChargeEstimated } from '../../policy/money/budget.ts';
import { reasonOf } from '../../policy/rows/group-reasons.ts';
import { summarize, type Summary } from '../../results/summary.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import type { OccurrenceRecord } from '../../ledger/schedules/occurrence-records.ts';

/** A notice's current content and its receiver. */
interface NoticeContent {
  /** The shell command of `--on-end`, or the URL of `--notify`. */
  readonly receiver: string;
  /** Body for a URL. */
  readonly message: NoticeMessage | OccurrenceMessage;
  /** Environment for a command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stdin for a command, sent as JSON. */
  readonly input: object;
}

/**
 * Reads what to deliver for a notice, from the current records. Undefined if it is obsolete: its hook was removed, or
 * its event no longer holds.
 */
export async function readNoticeContent(ledger: Ledger, recorded: Notice): Promise<NoticeContent | undefined> {
  // The event's id lets a receiver recognize duplicates, and the same event arriving through both targets.
  const notice = { ...recorded, id: eventIdOf(ledger.id, recorded) };
  const { event } = notice;
  return event === 'ended' || event === 'paused'
    ? batchContent(ledger, notice, event)
    : occurrenceContent(ledger, notice);
}

async function batchContent(ledger: Ledger, notice: Notice, event: BatchHookEvent): Promise<NoticeContent | undefined> {
  const batch = await ledger.findBatch(notice.batch);
  const receiver = batch === undefined ? null : hookOf(notice, batch.settings);
  if (batch === undefined || receiver === null) return undefined;
  const view = await viewBatch(ledger, batch);
  const message = noticeMessage(notice, event, view);
  return { receiver, message, environment: noticeEnvironment(message), input: ledgerSummary(view, voxbatchVersion()) };
}

async function occurrenceContent(ledger: Ledger, notice: Notice): Promise<NoticeContent | undefined> {
  const occurrence = parseOccurrence(notice.batch);
  if (occurrence === undefined) return undefined;
  const { schedule, at } = occurrence;
  const receiver = hookOf(notice, await ledger.scheduleHooks(schedule));
  const record = (await ledger.occurrencesOf(schedule, { from: at })).find((found) => found.at === at);
  const message = occurrenceMessage(notice, occurrence, record);
  if (receiver === null || message === undefined) return undefined;
  return { receiver, message, environment: occurrenceEnvironment(message), input: message.data };
}

/** Returns the command or URL of a notice's hook; null if the hook was removed. */
function hookOf({ target }: Notice, { onEnd, notify }: ScheduleHooks): string | null {
  return target === 'command' ? onEnd : notify;
}

/**
 * Returns the id of a notice's event, such as a batch ending or pausing at that moment, as 32 hex digits. It is the
 * same for the command and the URL, and for each redelivery: an event's notices are inserted in one statement, so they
 * agree on the time.
 */
function eventIdOf(ledgerId: string, { batch, event, madeAt }: Pick<Notice, 'batch' | 'event' | 'madeAt'>): string {
  const identity = JSON.stringify([ledgerId, batch, event, madeAt]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

/** A message's figures, named as in `summary.json`. */
interface NoticeData {
  readonly batch: string;
  readonly account: string;
  readonly api: string;
  /** Name and number of the batch's exit code, as in `status`. */
  readonly exit: string;
  readonly exit_code: number;
  readonly rows: number;
  /** Rows by outcome; every outcome is named. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly not_chosen: number;
  readonly credits: BatchView['money'];
  /** Why it paused or gave up by itself; otherwise null. */
  readonly reason: string | null;
}

/**
 * The JSON body that `--notify` sends: a Standard Webhooks payload (`type`, `timestamp`, `data`), plus the `text` that
 * Slack and similar services display. The figures are as of sending, which may be later than the event.
 */
export interface NoticeMessage {
  /** The event's id, the same for each hook and each redelivery. */
  readonly id: string;
  readonly type: `batch.${BatchHookEvent}`;
  /** Time of the event. ISO 8601, UTC. */
  readonly timestamp: string;
  readonly text: string;
  readonly data: NoticeData;
}

/** Returns the message about a batch's current state. Contains no row text, no result URL and no token. */
export function noticeMessage(
  { id, madeAt }: Pick<Notice, 'id' | 'madeAt'>,
  event: BatchHookEvent,
  view: BatchView,
): NoticeMessage {
  const { batch, counts, money } = view;
  const exit = exitOfView(view);
  const pausedBy = event === 'paused' ? batch.pauseReason : null;
  const reason = pausedBy === null ? batch.halted : `${pausedBy.class}: ${reasonOf(pausedBy)}`;
  const outcomes = OUTCOMES.filter((outcome) => counts.outcomes[outcome] > 0).map(
    (outcome) => `${counts.outcomes[outcome]} ${outcome}`,
  );
  const rows = `${counts.total} ${counts.total === 1 ? 'row' : 'rows'}`;
  const text =
    `voxbatch: batch "${batch.name}" ${event === 'paused' ? 'paused by itself' : 'ended'}${reason === null ? '' : ` (${reason})`}. ` +
    `${rows}: ${outcomes.length === 0 ? 'none ended yet' : outcomes.join(', ')}. ${chargedWords(money)}.`;
  return {
    id,
    type: `batch.${event}`,
    timestamp: new Date(madeAt).toISOString(),
    text,
    data: {
      batch: batch.name,
      account: batch.account,
      api: batch.apiUrl,
      exit,
      exit_code: EXIT_CODES[exit].code,
      rows: counts.total,
      outcomes: counts.outcomes,
      not_chosen: counts.notChosen,
      credits: money,
      reason,
    },
  };
}

/** Returns words such as `557 credits charged`, which say so if prices are estimates. */
function chargedWords(money: BatchView['money']): string {
  const sum = `${money.charged} ${money.charged === 1 ? 'credit' : 'credits'} charged`;
  return isChargeEstimated(money) ? `About ${sum} (some prices are estimates)` : sum;
}

/** Returns the environment variables of an `--on-end` command for a batch. */
export function noticeEnvironment({ id, type, data }: NoticeMessage): Readonly<Record<string, string>> {
  const outcomes = OUTCOMES.map((outcome) => [
    `VOXBATCH_${outcome.toUpperCase()}`,
    String(data.outcomes[outcome] ?? 0),
  ]);
  return {
    VOXBATCH_EVENT: type.replace('batch.', ''),
    VOXBATCH_EVENT_ID: id,
    VOXBATCH_BATCH: data.batch,
    VOXBATCH_EXIT: data.exit,
    VOXBATCH_EXIT_CODE: String(data.exit_code),
    // The API's words may contain NUL, which no environment variable can hold: the command would not start.
    VOXBATCH_REASON: (data.reason ?? '').replaceAll('\0', ''),
    VOXBATCH_ROWS: String(data.rows),
    ...(Object.fromEntries(outcomes) as Record<string, string>),
    VOXBATCH_CREDITS: String(data.credits.charged),
    VOXBATCH_CREDITS_ESTIMATED: String(isChargeEstimated(data.credits)),
    VOXBATCH_CREDITS_UNCERTAIN: String(data.credits.uncertain),
  };
}

/**
 * Returns a batch's summary from the ledger alone, without file hashes: the delivering process may not have written any
 * files.
 */
function ledgerSummary({ batch, counts, money }: BatchView, voxbatchVersion: string): Summary {
  const { total: rows, outcomes, notChosen, states } = counts;
  return summarize(batch, { rows, outcomes, notChosen, states, credits: money }, money.reserved, {}, voxbatchVersion);
}

/** Message data for an occurrence that made no batch. */
interface OccurrenceData {
  readonly schedule: string;
  /** Its scheduled time. ISO 8601, UTC. */
  readonly at: string;
  /** The name its batch would have had. */
  readonly batch: string;
  readonly state: 'failed' | 'skipped';
  /** Why it was skipped, as one word; null if it failed. */
  readonly cause: string | null;
  /** The reason as a sentence. */
  readonly reason: string | null;
}

/** The body that `--notify` sends for an occurrence without a batch, in the form of `NoticeMessage`. */
export interface OccurrenceMessage {
  /** The event's id, the same for each hook and each redelivery. */
  readonly id: string;
  readonly type: `occurrence.${OccurrenceData['state']}`;
  /** When the outcome was detected. ISO 8601, UTC. */
  readonly timestamp: string;
  readonly text: string;
  readonly data: OccurrenceData;
}

/** Returns the message about an occurrence's current state; undefined if it took place after all. */
export function occurrenceMessage(
  { id, batch, madeAt }: Pick<Notice, 'id' | 'batch' | 'madeAt'>,
  { schedule, at: atMs }: Occurrence,
  record: OccurrenceRecord | undefined,
): OccurrenceMessage | undefined {
  if (record?.state !== 'failed' && record?.state !== 'skipped') return undefined;
  const { state, cause } = record;
  const reason = record.reason === null ? null : hostsOnly(record.reason);
  const at = new Date(atMs).toISOString();
  const what = state === 'failed' ? 'failed and made no batch' : `was skipped (${cause ?? 'unknown'})`;
  return {
    id,
    type: `occurrence.${state}`,
    timestamp: new Date(madeAt).toISOString(),
    text: `voxbatch: schedule "${schedule}" ${what} at ${at}.${reason === null ? '' : ` ${reason}`}`,
    data: { schedule, at, batch, state, cause, reason },
  };
}

/** Reduces each URL to its host: a manifest's URL is often a secret that receivers need not know. */
function hostsOnly(text: string): string {
  // Trailing punctuation belongs to the sentence.
  return text.replaceAll(/\bhttps?:\/\/([^/\s?#]+)(\S*)/g, (_, host: string, rest: string) => {
    return host + rest.slice(trimEnd(rest, ':.,;').length);
  });
}

/** Returns the environment variables of an `--on-end` command for an occurrence without a batch. */
function occurrenceEnvironment({ id, data }: OccurrenceMessage): Readonly<Record<string, string>> {
  return {
    VOXBATCH_EVENT: data.state,
    VOXBATCH_EVENT_ID: id,
    VOXBATCH_BATCH: data.batch,
    VOXBATCH_SCHEDULE: data.schedule,
    VOXBATCH_OCCURRENCE: data.at,
    VOXBATCH_CAUSE: data.cause ?? '',
    // The server's words may contain NUL, which no environment variable can hold: the command would not start.
    VOXBATCH_REASON: (data.reason ?? '').replaceAll('\0', ''),
  };
}
