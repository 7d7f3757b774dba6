import { createHash } from 'node:crypto';
import {
  ledgerSummary,
  noticeEnvironment,
  noticeMessage,
  type NoticeMessage,
} from '../../batches/hooks/notice-message.ts';
import {
  occurrenceEnvironment,
  occurrenceMessage,
  type OccurrenceMessage,
} from '../../batches/schedules/occurrence-message.ts';
import { viewBatch } from '../../batches/look/view-batch.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Notice } from '../../ledger/notices/notices.ts';
import { parseOccurrence } from '../../policy/schedules/occurrence.ts';
import { voxbatchVersion } from '../version.ts';

/** What a notice tells now, and whom. */
interface News {
  /** The command or the URL. */
  readonly wanted: string;
  readonly message: NoticeMessage | OccurrenceMessage;
  /** For a command. */
  readonly environment: Readonly<Record<string, string>>;
  /** What a command gets on stdin, as JSON. */
  readonly input: object;
}

/** What a notice tells now. Undefined if nobody wants it any more: its hook was taken back, or what it tells is no longer so. */
export async function readNews(ledger: Ledger, told: Notice): Promise<News | undefined> {
  // Whoever hears of it by both ways, or twice, knows it by the event.
  const notice = { ...told, id: eventIdOf(ledger.id, told) };
  const { event } = notice;
  return event === 'ended' || event === 'paused'
    ? newsOfBatch(ledger, notice, event)
    : newsOfOccurrence(ledger, notice);
}

async function newsOfBatch(
  ledger: Ledger,
  notice: Notice,
  event: Parameters<typeof noticeMessage>[1],
): Promise<News | undefined> {
  const batch = await ledger.findBatch(notice.batch);
  const wanted = batch === undefined ? null : hookOf(notice, batch.settings);
  if (batch === undefined || wanted === null) return undefined;
  const view = await viewBatch(ledger, batch);
  const message = noticeMessage(notice, event, view);
  return { wanted, message, environment: noticeEnvironment(message), input: ledgerSummary(view, voxbatchVersion()) };
}

async function newsOfOccurrence(ledger: Ledger, notice: Notice): Promise<News | undefined> {
  const occurrence = parseOccurrence(notice.batch);
  if (occurrence === undefined) return undefined;
  const { schedule, at } = occurrence;
  const wanted = hookOf(notice, await ledger.scheduleHooks(schedule));
  const record = (await ledger.occurrencesOf(schedule, { from: at })).find((one) => one.at === at);
  const message = occurrenceMessage(notice, occurrence, record);
  if (wanted === null || message === undefined) return undefined;
  return { wanted, message, environment: occurrenceEnvironment(message), input: message.data };
}

function hookOf({ target }: Notice, { onEnd, notify }: ScheduleHooks): string | null {
  return target === 'command' ? onEnd : notify;
}

/**
 * The id of the event that a notice tells: a batch of a ledger ended, or paused, at that moment. The same for the command and the URL, and each time
 * that it is told: its notices were made in one statement, so they agree. 32 digits of hex.
 */
function eventIdOf(ledgerId: string, { batch, event, madeAt }: Pick<Notice, 'batch' | 'event' | 'madeAt'>): string {
  const told = JSON.stringify([ledgerId, batch, event, madeAt]);
  return createHash('sha256').update(told).digest('hex').slice(0, 32);
}
