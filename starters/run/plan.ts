import { checkManifest } from '../../inputs/read-manifest.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openTyped } from './open-typed.ts';
import { isOnRecord, isTaken, planManifest } from '../../batches/plan/plan-manifest.ts';
import { identifyAloud } from './identify-aloud.ts';
import { withVoices } from '../../batches/voices/check-voices.ts';
import { NO_VOICES } from '../../client/voices/know-voices.ts';
import { withRecordedReading } from '../../client/run/recorded-reading.ts';
import { openRecordsIfAny } from '../../client/open-records.ts';
import { freeSpace } from '../../store/open-store.ts';
import { probeAloud } from './probe-manifest.ts';
import { readAccount } from '../../client/account/account-functions.ts';
import { outcomeFileRefusal, refuseProblems, sayWarnings } from './report-problems.ts';
import { readApiAccess, readApiUrl, readSettings } from '../connect/settings.ts';
import { withLearntLimits, withTextLimits } from '../../client/parts/text-limits.ts';
import { awaitedRows } from './awaited-rows.ts';
import { planFaultyVoices, planVoices } from './plan-voices.ts';
import type { Output } from '../terminal/output.ts';
import { nextAfterPlan } from './next-after-plan.ts';
import { sayLedgerBeside } from './ledger-beside.ts';
import { planJson } from './plan-json.ts';
import { planLines, reportOf } from './plan-report.ts';
import { reportOptions } from './run-command.ts';
import { planRun, type RunFlags } from './run-options.ts';
import { stepsOnRecord } from './steps-on-record.ts';
import { storeTrouble } from './store-trouble.ts';
import { isUnconfirmed } from '../trust/confirmed-settings.ts';

/**
 * `voxbatch plan MANIFEST`: checks and prices a manifest as `run` would. It shows what would be sent and why, what would
 * be left of the balance and of the disk, and whether `run` would start. It reads the file, the settings, the ledger,
 * the profile if an API is set up, the list of voices (free), and what is behind links; it starts and creates nothing.
 * Spends nothing.
 */
export async function plan(manifestPath: string, flags: RunFlags, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  const asked = planRun(manifestPath, flags, settings);
  const recorded = await withRecordedReading(asked, settings);
  const apiUrl = readApiUrl(settings, flags);
  let runPlan = await withTextLimits(recorded, apiUrl, settings);
  const source = await openTyped(manifestPath);
  sayLedgerBeside(settings, manifestPath, ['plan'], output);
  const ledger = await openRecordsIfAny(settings);
  try {
    const { budget } = runPlan.settings;
    let checked = await checkManifest(source, runPlan.manifest, budget);
    if (checked.type === 'outcome-file') throw outcomeFileRefusal(checked, source.label);
    const words = reportOptions(manifestPath, flags);
    if (checked.type === 'faulty') {
      const faulty = { summary: checked.summary, options: runPlan.manifest };
      throw refuseProblems(await planFaultyVoices(settings, flags, faulty), source.label, output, words);
    }
    const { account, balance } = await readAccount(() => readApiAccess(settings, flags));
    if (await isTaken({ ...runPlan, checked, ledger, account })) {
      const anew = await withLearntLimits(recorded, apiUrl, settings);
      const again = await checkManifest(source, anew.manifest, budget);
      // A text that is too long is no reason to say so instead of the name, which run refuses first.
      if (again.type === 'sound') [runPlan, checked] = [anew, again];
    }
    sayWarnings(checked.summary, output, words);
    const priced = runPlan.probe ? await probeAloud(source, checked, { budget, apiUrl, output }) : checked;
    const [free, known] = await Promise.all([
      freeSpace(settings.store),
      (await isOnRecord(ledger, runPlan.name, checked)) ? NO_VOICES : planVoices(settings, flags, checked, ledger),
    ]);
    if (known.type === 'faulty') throw refuseProblems(known.summary, source.label, output, words);
    const { warnings: ofVoices } = known;
    sayWarnings(known, output);
    const request = {
      ...runPlan,
      ...{ source, checked: withVoices(priced, known), ledger, account, identify: identifyAloud(output) },
    };
    const planned = await planManifest(request);
    if (planned.type === 'new' && ledger !== undefined) sayLedgerBeside(settings, manifestPath, ['plan'], output, true);
    const done = planned.type === 'new' ? undefined : await ledger?.counts(runPlan.name);
    const disk = { free, store: settings.store };
    const awaited = awaitedRows(priced.summary.voices, known.voices);
    const facts = {
      ...{ manifest: source.label, plan: runPlan, checked: priced.summary, planned, ofVoices, awaited, balance, disk },
      unconfirmed: settings.unconfirmed,
    };
    const report = reportOf({ ...facts, counts: done, yes: flags.yes ?? false });
    if (flags.json === true) output.data(JSON.stringify(planJson(report)));
    else for (const line of planLines(report)) output.data(line);
    const next = nextAfterPlan(report, source, {
      ...{ manifestPath, flags },
      steps: await stepsOnRecord(ledger, planned, runPlan.out),
      storeTrouble: await storeTrouble(settings, ledger),
      isUnconfirmed: isUnconfirmed(settings, flags, ledger),
    });
    if (next !== undefined) output.say(next);
    return 'complete';
  } finally {
    await ledger?.close();
    await source.close();
  }
}
