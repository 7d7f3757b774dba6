import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import type { BatchFiles, ResultRow } from './batch-files.ts';

const LEDGER = '00000000-0000-4000-8000-000000000000';

/** A charge for the speech of a row, as the simulator records it. */
export function chargeOf(row: number, fields: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    at: row,
    operation: 'speech-job',
    jobId: `job-${row}`,
    credits: 2,
    idempotencyKey: `voxbatch-${LEDGER}-lines-${row}-speech-1`,
    requestId: `req-${row}`,
    text: `Line ${row}`,
    answered: 'sent',
    ...fields,
  };
}

/** The result of a row that succeeded. */
export function resultOf(row: number, fields: Partial<ResultRow> = {}): ResultRow {
  const file = `media/r${row}.mp3`;
  return {
    id: `r${row}`,
    _row: row,
    _kind: 'tts',
    _outcome: 'succeeded',
    _file: file,
    _text: '',
    _credits: 2,
    _credits_kind: 'reported',
    _job_ids: [`job-${row}`],
    ...fields,
  };
}

/** The files of a batch with these results. */
export function filesOf(results: readonly ResultRow[], fields: Partial<BatchFiles> = {}): BatchFiles {
  const ids = results.map(({ id }) => id);
  return { name: 'lines', out: '/nowhere', manifestIds: ids, csvIds: ids, results, receipts: [], ...fields };
}
