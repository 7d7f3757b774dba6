import type { Columns } from './header.ts';
import { show } from '../contract/manifest-problems.ts';
import type { Finding } from '../contract/manifest-problems.ts';

/** The rows of a batch that one of our outcome files is about, by its columns `_batch` and `_row`. */
export class PreviousRows {
  /** The batch; undefined for any other file. */
  batch: string | undefined;

  /** Checks which batch a record is of, and which row of it. */
  read({ batchAt, rowAt, jobsAt }: Columns, cells: readonly string[]): PreviousRow {
    const batch = cells[batchAt ?? -1]?.trim() ?? '';
    if (batch === '') return { row: undefined, findings: [] };
    this.batch ??= batch;
    const findings: Finding[] = [];
    if (batch !== this.batch) {
      const expected = `rows of one batch (${show(this.batch)})`;
      findings.push({ column: '_batch', expected, came: show(batch), code: 'mixed-batches' });
    }
    const cell = cells[rowAt ?? -1]?.trim() ?? '';
    if (cell === '') return { row: undefined, findings };
    if (/^[1-9]\d{0,14}$/.test(cell)) return { row: Number(cell), jobs: jobsIn(cells[jobsAt ?? -1] ?? ''), findings };
    findings.push({
      column: '_row',
      expected: 'the number of a row of that batch',
      came: show(cell),
      code: 'bad-number',
    });
    return { row: undefined, findings };
  }
}

/** The number of the row in its batch, where the record gives it. */
interface PreviousRow {
  readonly row: number | undefined;
  /** Jobs that it had there; see {@link wordsOf}. */
  readonly jobs?: readonly string[];
  readonly findings: readonly Finding[];
}

/** What stands in `_job_ids`: ids with spaces between them, as CSV has them, or a JSON list. */
function jobsIn(cell: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(cell);
    if (Array.isArray(list)) return list.flatMap((one) => wordsOf(String(one)));
  } catch {
    // No list, so ids as they stand.
  }
  return wordsOf(cell);
}

/** The words of a text. An id may have a space in it, which is also what stands between ids; so ids are compared by their words. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}
