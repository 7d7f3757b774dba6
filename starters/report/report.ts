import { chooseBatch } from '../../client/open-records.ts';
import { shortPath } from '../../client/status/continue-command.ts';
import { writeReport } from '../../client/report/write-report.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { messageOf } from '../../contract/message-of.ts';
import type { Flags } from '../commands/flags.ts';
import { withLedger } from '../connect/settings.ts';
import { usageError } from '../exit-error.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { REPORT_WORDS } from '../terminal/status-words.ts';

/** `voxbatch report [BATCH]`: writes a batch's HTML report in its current state. Default: the newest batch. */
export async function report(
  name: string | undefined,
  { out: file, text, json }: Pick<Flags, 'out' | 'json'> & { readonly text?: boolean },
  { output }: RunContext,
): Promise<ExitName> {
  const written = await withLedger(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    const request = { ledger, settings, batch, file, hasTexts: text, words: REPORT_WORDS };
    return writeReport(request).catch((error: unknown) => {
      if (file === undefined || (error as NodeJS.ErrnoException).code === undefined) throw error;
      throw usageError(`--out ${file}: ${messageOf(error)}. Nothing was written.`);
    });
  });
  printAnswer(output, { json }, written, () => [shortPath(written.report)]);
  if (written.kept !== null)
    output.say(`${shortPath(written.report)} was no report of voxbatch: it is kept as ${written.kept}.`);
  if (written.isOpen)
    output.say(`Batch "${written.batch}" goes on; this is how it is now. Its end writes the report again.`);
  return 'complete';
}
