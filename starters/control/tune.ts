import { printAnswer, type RunContext } from '../terminal/output.ts';
import { nextCommand } from '../../contract/shell-word.ts';
import { workCommand } from '../../client/status/continue-command.ts';
import { viewTuned } from '../../client/control/control-view.ts';
import { readTuned, tuneBatch, type Tuned } from '../../client/control/control-batch.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { isLedgerUnconfirmed } from '../../client/trust/known-ledgers.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { withLedger } from '../connect/settings.ts';
import type { Flags } from '../commands/flags.ts';
import { readTuning } from '../commands/tuning-flags.ts';
import { commandLine, number } from '../terminal/words.ts';
import { stepWords } from '../terminal/next-steps.ts';
import { stateWord } from '../terminal/status-words.ts';
import { tableLines } from '../terminal/table.ts';
import { flagOf, tunableLines } from '../terminal/tunable-words.ts';
import { CONFIRM_FIRST } from '../trust/member-words.ts';

/**
 * `voxbatch tune [BATCH] …`: changes the given settings and prints the current values; without flags it only prints.
 * See `client/control/control-batch.ts`.
 */
export async function tune(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withLedger<ExitName>(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    const tuning = readTuning(flags);
    const isChange = Object.keys(tuning).length > 0;
    const isNotified =
      isChange && (await tuneBatch({ settings, ledger, batch, tuning, reason: flags.reason, say: output.say }));
    const isCluster = settings.cluster !== undefined;
    const tuned = await readTuned(settings, ledger, batch.name);
    printAnswer(output, flags, viewTuned(tuned), () => tunedLines(tuned, batch.settings));
    if (isChange) {
      const lines = isLedgerUnconfirmed(settings, ledger)
        ? [CONFIRM_FIRST]
        : effectLines(tuned, { isNotified, isCluster });
      for (const line of lines) output.say(line);
    }
    return 'complete';
  });
}

/** A table of the current values, with the former ones where they differ. */
function tunedLines({ batch, money: { budgetLeft } }: Tuned, before: Tuned['batch']['settings']): readonly string[] {
  const old = tunableLines(before);
  const lines = tunableLines(batch.settings).map((line, at) => ({ ...line, old: old[at]?.value ?? '' }));
  const value = ({ name, value, old }: (typeof lines)[number]): string =>
    value +
    (name === 'budget' && budgetLeft !== null ? `, ${number(budgetLeft)} left` : '') +
    (old === value ? '' : ` (was ${old})`);
  const columns = [
    { title: 'flag', value: ({ name }: (typeof lines)[number]) => flagOf(name) },
    { title: 'current value', value },
    { title: 'meaning', value: ({ meaning }: (typeof lines)[number]) => meaning },
  ];
  const table = tableLines(columns, lines).map((line) => `  ${line}`);
  return [`Batch "${batch.name}": ${stateWord(batch)}`, ...table];
}

/** Returns when a change takes effect, and the next command if one is needed. `isNotified`: a worker has the change. */
function effectLines(
  { batch, money, next }: Tuned,
  { isNotified, isCluster }: { readonly isNotified: boolean; readonly isCluster: boolean },
): readonly string[] {
  if (batch.state === 'closed')
    return ['The batch is finished. This applies to rows that you send from now on.', ...next.map(stepWords)];
  if (batch.control === 'stopping') return ['The batch is stopping. This applies only to rows that you redrive later.'];
  if (batch.control === 'paused') {
    const resume = commandLine(nextCommand('resume', batch.name));
    return [`The batch is paused. This applies when it continues: ${resume}`];
  }
  return [
    isNotified
      ? 'Applies from the next request on. Rows in flight are not affected.'
      : `The batch has no worker now. This applies when it continues: ${commandLine(workCommand(batch, isCluster))}`,
    ...(money.budgetLeft === 0 ? ['The budget is used up. Unsent rows end skipped.'] : []),
  ];
}
