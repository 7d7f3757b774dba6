import { jsonLine, printAnswer, type RunContext } from '../terminal/output.ts';
import { chosenOf, endsOf, resultsOf, viewMoney } from '../../client/status/counts-view.ts';
import { listBatches, readStatus, type BatchHere, type BatchList } from '../../client/status/status.ts';
import { viewListed, viewStatus } from '../../client/status/status-view.ts';
import { VoxbatchError } from '../../client/problem.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { withLedger } from '../connect/settings.ts';
import { noLedgerAdvice, usageError } from '../exit-error.ts';
import { stateWord, statusLines } from '../terminal/status-words.ts';
import { tableLines } from '../terminal/table.ts';
import { number, plural } from '../terminal/words.ts';

/**
 * `voxbatch status [BATCH]`: shows a batch's status and exits with its exit code; 75 while it is not finished or a hook
 * is undelivered.
 */
export async function status(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const found = await withLedger((ledger, settings) => readStatus(ledger, settings, name));
  printAnswer(output, flags, viewStatus(found), () => statusLines(found, Date.now()));
  return found.exit;
}

/**
 * `voxbatch list`: the batches of the ledger, the newest first, and how many single jobs there are. A home without a
 * ledger has none, which is no error.
 */
export async function list({ all, single, json }: Flags, { output }: RunContext): Promise<ExitName> {
  if (all === true && single === true) throw usageError('--all cannot be combined with --single.');
  const singleOrBatches = single === true ? 'single' : 'batches';
  const which = all === true ? 'all' : singleOrBatches;
  const { batches, hidden, place } = await withLedger(async (ledger, settings) => ({
    ...(await listBatches(ledger, settings, which)),
    place: settings.ledger,
  })).catch((error: unknown): BatchList & { readonly place: string } => {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger')
      return { batches: [], hidden: 0, place: error.problem.ledger };
    throw error;
  });
  if (json === true) {
    output.data(jsonLine(batches.map(viewListed)));
    return 'complete';
  }
  if (batches.length > 0) for (const line of tableLines(COLUMNS, batches)) output.data(line);
  else if (which === 'single') output.say('There is no single job here yet. Start one: voxbatch say TEXT --voice ID');
  else output.say(`There is no batch here yet. ${noLedgerAdvice(place)}`);
  if (hidden > 0) output.say(`and ${plural(hidden, 'single job')}: voxbatch list --single`);
  return 'complete';
}

/** Returns the outcomes of rows without a usable result, such as `2 failed, 6 skipped`; empty if there are none. */
function withoutResult({ counts }: BatchHere): string {
  return endsOf(counts)
    .flatMap(([outcome, rows]) => (hasResult(outcome) ? [] : [`${number(rows)} ${outcome}`]))
    .join(', ');
}

const COLUMNS = [
  { title: 'batch', value: ({ batch }: BatchHere) => batch.name },
  { title: 'state', value: ({ batch, isDeserted }: BatchHere) => stateWord(batch, isDeserted) },
  {
    title: 'done',
    value: ({ counts }: BatchHere) => `${number(resultsOf(counts))}/${number(chosenOf(counts))}`,
    align: 'right',
  },
  { title: 'without a result', value: withoutResult },
  {
    title: 'credits',
    value: ({ money }: BatchHere) => `${viewMoney(money, null).isEstimate ? '~' : ''}${number(money.charged)}`,
    align: 'right',
  },
  { title: 'created (UTC)', value: ({ batch }: BatchHere) => new Date(batch.createdAt).toISOString().slice(0, 16) },
] as const;
