import { shellWord } from '../../contract/shell-word.ts';
import type { PlanView } from '../../client/run/plan-view.ts';
import { ExitError } from '../exit-error.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import { nextSteps } from '../terminal/next-steps.ts';
import { shortPath } from '../../client/look/command-args.ts';
import { nameTakenText } from '../terminal/name-taken.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { manifestCommand } from './run-command.ts';
import type { Flags } from '../commands/flags.ts';

const UNSPENT = 'Nothing was sent. Nothing was spent.';

/** What a next command depends on besides the report. */
interface Asked {
  readonly manifestPath: string;
  readonly flags: Flags;
  /** `run` would first ask for a confirmation of what may have come with the folder; from its ledger nothing is advised. */
  readonly isUnconfirmed: boolean;
}

/** What to do after a plan, with a command that works; undefined where the report itself says why none does. */
export function nextAfterPlan(
  view: PlanView,
  source: Parameters<typeof nameTakenText>[1],
  { manifestPath, flags, isUnconfirmed }: Asked,
): string | undefined {
  const { planned, decision } = view;
  const run = manifestCommand('run', manifestPath, flags);
  if (isUnconfirmed && (planned.type === 'taken' || decision.type !== 'refuse'))
    return `${UNSPENT} Some of what may have come with this folder is not confirmed yet. Look at it, and confirm it: voxbatch trust. Then: ${run}`;
  const storeTrouble = storeWords(view);
  if (storeTrouble !== undefined) return `run refuses this (exit code 2). ${storeTrouble}`;
  if (planned.type === 'taken') {
    const commandAs = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
    return `run refuses this (exit code 2). ${nameTakenText(planned.name, source, commandAs)}`;
  }
  if (decision.type === 'refuse') return undefined;
  if (planned.type === 'new') return `${UNSPENT} To run it: ${run}`;
  const { batch, left } = planned;
  if (view.isCleaned)
    return `${UNSPENT} What its rows asked for was removed, so it can neither be run again nor written.`;
  const word = shellWord(batch.name);
  const { rows } = left.overBudget;
  const larger = { ...flags, budget: planned.enough === null ? 'none' : String(planned.enough) };
  const over =
    rows === 0
      ? ''
      : ` To send the ${rowsInWords(rows)} over the budget, too: ${manifestCommand('run', manifestPath, larger)}`;
  if (batch.control === 'paused' && batch.state === 'open')
    return `${UNSPENT} It is paused. To continue it: voxbatch resume ${word}.${over}`;
  if (batch.state === 'open' || left.rows > 0) return `${UNSPENT} To continue it: ${run}.${over}`;
  const again = `${UNSPENT} Running it again sends nothing and writes its files: ${run}.${over}`;
  return [again, ...stepsOnRecord(view, left.overBudget.rows > 0).map((step) => `  ${step}`)].join('\n');
}

/** Why `run` would refuse the store, with what to do. A disk that cannot be read is met by whoever needs it. */
function storeWords({ storeProblem }: PlanView): string | undefined {
  const error = exitErrorOf(storeProblem);
  return error instanceof ExitError && error.exit === 'usage' ? error.message : undefined;
}

/**
 * What can be done about the rows of a finished batch, as its summary says it. `saysOver`: without what a plan says itself, how to send rows over
 * the budget.
 */
function stepsOnRecord({ finished, plan }: PlanView, saysOver: boolean): readonly string[] {
  if (finished === undefined) return [];
  return nextSteps({ ...finished, out: shortPath(plan.out) }, saysOver ? ['skipped'] : []);
}
