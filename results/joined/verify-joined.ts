import { verifyListed } from '../listed-files.ts';
import type { Findings } from '../verification/mismatch.ts';
import type { Summary } from '../summary.ts';
import { countJoined, JOINED_CSV, readJoined } from './joined-table.ts';

/** Compares the files that `--join` made with their list, and the list with the summary. Returns how many were read. */
export async function verifyJoined(
  folder: string,
  { csv, joined }: Pick<Summary, 'csv' | 'joined'>,
  findings: Findings,
): Promise<number> {
  if (joined === undefined) return 0;
  const lines = await readJoined(folder, csv);
  const counted = countJoined(lines);
  findings.compare(`${JOINED_CSV}, files`, joined.files, counted.files);
  findings.compare(`${JOINED_CSV}, incomplete files`, joined.incomplete, counted.incomplete);
  return verifyListed(folder, lines, findings);
}
