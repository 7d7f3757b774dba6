import Database from 'libsql';
import { BATCH, prefill } from './prefill.ts';

/**
 * Creates a ledger with a finished batch (`BATCH`) for the benchmarks of page and report: 3 % of its rows failed, and
 * their texts, durations and times vary. `path`: of the database file.
 */
export async function makeFinishedBatch(path: string, rows: number): Promise<void> {
  await prefill(path, 'http://127.0.0.1', rows, rows, BATCH, textOf);
  vary(path);
}

/** Returns a text of about 90 characters, from a vocabulary of 5,000 words, so that it compresses like real text. */
function textOf(row: number): string {
  let seed = row;
  const word = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return ((seed >> 8) % 5_000)
      .toString(36)
      .replaceAll(/\d/gu, (digit) => 'aeioulnrst'[Number(digit)] ?? '')
      .repeat(2);
  };
  return Array.from({ length: 14 }, word).join(' ');
}

/** Lets some rows fail, and varies the durations and times of all. */
function vary(path: string): void {
  const failure = `json_object('class', 'BadRequest', 'message', 'The API refused row ' || row || ': no such voice.', 'cause', '400')`;
  const began = Date.parse('2026-11-01');
  const raw = new Database(path);
  raw.exec(`
    update charges set intent_at = ${String(began)} + row * 20, verdict_at = ${String(began)} + row * 20,
      finished_at = ${String(began)} + row * 20 + 800 + (row * 7919) % 9000;
    update rows set ended_at = ${String(began)} + row * 20 + 9000, file = json_set(file, '$.seconds', round(1 + (row * 104729) % 900 / 100.0, 2));
    update charges set state = 'rejected', charged = null, charged_from = null, file = null, failure = ${failure} where row % 33 = 0;
    update rows set outcome = 'failed', file = null, failure = ${failure}, failure_class = 'BadRequest', failure_cause = '400' where row % 33 = 0;
    update batches set state = 'closed', started_at = ${String(began)}, closed_at = ${String(began)} + 86400000;`);
  raw.close();
}
