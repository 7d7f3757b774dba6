import type { ExitName } from '../../contract/exit-codes.ts';
import { VoxbatchError } from '../../client/problem.ts';
import { hasResult, RESULT_OUTCOMES } from '../../contract/outcomes.ts';
import { isChargeEstimated } from '../../policy/money/budget.ts';
import { isSingle } from '../../batches/single/single-job.ts';
import { atLedger } from '../at-ledger.ts';
import { usageError } from '../exit-error.ts';
import { viewHere, type LocalView } from './view-here.ts';
import type { Output } from '../terminal/output.ts';
import { NO_LEDGER_ADVICE } from '../terminal/no-ledger-advice.ts';
import { endsOf } from '../terminal/outcome-words.ts';
import { chosenOf, doneOf } from '../terminal/progress.ts';
import { number } from '../terminal/words.ts';
import { batchJson, standingOf } from '../terminal/status.ts';
import { tableLines } from '../terminal/table.ts';

export interface ListFlags {
  /** Single jobs, too. */
  readonly all?: boolean;
  /** Nothing but single jobs. */
  readonly single?: boolean;
  readonly json?: boolean;
}

/**
 * `voxbatch list`: the batches of the ledger, the newest first. Single jobs are only counted unless they are asked for:
 * hundreds of them would bury the batches. A home without a ledger has none, which is no error.
 */
export async function list(flags: ListFlags, output: Output): Promise<ExitName> {
  if (flags.all === true && flags.single === true) throw usageError('--all cannot be combined with --single.');
  try {
    return await listLedger(flags, output);
  } catch (error) {
    if (!(error instanceof VoxbatchError) || error.problem.type !== 'no-ledger') throw error;
    show([], 0, flags, output);
    return 'complete';
  }
}

function listLedger(flags: ListFlags, output: Output): Promise<ExitName> {
  return atLedger<ExitName>(async (ledger, settings) => {
    const batches = (await ledger.listBatches()).toSorted((a, b) => b.createdAt - a.createdAt);
    const shown = batches.filter((batch) => flags.all === true || isSingle(batch) === (flags.single === true));
    const views: LocalView[] = [];
    for (const { name } of shown) views.push(await viewHere(ledger, settings, name));
    const hidden = flags.single === true ? 0 : batches.length - shown.length;
    show(views, hidden, flags, output);
    return 'complete';
  });
}

function show(views: readonly LocalView[], hidden: number, { json, single }: ListFlags, output: Output): void {
  if (json === true) {
    output.data(JSON.stringify(views.map(batchJson)));
    return;
  }
  if (views.length > 0) for (const line of tableLines(COLUMNS, views)) output.data(line);
  else if (single === true) output.say('There is no single job here yet. Start one: voxbatch say TEXT --voice ID');
  else output.say(`There is no batch here yet. ${NO_LEDGER_ADVICE}`);
  if (hidden > 0) output.say(`and ${number(hidden)} single ${hidden === 1 ? 'job' : 'jobs'}: voxbatch list --single`);
}

/** `2 failed, 6 skipped`: every outcome that left rows without a result that passed; empty if none did. */
function withoutResult({ counts }: LocalView): string {
  return endsOf(counts)
    .flatMap(([word, rows]) => (hasResult(word) ? [] : [`${number(rows)} ${word}`]))
    .join(', ');
}

const COLUMNS = [
  { title: 'batch', value: ({ batch }: LocalView) => batch.name },
  { title: 'state', value: ({ batch, isDeserted }: LocalView) => standingOf(batch, isDeserted) },
  {
    title: 'done',
    value: ({ counts }: LocalView) => `${number(doneOf(counts))}/${number(chosenOf(counts))}`,
    align: 'right',
  },
  {
    title: 'with a result',
    value: ({ counts: { outcomes } }: LocalView) =>
      number(RESULT_OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0)),
    align: 'right',
  },
  { title: 'without a result', value: withoutResult },
  {
    title: 'credits',
    value: ({ money }: LocalView) => `${isChargeEstimated(money) ? '~' : ''}${number(money.charged)}`,
    align: 'right',
  },
  { title: 'created (UTC)', value: ({ batch }: LocalView) => new Date(batch.createdAt).toISOString().slice(0, 16) },
] as const;
