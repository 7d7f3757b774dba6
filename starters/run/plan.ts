import type { RunContext } from '../command-context.ts';
import { readAccount } from '../../client/account/account-functions.ts';
import { planRun as planUseCase, type PlanEvent } from '../../client/run/plan.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { readApiAccess, readApiUrl, readSettings } from '../connect/settings.ts';
import { isUnconfirmed } from '../trust/confirmed-settings.ts';
import { nextAfterPlan } from './next-after-plan.ts';
import { openTyped, sayLedgerBeside } from './open-typed.ts';
import { planJson } from './plan-json.ts';
import { planLines } from './plan-report.ts';
import { IDENTIFYING, pricingLines } from './pricing-words.ts';
import { outcomeFileRefusal, refuseProblems, sayWarnings } from './report-problems.ts';
import { reportOptions } from './run-command.ts';
import type { Flags } from '../commands/flags.ts';
import { planRun } from './run-options.ts';

/**
 * `voxbatch plan MANIFEST`: checks and prices a manifest as `run` would. It shows what would be sent and why, what would
 * be left of the balance and of the disk, and whether `run` would start. It reads the file, the settings, the ledger,
 * the profile if an API is set up, the list of voices (free), and what is behind links; it starts and creates nothing.
 * Spends nothing.
 */
export async function plan(manifestPath: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const asked = planRun(manifestPath, flags, settings);
  const apiUrl = readApiUrl(settings, flags);
  const access = (): ReturnType<typeof readApiAccess> => readApiAccess(settings, flags);
  const words = reportOptions(manifestPath, flags);
  const tell = (event: PlanEvent): void => {
    if (event.type === 'checked') sayWarnings(event, output, words);
    else for (const line of event.type === 'identifying' ? [IDENTIFYING] : pricingLines(event)) output.say(line);
  };
  const source = await openTyped(manifestPath);
  try {
    sayLedgerBeside(settings, manifestPath, ['plan'], output);
    const answer = await planUseCase({
      ...{ source, plan: asked, settings, apiUrl, access, tell, yes: flags.yes ?? false },
      readAccount: () => readAccount(access),
    });
    if (answer.type === 'outcome-file') throw outcomeFileRefusal(answer, source.label);
    if (answer.type === 'faulty') throw refuseProblems(answer.summary, source.label, output, words);
    const { view } = answer;
    const { planned, records } = view;
    if (planned.type === 'new' && records !== 'none') sayLedgerBeside(settings, manifestPath, ['plan'], output, true);
    const { unconfirmed } = settings;
    if (flags.json === true) output.data(JSON.stringify(planJson(view, unconfirmed)));
    else for (const line of planLines(view, unconfirmed)) output.data(line);
    const isConfirmed = records !== 'unconfirmed' && !isUnconfirmed(settings, flags);
    const next = nextAfterPlan(view, source, { manifestPath, flags, isUnconfirmed: !isConfirmed });
    if (next !== undefined) output.say(next);
    return 'complete';
  } finally {
    await source.close();
  }
}
