import { checkLedgerHere } from '../../client/ledger/check.ts';
import type { LedgerCheckView } from '../../client/ledger/ledger-view.ts';
import { differenceWords } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { batchLines } from './sums-words.ts';

/** `voxbatch ledger check`: counts all again, and compares it with what the ledger keeps. */
export async function check(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const view = await checkLedgerHere(await readSettings());
  printAnswer(output, flags, view, () => checkLines(view));
  return view.differences.length === 0 ? 'complete' : 'mismatch';
}

function checkLines({ ledger, batches, differences }: LedgerCheckView): readonly string[] {
  if (differences.length === 0)
    return [...batchLines(batches), `The ledger ${ledger} adds up: what it keeps is what its rows and charges say.`];
  return [
    `The ledger ${ledger} does not add up. Counted from its rows and charges, and what it keeps:`,
    ...differences.map((difference) => `  ${differenceWords(difference)}`),
    'Results, requests and charges are as they are on record; only counts and sums shown of these batches are wrong. Restore it from a backup, or report this.',
  ];
}
