import { printAnswer, type RunContext } from '../terminal/output.ts';
import { clean as cleanHere, type Cleaned } from '../../client/clean/clean.ts';
import type { Flags } from '../commands/flags.ts';
import { chooseBatch } from '../../client/open-records.ts';
import type { CleanView } from '../../client/views.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { confirmRemoval, requireConsent, type Ask, askYesNo } from '../terminal/ask.ts';
import { withSession } from '../connect/connect-api.ts';
import { unchangedError, ExitError } from '../exit-error.ts';
import { personAt } from '../person.ts';
import { admittance, confirmStore } from '../trust/confirm.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { freedWords, uploadLines } from '../terminal/file-words.ts';
import { form, goOnCommand, plural } from '../terminal/words.ts';

/** Flags of `clean`, whose `--rows` takes no value. */
type CleanFlags = Omit<Flags, 'rows'> & { readonly rows?: boolean };

/**
 * `voxbatch clean BATCH`: shows what it would remove, asks, and removes it. If killed at any moment, repeating the
 * command completes it.
 */
export async function clean(
  name: string,
  flags: CleanFlags,
  { output }: RunContext,
  ask: Ask = askYesNo,
): Promise<ExitName> {
  const parts = readParts(flags);
  const { dryRun: isDryRun = false } = flags;
  const person = personAt(output, flags);
  const viewOf = ({ rows, inDoubt, media, uploads }: Cleaned, dryRun: boolean): CleanView => ({
    batch: name,
    dryRun,
    removed: parts,
    rows,
    inDoubt,
    media,
    uploads,
  });
  return withSession<ExitName>(
    flags,
    async (session, settings) => {
      const batch = await chooseBatch(await session.ledger(), name);
      await confirmStore(settings, flags);
      const end = await cleanHere(session, batch, {
        ...parts,
        isDryRun,
        reason: flags.reason,
        confirm: async (forecast) => {
          if (person.yes) return;
          for (const line of cleanLines(viewOf(forecast, true))) output.say(line);
          requireConsent(person);
          await confirmRemoval(ask);
        },
      });
      if (end.type !== 'cleaned') throw cleanRefusal(end, batch);
      const view = viewOf(end, isDryRun);
      printAnswer(output, flags, view, () => cleanLines(view));
      return 'complete';
    },
    // The ledger and its store determine which files are removed, so it must be a trusted one.
    isDryRun ? undefined : (ledger, settings) => admittance(settings, flags, output)(ledger),
  );
}

function readParts({ media = false, rows = false, all = false }: CleanFlags): CleanParts {
  if (!media && !rows && !all)
    throw unchangedError(
      'What is to be removed? --media (its files in the store), --rows (what its rows asked for) or --all.',
    );
  return { media: media || all, rows: rows || all };
}

/** Describes what a clean removed, or would remove. */
function cleanLines({ batch, dryRun, removed, rows, inDoubt, media, uploads }: CleanView): readonly string[] {
  const verb = dryRun ? 'Would remove' : 'Removed';
  const lines: string[] = [];
  if (removed.media) {
    const freed = freedWords(media, dryRun, 'out folders, other batches');
    lines.push(
      media.files === 0
        ? `Nothing is left of the files of batch "${batch}" in the store.`
        : `${verb} ${plural(media.files, 'file')} of batch "${batch}" from the store, ${freed}`,
    );
  }
  lines.push(...uploadLines(uploads, dryRun));
  if (removed.rows) {
    const done =
      rows === 0 && inDoubt === 0
        ? `Nothing is left of what the rows of batch "${batch}" asked for.`
        : `${verb} what ${plural(rows, 'row')} of batch "${batch}" asked for, and their texts.`;
    lines.push(`${done} It cannot be run or written again.`);
  }
  if (inDoubt > 0)
    lines.push(
      `${plural(inDoubt, 'row')} ${form(inDoubt, 'stays as it is: it', 'stay as they are: they')} may have been charged, or ${form(inDoubt, 'its job', 'their jobs')} may still end.`,
    );
  return [...lines, 'Its bill stays: outcomes, requests, charges. Its name stays taken.'];
}

type CleanEnd = Awaited<ReturnType<typeof cleanHere>>;
type BatchRecord = Awaited<ReturnType<typeof chooseBatch>>;

/** Returns the error for a batch that cannot be cleaned. */
function cleanRefusal(end: Exclude<CleanEnd, Cleaned>, batch: BatchRecord): ExitError {
  const word = shellWord(batch.name);
  if (end.type === 'not-closed') {
    return new ExitError(
      'usage',
      `Batch "${batch.name}" is not finished. Nothing was removed. Continue it: ${goOnCommand(batch)}. Or stop it: voxbatch stop ${word}`,
    );
  }
  const rows = plural(end.rows, 'row');
  return new ExitError(
    'usage',
    `${rows} of batch "${batch.name}" ended unknown or overdue, and what they asked for is needed to settle them. Nothing was removed. ` +
      `Settle them: voxbatch reconcile ${word}. Its media alone can be removed: voxbatch clean ${word} --media`,
    { next: `voxbatch reconcile ${word}` },
  );
}
