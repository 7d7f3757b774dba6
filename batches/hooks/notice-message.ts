import { EXIT_CODES } from '../../contract/exit-codes.ts';
import type { BatchEvent } from '../../contract/hooks.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { Notice } from '../../ledger/notices/notices.ts';
import { isChargeEstimated } from '../../policy/money/budget.ts';
import { reasonOf } from '../../policy/rows/failure-reason.ts';
import { summarize, type Summary } from '../../results/summary.ts';
import { exitOfView, type BatchView } from '../look/view-batch.ts';

/** The figures of a message, named as in `summary.json`. */
interface NoticeData {
  readonly batch: string;
  readonly account: string;
  readonly api: string;
  /** Name and number of the exit code that `status` has for the batch. */
  readonly exit: string;
  readonly exit_code: number;
  readonly rows: number;
  /** Rows by outcome; every outcome is named. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly not_chosen: number;
  readonly credits: BatchView['money'];
  /** Why it paused or gave up by itself; null if it did not. */
  readonly reason: string | null;
}

/**
 * What `--notify` sends, as JSON: the form of Standard Webhooks (`type`, `timestamp`, `data`), with the `text` that Slack and its like show.
 * The figures are those of the moment of sending, which may be later than the event.
 */
export interface NoticeMessage {
  /** Of the event; the same for each hook, and each time the message is sent. */
  readonly id: string;
  readonly type: `batch.${BatchEvent}`;
  /** When it happened. ISO 8601, UTC. */
  readonly timestamp: string;
  readonly text: string;
  readonly data: NoticeData;
}

/** The message about a batch's current state. It holds no text of a row, no URL of a result and no token. */
export function noticeMessage(
  { id, madeAt }: Pick<Notice, 'id' | 'madeAt'>,
  event: BatchEvent,
  view: BatchView,
): NoticeMessage {
  const { batch, counts, money } = view;
  const exit = exitOfView(view);
  const pausedBy = event === 'paused' ? batch.pauseReason : null;
  const reason = pausedBy === null ? batch.halted : `${pausedBy.class}: ${reasonOf(pausedBy)}`;
  const ends = OUTCOMES.filter((outcome) => counts.outcomes[outcome] > 0).map(
    (outcome) => `${counts.outcomes[outcome]} ${outcome}`,
  );
  const rows = `${counts.total} ${counts.total === 1 ? 'row' : 'rows'}`;
  const text =
    `voxbatch: batch "${batch.name}" ${event === 'paused' ? 'paused by itself' : 'ended'}${reason === null ? '' : ` (${reason})`}. ` +
    `${rows}: ${ends.length === 0 ? 'none ended yet' : ends.join(', ')}. ${chargedWords(money)}.`;
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

/** `557 credits charged`; some of it may be estimated. */
function chargedWords(money: BatchView['money']): string {
  const sum = `${money.charged} ${money.charged === 1 ? 'credit' : 'credits'} charged`;
  return isChargeEstimated(money) ? `About ${sum} (some prices are estimates)` : sum;
}

/** What a command of `--on-end` is given in its environment. All values are text. */
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
    // Words of the API may hold what no environment can, and then no command would start.
    VOXBATCH_REASON: (data.reason ?? '').replaceAll('\0', ''),
    VOXBATCH_ROWS: String(data.rows),
    ...(Object.fromEntries(outcomes) as Record<string, string>),
    VOXBATCH_CREDITS: String(data.credits.charged),
    VOXBATCH_CREDITS_ESTIMATED: String(isChargeEstimated(data.credits)),
    VOXBATCH_CREDITS_UNCERTAIN: String(data.credits.uncertain),
  };
}

/** The summary of a batch from the ledger alone, without the hashes of files: whoever delivers a notice may not have written any. */
export function ledgerSummary({ batch, counts, money }: BatchView, voxbatchVersion: string): Summary {
  const { total: rows, outcomes, notChosen, states } = counts;
  return summarize(batch, { rows, outcomes, notChosen, states, credits: money }, money.reserved, {}, voxbatchVersion);
}
