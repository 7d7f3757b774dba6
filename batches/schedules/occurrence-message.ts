import { trimEnd } from '../../contract/trim-end.ts';
import type { Notice } from '../../ledger/notices/notices.ts';
import type { OccurrenceRecord } from '../../ledger/schedules/occurrence-records.ts';
import type { Occurrence } from '../../policy/schedules/occurrence.ts';

/** What is told of an occurrence that made no batch. */
interface OccurrenceData {
  readonly schedule: string;
  /** The time that it was scheduled for. ISO 8601, UTC. */
  readonly at: string;
  /** The name that its batch would have. */
  readonly batch: string;
  readonly state: 'failed' | 'skipped';
  /** Why it was skipped, in a word; null: it has failed. */
  readonly cause: string | null;
  /** Why, as a sentence. */
  readonly reason: string | null;
}

/** What `--notify` sends of an occurrence without a batch; in the form of `NoticeMessage`. */
export interface OccurrenceMessage {
  /** Of the event; the same for each hook, and each time the message is sent. */
  readonly id: string;
  readonly type: `occurrence.${OccurrenceData['state']}`;
  /** When that was found. ISO 8601, UTC. */
  readonly timestamp: string;
  readonly text: string;
  readonly data: OccurrenceData;
}

/** The message about an occurrence as it stands now; undefined if it has taken place after all. */
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

/** Names only the host of each URL: that of a manifest often is a secret, and receivers of messages need not know it. */
function hostsOnly(text: string): string {
  // Punctuation at the end is the sentence's.
  return text.replaceAll(/\bhttps?:\/\/([^/\s?#]+)(\S*)/g, (_, host: string, rest: string) => {
    return host + rest.slice(trimEnd(rest, ':.,;').length);
  });
}

/** What a command of `--on-end` is given in its environment for it. All values are text. */
export function occurrenceEnvironment({ id, data }: OccurrenceMessage): Readonly<Record<string, string>> {
  return {
    VOXBATCH_EVENT: data.state,
    VOXBATCH_EVENT_ID: id,
    VOXBATCH_BATCH: data.batch,
    VOXBATCH_SCHEDULE: data.schedule,
    VOXBATCH_OCCURRENCE: data.at,
    VOXBATCH_CAUSE: data.cause ?? '',
    // Words of a server may hold what no environment can, and then no command would start.
    VOXBATCH_REASON: (data.reason ?? '').replaceAll('\0', ''),
  };
}
