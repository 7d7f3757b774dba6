import { checkManifest } from '../../inputs/read-manifest.ts';
import { spendFacts } from '../../batches/bill-lines.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import { decideSpend } from '../../policy/spend.ts';
import { freeSpace } from '../../store/open-store.ts';
import { probeAloud } from './probe-manifest.ts';
import { readBalance } from '../account/read-balance.ts';
import { outcomeFileRefusal, refuseProblems, sayWarnings } from './report-problems.ts';
import { readSettings } from '../connect/settings.ts';
import { warnOfUnknownVoices } from './unknown-voices.ts';
import type { Output } from '../terminal/output.ts';
import { planJson, planLines, type PlanReport } from './plan-report.ts';
import { manifestCommand, reportOptions } from './run-command.ts';
import { planRun, type RunFlags } from './run-options.ts';

/**
 * `voxbatch plan MANIFEST`: checks and prices a manifest as `run` would. It shows what would be sent, what would be
 * left of the balance and of the disk, and whether `run` would start. It reads the file, the settings, the profile if
 * an API is set up, the list of voices (free) and, with `--probe`, the media; it starts and creates nothing. Spends
 * nothing.
 */
export async function plan(manifestPath: string, flags: RunFlags, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  const runPlan = planRun(manifestPath, flags, settings);
  const source = await openManifest(manifestPath);
  try {
    const { budget } = runPlan.settings;
    const checked = await checkManifest(source, runPlan.manifest, budget);
    if (checked.type === 'outcome-file') throw outcomeFileRefusal(checked, source.label);
    const words = reportOptions(manifestPath, flags);
    if (checked.type === 'faulty') throw refuseProblems(checked.summary, source.label, output, words);
    sayWarnings(checked.summary, output, words);
    const { summary } = runPlan.probe ? await probeAloud(source, checked, budget, output) : checked;
    const [balance, free, ofVoices] = await Promise.all([
      readBalance(settings, flags),
      freeSpace(settings.store),
      warnOfUnknownVoices(settings, flags, summary.voices),
    ]);
    sayWarnings({ warnings: ofVoices }, output);
    const credits = 'credits' in balance ? balance.credits : null;
    const facts = spendFacts(summary, runPlan, { balance: credits, yes: flags.yes ?? false, canAsk: true });
    const report: PlanReport = {
      manifest: source.label,
      plan: runPlan,
      summary: { ...summary, warnings: [...summary.warnings, ...ofVoices] },
      balance,
      disk: { free, store: settings.store },
      decision: decideSpend(facts),
      facts,
    };
    if (flags.json === true) output.data(JSON.stringify(planJson(report)));
    else for (const line of planLines(report)) output.data(line);
    if (report.decision.type !== 'refuse')
      output.say(`Nothing was sent. Nothing was spent. To run it: ${manifestCommand('run', manifestPath, flags)}`);
    return 'complete';
  } finally {
    await source.close();
  }
}
