import { printAnswer, type RunContext } from '../terminal/output.ts';
import { planRun, type PlanEvent } from '../../client/run/plan.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { isUnconfirmed, readApiAccess, readApiUrl, readSettings } from '../connect/settings.ts';
import { withServeMedia } from '../commands/read-serve-media-flags.ts';
import { openManifestArgument, warnOfNewLedger, warnOfLedgerBeside } from './open-manifest-argument.ts';
import { planLines } from './plan-report.ts';
import { IDENTIFYING, pricingLines } from './pricing-words.ts';
import { outcomeFileRefusal, refuseProblems, printWarnings } from './report-problems.ts';
import { reportOptions, manifestCommand, readRunFlags } from './run-options.ts';
import type { Flags } from '../commands/flags.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { messageOf } from '../../contract/message-of.ts';
import { decideRunStart, type RunStart } from '../../client/run/run-start.ts';
import { viewPlan, type PlanView } from '../../client/run/plan-view.ts';
import { shortPath } from '../../client/status/continue-command.ts';
import { UNSPENT, refusalText } from '../terminal/spend-words.ts';
import type { nameTakenText } from '../terminal/name-taken.ts';
import { rowsInWords } from '../terminal/words.ts';

/**
 * `voxbatch plan MANIFEST`: checks and prices a manifest as `run` would, and shows what would be sent, what would be
 * left of balance and disk, and whether `run` would start. Reads the ledger, and if an API is configured the profile,
 * the list of voices and the media behind links. Starts, creates and spends nothing.
 */
export async function plan(manifestPath: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = withServeMedia(await readSettings(), flags);
  const runPlan = await readRunFlags(manifestPath, flags, settings);
  const apiUrl = readApiUrl(settings, flags);
  const access = (): ReturnType<typeof readApiAccess> => readApiAccess(settings, flags);
  const report = reportOptions(manifestPath, flags);
  const print = (event: PlanEvent): void => {
    if (event.type === 'checked') printWarnings(event, output, report);
    else for (const line of event.type === 'identifying' ? [IDENTIFYING] : pricingLines(event)) output.say(line);
  };
  const source = await openManifestArgument(manifestPath, flags);
  try {
    warnOfLedgerBeside(settings, manifestPath, ['plan'], output);
    warnOfNewLedger(settings, output);
    const answer = await planRun({
      source,
      plan: runPlan,
      settings,
      apiUrl,
      access,
      onEvent: print,
      yes: flags.yes ?? false,
      readAccount: async () => (await import('../../client/account/account-functions.ts')).readAccount(access),
    });
    if (answer.type === 'outcome-file') throw outcomeFileRefusal(answer, source.label);
    if (answer.type === 'faulty') throw refuseProblems(answer.summary, source.label, output, report);
    const { view } = answer;
    const { planned, records } = view;
    if (planned.type === 'new' && records !== 'none')
      warnOfLedgerBeside(settings, manifestPath, ['plan'], output, true);
    const { unconfirmed } = settings;
    const commandNamed = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
    const refusal = await refusalWords(decideRunStart(view), view, source, commandNamed);
    printAnswer(output, flags, viewPlan(view, refusal, unconfirmed), () => planLines(view, unconfirmed));
    const isConfirmed = records !== 'unconfirmed' && !isUnconfirmed(settings, flags);
    const next = await nextAfterPlan(view, refusal, { manifestPath, flags, isUnconfirmed: !isConfirmed });
    if (next !== undefined) output.say(next);
    return 'complete';
  } finally {
    await source.close();
  }
}

/** What the next command depends on besides the report. */
interface PlanCommand {
  readonly manifestPath: string;
  readonly flags: Flags;
  /**
   * Whether `run` would first ask the user to confirm the folder's config or ledger. A ledger that is not confirmed may
   * be somebody else's, so no advice is made from it.
   */
  readonly isUnconfirmed: boolean;
}

/**
 * Returns what to do after a plan, with a command that works; undefined if the report says itself why none does.
 *
 * @param refusal why `run` would refuse
 */
async function nextAfterPlan(
  view: PlanView,
  refusal: string | null,
  { manifestPath, flags, isUnconfirmed }: PlanCommand,
): Promise<string | undefined> {
  const { planned } = view;
  const start = decideRunStart(view);
  const isSpend = start.type === 'refuse' && start.why === 'spend';
  const run = manifestCommand('run', manifestPath, flags);
  if (isUnconfirmed && !isSpend)
    return `${UNSPENT} Some of what may have come with this folder is not confirmed yet. Look at it, and confirm it: voxbatch trust. Then: ${run}`;
  // The report has the refusal and what to do about it.
  if (isSpend) return undefined;
  if (start.type === 'refuse' || planned.type === 'taken') return `run refuses this (exit code 2). ${refusal ?? ''}`;
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
  return [again, ...(await stepsOnRecord(view, left.overBudget.rows > 0)).map((step) => `  ${step}`)].join('\n');
}

/** Returns why `run` would refuse, and what to do; null if it would not. */
async function refusalWords(
  start: RunStart,
  { facts }: Pick<PlanView, 'facts'>,
  source: Parameters<typeof nameTakenText>[1],
  commandNamed: (name: string) => string,
): Promise<string | null> {
  if (start.type !== 'refuse') return null;
  switch (start.why) {
    case 'place':
      return messageOf((await import('../exit-of-problem.ts')).exitErrorOf(start.problem));
    case 'taken':
      return (await import('../terminal/name-taken.ts')).nameTakenText(start.name, source, commandNamed);
    case 'spend':
      return refusalText(start.spend, facts);
  }
}

/**
 * Returns what can be done about the rows of a finished batch, as in its summary. `skipsOverBudget`: leave out rows
 * over the budget, because the plan has advice of its own about them.
 */
async function stepsOnRecord({ finished, plan }: PlanView, skipsOverBudget: boolean): Promise<readonly string[]> {
  if (finished === undefined) return [];
  const { nextSteps } = await import('../terminal/next-steps.ts');
  return nextSteps({ ...finished, out: shortPath(plan.out) }, skipsOverBudget ? ['skipped'] : []);
}
