import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';

/** A voice that rows of a batch speak with. */
export interface VoiceView {
  /** The voice in the rows, usually its id. */
  readonly voice: string;
  /** Its name in the manifest, in the cast, or in the row that made it; null if unknown. */
  readonly name: string | null;
  /** Number of rows that use it. */
  readonly rows: number;
}

/** Max voices listed. */
const MAX_VOICES = 200;

/** The voices of a batch. */
export interface VoicesView {
  /** Most rows first. */
  readonly voices: readonly VoiceView[];
  /** False if the batch has more voices than are listed. */
  readonly areAll: boolean;
}

/** Lists the voices of a batch. Reads all of its rows. */
export async function batchVoices(ledger: Ledger, batch: BatchRecord): Promise<VoicesView> {
  const counts = await ledger.voiceCounts(batch.name, MAX_VOICES + 1);
  const found = counts.slice(0, MAX_VOICES);
  const made = await ledger.namesOfMadeVoices(found.map(({ voice }) => voice));
  const numbers = found.map(({ firstRow }) => firstRow);
  const examples = new Map((await ledger.rowsNumbered(batch.name, numbers)).map((row) => [row.row, row]));
  const voices = found.map(({ voice, rows, firstRow }) => {
    const name = requestedVoiceName(voice) ?? nameInRow(examples.get(firstRow), batch) ?? made.get(voice) ?? null;
    return { voice, name, rows };
  });
  return { voices, areAll: counts.length <= MAX_VOICES };
}

/** The name that a row's cells give its voice: `name:Ada`, or a speaker of the cast (a table of speakers' voices). */
function nameInRow(row: Pick<RowRecord, 'input'> | undefined, { settings }: BatchRecord): string | undefined {
  const cells = (row?.input ?? []).map((cell) => cell.trim());
  const requested = cells.map(requestedVoiceName).find((name) => name !== undefined);
  const members = new Set(settings.reading.cast?.members.map(({ name }) => name));
  return requested ?? cells.find((cell) => members.has(cell));
}

/** Caches the voices of batches, because listing them reads all rows. Listed again when the rows' voices may change. */
export class VoicesCache {
  readonly #known = new Map<string, { readonly mark: string; readonly voices: Promise<VoicesView> }>();

  /** Returns a batch's voices. */
  async read(ledger: Ledger, batch: BatchRecord): Promise<VoicesView> {
    const { total, states } = await ledger.counts(batch.name);
    // Loading adds rows, a reopening may edit them, and blocked rows get the voices that they wait for.
    const mark = [batch.createdAt, total, batch.reopenedAt, states.blocked].join();
    const known = this.#known.get(batch.name);
    if (known?.mark === mark) return known.voices;
    const voices = batchVoices(ledger, batch);
    this.#known.set(batch.name, { mark, voices });
    voices.catch(() => this.#known.delete(batch.name));
    return voices;
  }
}
