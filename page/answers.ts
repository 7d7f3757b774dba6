import type { KnownVoices } from '../client/look/batch-voices.ts';
import { viewListed, viewStatus } from '../client/look/status-view.ts';
import { listBatches, statusNow, type BatchHere, type BatchStatus } from '../client/look/status.ts';
import { workSpan, type Pace } from '../client/look/pace.ts';
import { explain, type RowExplanation } from '../client/look/explain.ts';
import { settleWays } from '../client/look/settle-ways.ts';
import { viewRow } from '../client/look/row-view.ts';
import { mediaOf } from '../client/look/row-line-view.ts';
import { chooseBatch } from '../client/open-records.ts';
import type { Reader } from '../client/look/open-reader.ts';
import { messageOf } from '../contract/message-of.ts';
import { recordedSchedules } from '../client/schedules/recorded-view.ts';
import type { ReasonFigures } from '../contract/batch-figures.ts';
import type {
  BatchLine,
  RowAnswer,
  ScheduleAnswer,
  StatusAnswer,
  UnknownAnswer,
  VoicesAnswer,
  StandingsAnswer,
} from './protocol.ts';
import { wire } from './wire.ts';

/** The words of the command line for what the page shows, too. */
export interface PageWords {
  /** One word for the state of a batch. */
  readonly standing: (batch: BatchHere['batch'], isDeserted: boolean) => string;
  /** What holds a batch up, and what to do. */
  readonly status: (status: BatchStatus) => readonly string[];
  /** What to do about a row. */
  readonly row: (row: RowExplanation) => string;
}

function lineOf(here: BatchHere, words: PageWords): BatchLine {
  return wire({ ...viewListed(here), standing: words.standing(here.batch, here.isDeserted) });
}

/** All batches, the newest first. */
export async function readBatches(reader: Reader, words: PageWords): Promise<readonly BatchLine[]> {
  const { batches } = await listBatches(await reader.slow(), reader.settings, 'batches');
  return batches.map((here) => lineOf(here, words));
}

/**
 * How a batch stands now. `isQuick`: without the next steps of a batch that has ended, for which its failed rows are
 * read.
 */
export async function readStatusAnswer(
  { ledger, slow, settings }: Reader,
  words: PageWords,
  batch: string,
  { pace, isQuick = false }: { readonly pace: Pace; readonly isQuick?: boolean },
): Promise<StatusAnswer> {
  const status = await statusNow(ledger, settings, batch, { pace, slow: isQuick ? undefined : slow });
  const answer = { ...viewStatus(status), standing: words.standing(status.batch, status.isDeserted) };
  const from = workSpan(status.batch)?.from;
  const since = from === undefined ? null : new Date(from);
  return wire({ ...answer, since, limits: status.batch.settings.limits, notes: words.status(status) });
}

/** Why rows have no result, most rows first. */
export async function readReasons({ ledger }: Reader, name: string): Promise<readonly ReasonFigures[]> {
  const batch = await chooseBatch(ledger, name);
  return (await ledger.statusCounts(batch.name)).filter((line) => line.class !== '');
}

/** The voices that rows of a batch speak with, most rows first. */
export async function readVoices(ledger: Reader['ledger'], known: KnownVoices, name: string): Promise<VoicesAnswer> {
  return known.look(ledger, await chooseBatch(ledger, name));
}

/** Everything about a row, by its id; undefined if there is none. */
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

/** Rows with their evidence in the list of unknown ones, of each batch: reading a row takes a while. */
const MOST_SHOWN = 20;

/** The rows whose answer was lost, of all batches. */
export async function readUnknown(reader: Reader, words: PageWords): Promise<readonly UnknownAnswer[]> {
  const ledger = await reader.slow();
  const { batches } = await listBatches(ledger, reader.settings, 'all');
  const found: UnknownAnswer[] = [];
  for (const { batch, counts } of batches.filter((here) => here.counts.outcomes.unknown > 0)) {
    const { rows } = await ledger.rowPage(batch.name, { outcome: 'unknown' }, undefined, MOST_SHOWN);
    const shown: RowAnswer[] = [];
    for (const { id } of rows) {
      const row = await readRow({ ...reader, ledger }, words, batch.name, id);
      if (row !== undefined) shown.push(row);
    }
    found.push({ batch: batch.name, rows: counts.outcomes.unknown, shown });
  }
  return found;
}

/** The schedules of the ledger. */
export async function readSchedules(reader: Reader): Promise<readonly ScheduleAnswer[]> {
  return wire(await recordedSchedules(await reader.slow()));
}

/** How the schedules stand in Temporal, or why that is not known. */
export async function readStandings({ settings, ledger }: Reader): Promise<StandingsAnswer> {
  try {
    if ((await ledger.knownSchedules()).length === 0) return { away: null, standings: [] };
    // Its client is large, and only this asks it.
    const { readScheduleStates } = await import('../client/schedules/schedule-states.ts');
    const standings = await readScheduleStates(settings, ledger);
    if (standings !== undefined) return { away: null, standings };
    return { away: 'no Temporal server runs here. Start one, with a worker: voxbatch up', standings: [] };
  } catch (error) {
    return { away: messageOf(error), standings: [] };
  }
}
