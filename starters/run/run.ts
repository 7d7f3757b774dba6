import { shellWord } from '../../contract/shell-word.ts';
import { chosenOf, resultsOf } from '../../client/status/counts-view.ts';
import { existsSync } from 'node:fs';
import { checkRun } from '../../client/run/check-run.ts';
import { readBatchState } from '../../client/results/write-files.ts';
import { recordBatch, type Recorded, type RecordEvent } from '../../client/run/record-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { isLog, type RunContext, type Output } from '../terminal/output.ts';
import { readApiAccess, readApiUrl } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { chosenInWords, rowsInWords, number } from '../terminal/words.ts';
import { describeTuning } from '../terminal/tunable-words.ts';
import { runSampleFirst } from './after-sample.ts';
import { finishRun } from './finish-run.ts';
import { warnOfLedgerBeside } from './open-manifest-argument.ts';
import { billError, moreLines, pricingLines } from './pricing-words.ts';
import { refuseProblems, printWarnings } from './report-problems.ts';
import { manifestCommand, reportOptions, type RunPlan, type RunRequest } from './run-options.ts';
import { finishClosed, workOnBatch } from './work-on-batch.ts';

const RESUBMIT_WITHOUT_BATCH =
  '--resubmit is only for outcome files (unknown.csv, overdue.csv …). Nothing was sent. Nothing was spent.';

/**
 * `voxbatch run MANIFEST`: reads the manifest, records the batch in the ledger or finds it there, starts the work,
 * follows it, and writes the files. Running the same command again continues, attaches, or says that the batch is
 * finished.
 */
export function run(request: RunRequest, context: RunContext): Promise<ExitName> {
  return request.flags.confirmAfterSample === true
    ? runSampleFirst(request, context, runOnce)
    : runOnce(request, context);
}

/**
 * Reads the manifest, and records the batch or finds it. An outcome file (`failed.csv` …) is a redrive of its rows
 * instead. Throws {@link ExitError} for what must not run, or was not approved.
 */
async function runOnce(request: RunRequest, context: RunContext): Promise<ExitName> {
  const { output } = context;
  const { manifestPath, source, flags, settings, plan, ledgerThread, isAgreed = false } = request;
  const hadLedger = existsSync(settings.ledger);
  const apiUrl = readApiUrl(settings, flags);
  const checked = await checkRun({ source, plan, settings, apiUrl, access: () => readApiAccess(settings, flags) });
  if (checked.type === 'outcome-file') {
    const { batch: previousBatch } = checked;
    const { redriveFile } = await import('../redrive/redrive-file.ts');
    return redriveFile({ path: manifestPath, source, previousBatch, plan, flags, settings, context });
  }
  if (flags.resubmit === true) throw new ExitError('usage', RESUBMIT_WITHOUT_BATCH);
  const report = reportOptions(manifestPath, flags);
  if (checked.type === 'faulty') throw refuseProblems(checked.summary, manifestPath, output, report);
  const { warnings } = checked.checked.summary;
  const print = (event: RecordEvent): void => {
    if (event.type === 'more') for (const line of moreLines(event)) output.say(line);
    else if (event.type !== 'found') for (const line of pricingLines(event, isLog(output))) output.say(line);
    else {
      if (hadLedger && event.batch === undefined) warnOfLedgerBeside(settings, manifestPath, ['run'], output, true);
      // For a finished batch they were printed by the run that finished it.
      if (event.batch?.state !== 'closed') printWarnings({ warnings }, output, report);
    }
  };
  const opening = { settings, flags, context, mustExist: false, input: manifestPath, ledgerThread };
  return withInvocation(opening, async (invocation) => {
    const { session, webhook } = invocation;
    const person = { ...invocation.person, yes: invocation.person.yes || isAgreed };
    const { reason } = flags;
    const recorded = await recordBatch({ ...checked, source, session, person, webhook, onEvent: print, reason });
    switch (recorded.type) {
      case 'faulty':
        throw refuseProblems(recorded.summary, manifestPath, output, report);
      case 'refused':
      case 'declined':
        throw billError(recorded, true);
      case 'taken':
        throw await nameTakenError(recorded, request);
      default:
        return runRecorded(request, recorded, invocation);
    }
  });
}

/** Returns the error for a name that another batch has; it suggests what this manifest could mean instead. */
async function nameTakenError(
  taken: Extract<Recorded, { readonly type: 'taken' }>,
  { manifestPath, source, flags }: RunRequest,
): Promise<ExitError> {
  const commandNamed = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
  const { nameTakenText } = await import('../terminal/name-taken.ts');
  const next = `voxbatch status ${shellWord(taken.batch.name)}`;
  return new ExitError('usage', nameTakenText(taken, source, commandNamed), { next });
}

/** The batch is in the ledger, new or from an earlier run. */
type OnRecord = Extract<Recorded, { readonly type: 'new' | 'known' }>;

/** Works on a recorded batch, follows it, and writes its files; for a finished one only writes the files. */
async function runRecorded(
  { plan, server, onPilot }: RunRequest,
  recorded: OnRecord,
  invocation: Invocation,
): Promise<ExitName> {
  const { session, output } = invocation;
  const isNew = recorded.type === 'new';
  const { batch } = recorded;
  if (recorded.type === 'known') printChanges(recorded, plan, output);
  const place = { batch: batch.name, out: plan.out, xlsx: plan.settings.xlsx, report: plan.settings.report, onPilot };
  const { exit, counts, isCleaned } = await readBatchState(session, batch);
  if (batch.state === 'closed' && isCleaned) {
    output.say(
      `Batch "${batch.name}" is already finished, and what its rows asked for was removed. Nothing is sent, nothing is written.`,
    );
    return finishClosed(batch.name, invocation, () => Promise.resolve(exit));
  }
  if (batch.state === 'closed') {
    output.say(`Batch "${batch.name}" is already finished. Its files are written again; nothing is sent.`);
    return finishClosed(batch.name, invocation, () => finishRun({ ...place, why: 'closed' }, invocation));
  }
  const [done, all] = [resultsOf(counts), chosenOf(counts)];
  const rows = isNew ? chosenInWords(all, batch.rows) : `continuing: ${number(done)} of ${rowsInWords(all)} done`;
  output.say(`Batch "${batch.name}": ${rows}, account ${batch.account}, ${(await session.api()).api.baseUrl}`);
  return workOnBatch({ record: batch, isNew, out: plan.out, server }, invocation, (why) =>
    finishRun({ ...place, why }, invocation),
  );
}

/** Prints what the flags of this command have changed in an existing batch, and what they could not change. */
function printChanges(
  { batch, tuned, leftOut }: Extract<Recorded, { readonly type: 'known' }>,
  { pricingFlags }: RunPlan,
  output: Output,
): void {
  if (pricingFlags.length > 0) output.say(`Its rows keep their original prices (${pricingFlags.join(', ')}).`);
  const words = describeTuning(tuned);
  if (words !== '') output.say(`Batch "${batch.name}" from now on: ${words}.`);
  if (leftOut > 0)
    output.say(`Batch "${batch.name}" is stopping: ${rowsInWords(leftOut)} that were left out before are not sent.`);
}
