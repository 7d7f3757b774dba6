import { backUp } from '../../client/backup/back-up.ts';
import type { BackupView } from '../../client/backup/backup-view.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { form, number, plural, size } from '../terminal/words.ts';

/** `voxbatch backup FOLDER`: copies the ledger and its media, while batches run. */
export async function backup(folder: string, flags: Flags, { output, atFaultPoint }: RunContext): Promise<ExitName> {
  const view = await backUp({
    folder,
    settings: await readSettings(),
    atMoment: atFaultPoint && ((moment) => atFaultPoint(`backup-${moment}`)),
  });
  if (view.wasInterrupted)
    output.say(
      `An earlier backup to ${view.folder} did not end. ${view.replaces === null ? 'It had left no whole one.' : `The one of ${view.replaces} stayed whole until now.`}`,
    );
  printAnswer(output, flags, view, () => linesFor(view));
  return 'complete';
}

function linesFor({ folder, madeAt, ledgerFile, batches, open, rows, media, replaces }: BackupView): readonly string[] {
  const { files, bytes, newFiles, newBytes, missing, damaged } = media;
  const ledger = `ledger (${size(ledgerFile.bytes)}; ${plural(batches, 'batch', 'batches')}, ${number(open)} open, ${plural(rows, 'row')})`;
  const newMedia =
    replaces === null ? '' : `, of which ${number(newFiles)} (${size(newBytes)}) ${form(newFiles, 'is', 'are')} new`;
  return [
    media.isCopied
      ? `Backed up to ${folder}: the ${ledger} of ${madeAt}, and ${plural(files, 'file')} of media (${size(bytes)})${newMedia}.`
      : `Backed up to ${folder}: the ${ledger} of ${madeAt}. Media are in ${media.store}, and not in it: keep versions of that bucket.`,
    ...(damaged > 0
      ? [
          `${plural(damaged, 'file')} in ${media.store} ${form(damaged, 'is', 'are')} not as the ledger has recorded. The backup keeps what it had of ${form(damaged, 'it', 'them')}. Look at each batch: voxbatch verify BATCH`,
        ]
      : []),
    ...(missing > 0
      ? [
          `${plural(missing, 'file')} that the ledger names ${form(missing, 'is', 'are')} in neither the store nor the backup. What jobs still give is fetched again, free: voxbatch redrive BATCH --damaged`,
        ]
      : []),
  ];
}
