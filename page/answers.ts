import type { VoicesCache } from '../client/voices/batch-voices.ts';
import { viewListed, viewStatus } from '../client/status/status-view.ts';
import { listBatches, readLiveStatus, type BatchHere, type BatchStatus } from '../client/status/status.ts';
import { workSpan, type Pace } from '../client/status/pace.ts';
import { explain, type RowExplanation } from '../client/rows/explain.ts';
import { settleWays } from '../client/rows/settle-ways.ts';
import { viewRow } from '../client/rows/row-view.ts';
import { mediaOf } from '../client/rows/row-line-view.ts';
import { chooseBatch } from '../client/open-records.ts';
import type { Reader } from '../client/status/open-reader.ts';
import { messageOf } from '../contract/message-of.ts';
import { recordedSchedules } from '../client/schedules/recorded-view.ts';
import type { ReasonFigures } from '../contract/batch-figures.ts';
import type {
  BatchLine,
  RowAnswer,
  ScheduleAnswer,
  ScheduleStatesAnswer,
  StatusAnswer,
  UnknownAnswer,
  VoicesAnswer,
} from './protocol.ts';
import { wire } from './json.ts';

/**
 * Reads of records, each as an answer of `protocol.ts`. Rows and messages are in `row-answers.ts`.
 *
 * All of them reject with a `VoxbatchError` if the ledger has no such batch. Reads that no index serves use the
 * reader's second connection (`slow`).
 */

/** Texts that the page shares with the command line. */
export interface PageWords {
  /** Returns one word for a batch's state. `isDeserted`: no worker is at work on it. */
  readonly standing: (batch: BatchHere['batch'], isDeserted: boolean) => string;
  /** Returns why a batch does not go on, and what to do. */
  readonly status: (status: BatchStatus) => readonly string[];
  /** Returns what to do about a row. */
  readonly row: (row: RowExplanation) => string;
}

/** Returns all batches, the newest first. */
export async function readBatches(reader: Reader, words: PageWords): Promise<readonly BatchLine[]> {
  const { batches } = await listBatches(await reader.slow(), reader.settings, 'batches');
  return batches.map((here) => wire({ ...viewListed(here), standing: words.standing(here.batch, here.isDeserted) }));
}

/**
 * Returns a batch's current status. `isQuick`: without the next steps of a batch that has ended, since they need a scan
 * of its failed rows.
 */
export async function readStatusAnswer(
  { ledger, slow, settings }: Reader,
  words: PageWords,
  batch: string,
  { pace, isQuick = false }: { readonly pace: Pace; readonly isQuick?: boolean },
): Promise<StatusAnswer> {
  const status = await readLiveStatus(ledger, settings, batch, { pace, slow: isQuick ? undefined : slow });
  const answer = { ...viewStatus(status), standing: words.standing(status.batch, status.isDeserted) };
  const from = workSpan(status.batch)?.from;
  const since = from === undefined ? null : new Date(from);
  return wire({ ...answer, since, limits: status.batch.settings.limits, notes: words.status(status) });
}

/** Returns why rows have no result, the most frequent reason first. */
export async function readReasons({ ledger }: Reader, name: string): Promise<readonly ReasonFigures[]> {
  const batch = await chooseBatch(ledger, name);
  return (await ledger.statusCounts(batch.name)).filter((line) => line.class !== '');
}

/** Returns the voices that a batch's rows use, the most used first. */
export async function readVoices(ledger: Reader['ledger'], known: VoicesCache, name: string): Promise<VoicesAnswer> {
  return known.read(ledger, await chooseBatch(ledger, name));
}

/** Returns everything about a row, by its id; undefined if the batch has no such row. */
export async function readRow(
  { ledger, settings }: Reader,
  words: PageWords,
  batch: string,
  id: string,
): Promise<RowAnswer | undefined> {
  const answer = await explain(ledger, settings, { first: id, named: batch });
  if (answer.type !== 'explained') return undefined;
  const { file } = answer.row.row;
  return wire({
    ...viewRow(answer.row),
    media: mediaOf(file),
    seconds: file?.seconds ?? null,
    next: words.row(answer.row),
    ways: settleWays(answer.row),
  });
}

/** Unknown rows per batch that are sent with all details: each takes several queries. */
const MAX_DETAILED_ROWS = 20;

/** Returns the unknown rows of all batches. */
export async function readUnknown(reader: Reader, words: PageWords): Promise<readonly UnknownAnswer[]> {
  const ledger = await reader.slow();
  const { batches } = await listBatches(ledger, reader.settings, 'all');
  const found: UnknownAnswer[] = [];
  for (const { batch, counts } of batches.filter((here) => here.counts.outcomes.unknown > 0)) {
    const { rows } = await ledger.rowPage(batch.name, { outcome: 'unknown' }, undefined, MAX_DETAILED_ROWS);
    const shown: RowAnswer[] = [];
    for (const { id } of rows) {
      const row = await readRow({ ...reader, ledger }, words, batch.name, id);
      if (row !== undefined) shown.push(row);
    }
    found.push({ batch: batch.name, rows: counts.outcomes.unknown, shown });
  }
  return found;
}

/** Returns the schedules of the ledger. */
export async function readSchedules(reader: Reader): Promise<readonly ScheduleAnswer[]> {
  return wire(await recordedSchedules(await reader.slow()));
}

/** Returns the schedules' states in Temporal, or why Temporal cannot be asked. Never rejects. */
export async function readScheduleStates({ settings, ledger }: Reader): Promise<ScheduleStatesAnswer> {
  try {
    if ((await ledger.knownSchedules()).length === 0) return { problem: null, states: [] };
    // Loaded late: the Temporal client is large, and nothing else of the page needs it.
    const temporal = await import('../client/schedules/schedule-states.ts');
    const states = await temporal.readScheduleStates(settings, ledger);
    if (states !== undefined) return { problem: null, states };
    return { problem: 'no Temporal server runs here. Start one, with a worker: voxbatch up', states: [] };
  } catch (error) {
    return { problem: messageOf(error), states: [] };
  }
}
