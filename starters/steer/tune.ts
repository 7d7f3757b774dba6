import { tuneBatch } from '../../client/steer/tune-batch.ts';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { gatherLeftovers } from '../../batches/look/leftovers.ts';
import { isStranger } from '../../client/trust/known-ledgers.ts';
import { CONFIRM_FIRST } from '../trust/stranger-words.ts';
import { goOnCommand } from '../terminal/go-on-command.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { atLedger } from '../at-ledger.ts';
import { budgetLeft } from '../../policy/money/budget.ts';
import { budgetJson } from '../terminal/money.ts';
import { nextSteps } from '../terminal/next-steps.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/words.ts';
import { standingOf } from '../terminal/status.ts';
import { tableLines } from '../terminal/table.ts';
import { flagOf, tunableLines, tunablesJson } from '../terminal/tunable-words.ts';
import { readTuning, type TuningFlags } from '../commands/tuning-flags.ts';

export interface TuneFlags extends TuningFlags {
  readonly json?: boolean;
}

/**
 * `voxbatch tune [BATCH] …`: changes the given settings and prints the current values; without flags it only prints.
 * See `client/steer/tune-batch.ts`.
 */
export async function tune(name: string | undefined, flags: TuneFlags, output: Output): Promise<ExitName> {
  return atLedger<ExitName>(async (ledger, settings) => {
    const before = await chooseBatch(ledger, name);
    const tuning = readTuning(flags);
    const isChange = Object.keys(tuning).length > 0;
    const change = { settings, ledger, batch: before, tuning, say: output.say };
    const told = isChange && (await tuneBatch(change));
    const after = await chooseBatch(ledger, before.name);
    await print(ledger, before, after, flags, output);
    if (isChange) {
      const lines = isStranger(settings, ledger) ? [CONFIRM_FIRST] : await effects(ledger, after, told);
      for (const line of lines) output.say(line);
    }
    return 'complete';
  });
}

async function print(
  ledger: Ledger,
  before: BatchRecord,
  after: BatchRecord,
  flags: TuneFlags,
  output: Output,
): Promise<void> {
  const money = await ledger.money(after.name);
  if (flags.json === true) {
    const { name: batch, state, control, halted, settings } = after;
    const facts = { batch, state, control, halted, ...tunablesJson(settings), ...budgetJson(money, settings.budget) };
    output.data(JSON.stringify(facts));
    return;
  }
  output.data(`Batch "${after.name}": ${standingOf(after)}`);
  const old = tunableLines(before.settings);
  const lines = tunableLines(after.settings).map((line, at) => ({ ...line, old: old[at]?.value ?? '' }));
  const left = budgetLeft(money, after.settings.budget);
  const value = ({ name, value, old }: (typeof lines)[number]): string =>
    value +
    (name === 'budget' && left !== null ? `, ${number(left)} left` : '') +
    (old === value ? '' : ` (was ${old})`);
  const columns = [
    { title: 'flag', value: ({ name }: (typeof lines)[number]) => flagOf(name) },
    { title: 'current value', value },
    { title: 'meaning', value: ({ meaning }: (typeof lines)[number]) => meaning },
  ];
  for (const line of tableLines(columns, lines)) output.data(`  ${line}`);
}

async function stepsAfter(ledger: Ledger, batch: BatchRecord): Promise<readonly string[]> {
  const [counts, money] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  return nextSteps({ batch, counts, money, leftovers, out: defaultOut(batch.name) });
}

/** When the change takes effect, and the next command if one is needed. */
async function effects(ledger: Ledger, batch: BatchRecord, told: boolean): Promise<readonly string[]> {
  const name = shellWord(batch.name);
  if (batch.state === 'closed')
    return ['The batch is finished. This applies to rows that you redrive.', ...(await stepsAfter(ledger, batch))];
  if (batch.control === 'stopping') return ['The batch is stopping. This applies only to rows that you redrive later.'];
  if (batch.control === 'paused')
    return [`The batch is paused. This applies when it continues: voxbatch resume ${name}`];
  const lines = told
    ? ['Applies from the next request on. Rows in flight are not affected.']
    : [`The batch has no worker now. This applies when it continues: ${goOnCommand(batch)}`];
  const { budget } = batch.settings;
  if (budgetLeft(await ledger.money(batch.name), budget) === 0)
    lines.push('The budget is used up. Unsent rows end skipped.');
  return lines;
}
