import { copyLedgerTo, type CopyForecast } from '../../client/ledger/copy-ledger.ts';
import type { LedgerCopyView } from '../../client/ledger/ledger-view.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { exportLedgerCommand } from '../../contract/shell-word.ts';
import { isLedgerFile } from '../../contract/urls.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { personAt } from '../person.ts';
import { askYesNo, type Ask } from '../terminal/ask.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { number, plural } from '../terminal/words.ts';
import { admittance } from '../trust/confirm.ts';
import { batchLines } from './sums-words.ts';

/** Records of the database (`lines`) between two progress messages. */
const PROGRESS_INTERVAL = 250_000;

/** `voxbatch ledger copy FROM TO`: shows what it will move, asks, and moves it. */
export async function copy(
  from: string,
  to: string,
  flags: Flags,
  { output, atFaultPoint }: RunContext,
  ask: Ask = askYesNo,
): Promise<ExitName> {
  const settings = await readSettings();
  const person = personAt(output, flags);
  let lastPrinted = 0;
  const view = await copyLedgerTo({
    from,
    to,
    settings,
    admit: (ledger) => {
      // Only a ledger file can come with a folder of somebody else; a database was named by the user.
      const isLedgerNamed = settings.isLedgerNamed || !isLedgerFile(ledger.place);
      return admittance({ ...settings, ledger: ledger.place, isLedgerNamed }, flags, output)(ledger);
    },
    confirm: async (forecast) => {
      output.say(forecastWords(forecast));
      if (person.yes) return;
      if (!person.canAsk)
        throw new ExitError(
          'refused',
          'Not confirmed, and there is no terminal to ask on. Nothing was moved. Add --yes.',
        );
      if (!(await ask('Move it?'))) throw new ExitError('refused', 'Not confirmed. Nothing was moved.');
    },
    onProgress: ({ type, lines, total }) => {
      // Fewer than before: comparing has begun after copying.
      if (lines - lastPrinted < PROGRESS_INTERVAL && lines >= lastPrinted) return;
      lastPrinted = lines;
      output.say(`${type === 'copying' ? 'Copied' : 'Compared'} ${number(lines)} of ${number(total)} lines.`);
    },
    atMoment: atFaultPoint && ((moment) => atFaultPoint(`copy-${moment}`)),
  });
  printAnswer(output, flags, view, () => copyLines(view));
  output.say('Nothing was spent.');
  return 'complete';
}

function forecastWords({ from, to, batches, open, rows }: CopyForecast): string {
  return (
    `The ledger ${from} moves to ${to}: ${plural(batches, 'batch', 'batches')} (${number(open)} open), ${plural(rows, 'row')}. ` +
    'From then on it takes no work at the old place.'
  );
}

function copyLines({ from, to, result, batches, lines }: LedgerCopyView): readonly string[] {
  const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
  const goOn = `Work goes on there: ${exportLedgerCommand(to)}`;
  switch (result) {
    case 'copied':
      return [
        ...batchLines(batches),
        `${plural(total, 'line')} of ${plural(lines.size, 'table')}, and all counts and sums, are the same on both sides.`,
        `The ledger ${from} has moved to ${to}. ${goOn}`,
      ];
    case 'completed':
      return [`The ledger ${from} had been copied to ${to} before, which is open now. ${goOn}`];
    case 'already':
      return [`The ledger ${from} moved to ${to} before. There was nothing left to do. ${goOn}`];
  }
}
