import type { BackedUpBatch, RestoreView } from '../../client/backup/backup-view.ts';
import { restoreBackup } from '../../client/backup/restore.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { form, number, plural, rowsInWords, size } from '../terminal/words.ts';

/** `voxbatch restore FOLDER`: puts a backup in place, and lists the rows that it could pay for again. */
export async function restore(folder: string, flags: Flags, { output, atFaultPoint }: RunContext): Promise<ExitName> {
  const view = await restoreBackup({
    folder,
    settings: await readSettings(),
    atMoment: atFaultPoint && ((moment) => atFaultPoint(`restore-${moment}`)),
  });
  printAnswer(output, flags, view, () => linesFor(view));
  return 'complete';
}

/** Batches in the table; `--json` has all. */
const MAX_SHOWN = 20;

function linesFor(view: RestoreView): readonly string[] {
  const { folder, ledger, madeAt, batches, mayPayAgain } = view;
  const open = batches.filter(({ state }) => state !== 'closed');
  const closed = batches.length - open.length;
  const more = open.length - MAX_SHOWN;
  return [
    `Restored from ${folder}: the ledger ${ledger} is as it was at ${madeAt}.`,
    ...mediaLines(view.media),
    `It does not know what was sent since. ${mayPayAgain === 0 ? 'No row of it was open.' : `${rowsInWords(mayPayAgain)} may have been sent since, and would be paid for again:`}`,
    ...(open.length === 0 ? [] : openTable(open)),
    ...(more > 0 ? [`and ${number(more)} more (--json shows all)`] : []),
    `${open.length > 0 ? 'Rows that waited may have been sent since; of rows that ran, a later step or another try. ' : ''}${closed > 0 ? `${plural(closed, 'batch', 'batches')} had ended, and may have been extended or redriven since. ` : ''}Batches that were begun since are not in it.`,
    'Nothing is sent from it until you have accepted it and compared:',
    ...nextCommands(view, open).map(([command, why]) => `  ${command.padEnd(COMMAND_WIDTH)}  # ${why}`),
  ];
}

/** A table of open batches: how many of their rows waited, ran or were in doubt when the backup was made. */
function openTable(open: readonly BackedUpBatch[]): readonly string[] {
  return tableLines<BackedUpBatch>(
    [
      { title: 'batch', value: ({ batch }) => batch },
      { title: 'rows', value: ({ rows }) => number(rows), align: 'right' },
      { title: 'waited', value: ({ waiting }) => number(waiting), align: 'right' },
      { title: 'ran', value: ({ running }) => number(running), align: 'right' },
      { title: 'in doubt', value: ({ inDoubt }) => number(inDoubt), align: 'right' },
    ],
    open.slice(0, MAX_SHOWN),
  );
}

function mediaLines({ isCopied, store, files, newFiles, newBytes, missing }: RestoreView['media']): readonly string[] {
  if (!isCopied) return [`Media stay in ${store}.`];
  return [
    `${plural(files, 'file')} of media, of which ${number(newFiles)} (${size(newBytes)}) ${form(newFiles, 'was', 'were')} not yet in ${store}.`,
    ...(missing > 0
      ? [
          `${plural(missing, 'file')} that the ledger names ${form(missing, 'is', 'are')} not there, or not as recorded. What jobs still give is fetched again, free: voxbatch redrive BATCH --damaged`,
        ]
      : []),
  ];
}

/** Commands are padded to this width, so that their explanations line up. */
const COMMAND_WIDTH = 38;

/** Returns the commands to run after a restore, in order, each with its purpose. */
function nextCommands(
  { isKnown }: RestoreView,
  open: readonly BackedUpBatch[],
): readonly (readonly [command: string, why: string])[] {
  const [only] = open;
  const batch = open.length === 1 && only !== undefined ? shellWord(only.batch) : 'BATCH';
  return [
    ...(isKnown ? [] : [['voxbatch trust', 'this ledger is yours'] as const]),
    ['voxbatch ledger accept-copy', 'pauses all batches and schedules'],
    ['voxbatch ledger compare-store', 'finds rows in the store that were sent since'],
    [`voxbatch reconcile ${batch}`, 'takes their results, free, and names jobs that are only in receipts'],
    [`voxbatch results ${batch}`, 'lists the rows: those with neither _outcome nor _job_ids may have been sent'],
    [
      `voxbatch reconcile ${batch} --adopt ROW=JOB …`,
      'for rows whose jobs you find in your account: fetches them, free',
    ],
    ['voxbatch ledger accept-copy --compared', 'once you have compared these with your account'],
    [`voxbatch resume ${batch}`, 'sends all that are left'],
  ];
}
