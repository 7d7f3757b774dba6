import Database from 'libsql';
import { NEVER_HALT } from '../contract/halt.ts';
import { BUILT_IN_PRICES } from '../contract/row-kinds.ts';
import { DEFAULT_TUNABLES } from '../contract/tunables.ts';
import { openLedger } from '../ledger/open-ledger.ts';

/** Default name of the batch. */
export const BATCH = 'lines';

/** Rows added per call. */
const ROWS_PER_CALL = 5_000;
/** Price of each row; any price will do. */
const QUOTED = 2.5;

/**
 * Creates an open batch of this many rows in a ledger, with a paid result for the first `ended` of them. The ledger may
 * have other batches already.
 *
 * @param path path or URL of the ledger; with `ended`, it must be a SQLite file
 * @param textOf returns the text of a row by its number, from 1
 */
export async function prefill(
  path: string,
  apiUrl: string,
  rows: number,
  ended: number,
  batch = BATCH,
  textOf = plainText,
): Promise<void> {
  const ledger = await openLedger(path, { makesTables: true });
  const loading = await ledger.createBatch({
    ...{
      name: batch,
      digest: 'bench',
      apiUrl,
      account: 'bench',
      columns: ['id', 'text', 'voice'],
      source: 'lines.csv',
    },
    settings: {
      ...DEFAULT_TUNABLES,
      limits: { ...DEFAULT_TUNABLES.limits, submits: 32, window: 1_000 },
      halt: NEVER_HALT,
      reading: { kind: null, defaults: {}, map: {}, tts: 'job' },
      ...{ tts: 'job', prices: BUILT_IN_PRICES, nameTemplate: '{id}.{ext}', firstLookMs: 60, pollGapMs: 500 },
      ...{ jobDeadlineMs: 3_600_000, trust503: true },
    },
  });
  for (let from = 1; from <= rows; from += ROWS_PER_CALL) {
    await ledger.addRows(
      loading,
      Array.from({ length: Math.min(ROWS_PER_CALL, rows - from + 1) }, (_, at) => aRow(from + at, textOf)),
    );
  }
  await ledger.openBatch(loading, rows);
  await ledger.close();
  if (ended > 0) endRows(path, ended);
}

/** Ends the first rows with a result, as if they had been paid for. */
function endRows(path: string, ended: number): void {
  const file = `json_object('key', 'bench/' || row || '.mp3', 'bytes', 2016, 'sha256', '${'ab'.repeat(32)}', 'extension', 'mp3')`;
  const raw = new Database(path);
  raw.exec(`
    insert into charges (batch, row, step, take, attempt, state, job_id, quoted, charged, charged_from, owner, intent_at, verdict_at, finished_at, file, damaged)
    select batch, row, 'speech', 1, 1, 'accepted', 'old-' || row, quoted, quoted, 'quote', 'w', 1, 1, 1, ${file}, 0 from rows where row <= ${String(ended)};
    update rows set state = 'fetching', outcome = 'succeeded', ended_at = 1, file = ${file} where row <= ${String(ended)};`);
  raw.close();
}

function plainText(row: number): string {
  return `Sentence number ${String(row)} of a batch that is rather long, and goes on.`;
}

function aRow(
  row: number,
  textOf: typeof plainText,
): Parameters<Awaited<ReturnType<typeof openLedger>>['addRows']>[1][number] {
  const [id, text] = [`line-${String(row)}`, textOf(row)];
  const spec = { kind: 'tts', text, voice: 'narrator', extra: {} } as const;
  return { row, id, line: row + 1, spec, input: [id, text, 'narrator'], quoted: QUOTED };
}
