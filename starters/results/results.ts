import { readEnd, writeFiles } from '../../client/results/write-files.ts';
import { writeLinks } from '../../client/results/write-links.ts';
import { plural } from '../terminal/words.ts';
import { jsonLine, printAnswer, type RunContext } from '../terminal/output.ts';
import { viewResults } from '../../client/results/files-view.ts';
import { addSound } from '../../client/sound/add-sound.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { isLedgerUnconfirmed } from '../../client/trust/known-ledgers.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { usageError } from '../exit-error.ts';
import { readSound } from '../sound/read-sound.ts';
import { withLedger } from '../connect/settings.ts';
import { damageLines, keptLines, madeLines, showFilesMade } from '../terminal/file-words.ts';
import { REPORT_WORDS } from '../terminal/status-words.ts';
import { summaryLines } from '../terminal/summary-words.ts';

type Limit = Awaited<ReturnType<typeof writeLinks>>['limit'];

/** Warnings for URLs that may end sooner than the user asked. */
const LIFETIME_WARNINGS: Readonly<Record<Exclude<Limit, 'seven-days' | undefined>, string>> = {
  session:
    'warning: the URLs end sooner than asked for, with the session of the AWS credentials. For longer ones, use access keys without a session, or a longer session, and run the same command again.',
  'unknown-session':
    'warning: the URLs end with the session of the AWS credentials, which may be sooner: its end is not known, as AWS_CREDENTIAL_EXPIRATION is not set.',
};

/**
 * `voxbatch results [BATCH]`: writes the files of a batch from the ledger and the store, in their current state. Can be
 * repeated at any time, even while the batch runs. With `--join`, `--loudness` and the like it changes the batch, whose
 * sound is joined or finished from then on. The exit code is the batch's, or 15 if counts, hashes or sums differ.
 */
export async function results(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withLedger(async (ledger, settings) => {
    const sound = readSound(flags);
    const isAdded = (sound.join ?? sound.finish) !== undefined;
    if (isAdded && flags.mediaLinks !== undefined)
      throw usageError('--media-links makes no files; give --join and the others without it.');
    const found = await chooseBatch(ledger, name);
    const batch = isAdded ? await addSound(ledger, settings, found, sound) : found;
    const { mediaLinks: lifetimeMs } = flags;
    if (lifetimeMs !== undefined) {
      const written = await writeLinks({ ledger, settings, batch, out: flags.out, lifetimeMs });
      const { file, links, until, limit } = written;
      const line = `${plural(links, 'URL')} in ${file}, valid until ${until.toISOString()}. Whoever has one can fetch its file.`;
      printAnswer(output, flags, { batch: batch.name, ...written }, () => [line]);
      // `writeLinks` refuses more than seven days.
      if (limit !== undefined && limit !== 'seven-days') output.say(LIFETIME_WARNINGS[limit]);
      return 'complete';
    }
    const files = await showFilesMade(output, async (onFilesMade) =>
      writeFiles({
        ledger,
        settings,
        batch,
        out: flags.out,
        xlsx: flags.xlsx,
        report: flags.report,
        reportWords: REPORT_WORDS,
        onFilesMade,
      }),
    );
    const { exit, out } = files;
    if (flags.json === true) output.data(jsonLine(viewResults(files)));
    else {
      const end = await readEnd(settings, ledger, files);
      for (const line of summaryLines({ ...end, isLedgerUnconfirmed: isLedgerUnconfirmed(settings, ledger) }))
        output.data(line);
      for (const line of madeLines(files)) output.data(`  ${line}`);
    }
    for (const line of keptLines(files.kept, out)) output.say(line);
    for (const fault of files.faults) output.say(`DOES NOT ADD UP: ${fault}`);
    for (const line of damageLines(files.damaged, { batch: batch.name, store: settings.store })) output.say(line);
    return exit;
  });
}
