import { findEditedRows } from '../../batches/redrive/edited-rows.ts';
import type { FoundRows } from '../../batches/redrive/selection.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { unchangedError } from '../exit-error.ts';
import { refuseProblems, sayWarnings } from '../run/report-problems.ts';
import { mismatchLines, unusableText } from './edited-words.ts';
import type { Output } from '../terminal/output.ts';

/**
 * The rows of a batch that a file names, and the sha256 of the file. Prints everything that is wrong at once, then
 * throws {@link ExitError} `usage`.
 */
export async function requireEditedRows(
  source: ManifestSource,
  { ledger, batch, output }: { ledger: Ledger; batch: BatchRecord; output: Output },
): Promise<{ readonly rows: FoundRows; readonly fileSha256: string | null }> {
  const found = await findEditedRows(source, { ledger, batch });
  if (found.type === 'faulty') throw refuseProblems(found.checked, source.label, output);
  sayWarnings(found.checked, output);
  if (found.type === 'found') return { rows: found.rows, fileSha256: found.checked.digest };
  if (found.type === 'mismatched') for (const line of mismatchLines(found, batch.name)) output.say(line);
  throw unchangedError(unusableText(found, source.label, batch.name));
}
