import { verifyListed } from '../listed-files.ts';
import type { Findings } from '../verification/mismatch.ts';
import type { Summary } from '../summary.ts';
import { countFinished, FINISHED_CSV, readFinished } from './finished-table.ts';

/** Compares the finished files with their list, and the list with the summary. Returns how many were read. */
export async function verifyFinished(
  folder: string,
  { csv, finished }: Pick<Summary, 'csv' | 'finished'>,
  findings: Findings,
): Promise<number> {
  if (finished === undefined) return 0;
  const lines = await readFinished(folder, csv);
  const counted = countFinished(lines);
  findings.compare(`${FINISHED_CSV}, files`, finished.files, counted.files);
  findings.compare(`${FINISHED_CSV}, files that were not made`, finished.failed, counted.failed);
  return verifyListed(folder, lines, findings);
}
