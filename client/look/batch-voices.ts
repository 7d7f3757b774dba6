import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';

/** A voice that rows of a batch speak with. */
export interface VoiceView {
  /** As the rows have it, mostly its id. */
  readonly voice: string;
  /** Its name, as the manifest, the cast or the row that made it says it; null if none of them does. */
  readonly name: string | null;
  readonly rows: number;
}

/** Voices that are told apart; a person looks for others by their ids. */
const MOST = 200;

/** The voices of a batch. */
export interface VoicesView {
  /** Most rows first. */
  readonly voices: readonly VoiceView[];
  readonly areAll: boolean;
}

/** The voices of a batch. Reads every row of it. */
export async function batchVoices(ledger: Ledger, batch: BatchRecord): Promise<VoicesView> {
  const counts = await ledger.voiceCounts(batch.name, MOST + 1);
  const found = counts.slice(0, MOST);
  const made = await ledger.namesOfMadeVoices(found.map(({ voice }) => voice));
  const numbers = found.map(({ firstRow }) => firstRow);
  const examples = new Map((await ledger.rowsNumbered(batch.name, numbers)).map((row) => [row.row, row]));
  const voices = found.map(({ voice, rows, firstRow }) => {
    const name = requestedVoiceName(voice) ?? nameInRow(examples.get(firstRow), batch) ?? made.get(voice) ?? null;
    return { voice, name, rows };
  });
  return { voices, areAll: counts.length <= MOST };
}

/** The name that a row gives its voice: the one asked for (`name:Ada`), or the speaker of the cast. */
function nameInRow(row: Pick<RowRecord, 'input'> | undefined, { settings }: BatchRecord): string | undefined {
  const cells = (row?.input ?? []).map((cell) => cell.trim());
  const asked = cells.map(requestedVoiceName).find((name) => name !== undefined);
  const members = new Set(settings.reading.cast?.members.map(({ name }) => name));
  return asked ?? cells.find((cell) => members.has(cell));
}

/**
 * The voices of batches that are looked at again and again: rows are read once, and again when they may speak with
 * others.
 */
export class KnownVoices {
  readonly #known = new Map<string, { readonly mark: string; readonly voices: Promise<VoicesView> }>();

  async look(ledger: Ledger, batch: BatchRecord): Promise<VoicesView> {
    const { total, states } = await ledger.counts(batch.name);
    // Rows come while it is loaded, are edited where it is reopened, and get the voices that they wait for.
    const mark = [batch.createdAt, total, batch.reopenedAt, states.blocked].join();
    const known = this.#known.get(batch.name);
    if (known?.mark === mark) return known.voices;
    const voices = batchVoices(ledger, batch);
    this.#known.set(batch.name, { mark, voices });
    voices.catch(() => this.#known.delete(batch.name));
    return voices;
  }
}
