import { spendFacts } from '../../batches/bill-lines.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { checkManifest, type SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { RunContext } from '../command-context.ts';
import { atDesk, type Desk } from '../desk.ts';
import { checkSpend } from '../check-spend.ts';
import type { EarlyServer } from '../../client/early-server.ts';
import { ExitError } from '../exit-error.ts';
import type { OpenApi } from '../../client/open-api.ts';
import { putOnRecord, type Recorded } from '../../client/put-on-record.ts';
import { probeAloud } from '../probe-manifest.ts';
import { refuseProblems, sayWarnings } from '../report-problems.ts';
import { finishRun } from '../finish-run.ts';
import type { Settings } from '../../client/settings.ts';
import { nameTakenText } from '../terminal/name-taken.ts';
import type { Output } from '../terminal/output.ts';
import { checkMore, type Payer } from './more-rows.ts';
import { chosenOf, doneOf, number } from '../terminal/progress.ts';
import { chosenInWords, rowsInWords } from '../row-words.ts';
import { describeTuning } from '../terminal/tunable-words.ts';
import { workOnBatch } from '../work-on-batch.ts';
import { redriveFile } from '../redrive/redrive-file.ts';
import { manifestCommand, reportOptions } from './run-command.ts';
import type { RunFlags, RunPlan } from './run-options.ts';
import type { ExitName } from '../../contract/exit-codes.ts';

const RESUBMIT_WITHOUT_BATCH =
  '--resubmit is only for outcome files (unknown.csv, overdue.csv …). Nothing was sent, nothing was spent.';

/** What is known before the manifest is read. */
export interface RunRequest {
  /** As it was typed. */
  readonly manifestPath: string;
  readonly source: ManifestSource;
  readonly flags: RunFlags;
  readonly settings: Settings;
  readonly plan: RunPlan;
  /** The embedded server, where it was begun already. */
  readonly server: EarlyServer | undefined;
}

/**
 * `voxbatch run MANIFEST`: reads the manifest, loads the batch into the ledger or finds it there, sees to it that it is
 * worked on, follows it, and writes its files. Running the same command again continues, attaches, or says that it is
 * finished.
 */
export async function run(request: RunRequest, context: RunContext): Promise<ExitName> {
  const { output } = context;
  const { manifestPath, source, flags, settings, plan } = request;
  const checked = await checkManifest(source, plan.manifest, plan.settings.budget);
  if (checked.type === 'outcome-file') {
    return await redriveFile({
      path: manifestPath,
      source,
      previousBatch: checked.batch,
      plan,
      flags,
      settings,
      context,
    });
  }
  if (flags.resubmit === true) throw new ExitError('usage', RESUBMIT_WITHOUT_BATCH);
  const report = reportOptions(manifestPath, flags);
  if (checked.type === 'faulty') throw refuseProblems(checked.summary, manifestPath, output, report);
  return atDesk({ settings, flags, context, mustExist: false, input: manifestPath }, async (desk) => {
    const { session } = desk;
    const recorded = await putOnRecord({
      session,
      source,
      checked,
      plan,
      onFound: (batch) => {
        // About a batch that is finished they were said before.
        if (batch?.state !== 'closed' && checked.summary.warnings.length > 0)
          sayWarnings(checked.summary, output, report);
      },
      approve: (open) => readyToSpend(request, checked, open, desk),
      approveMore: async (more, open) => checkMore(more, payerOf(request, open, desk), desk),
    });
    return runRecorded(request, recorded, desk);
  });
}

/**
 * What stands before a new batch: prices for all that can have one, then the checks of `check-spend.ts`. Throws {@link ExitError} where it
 * may not be paid for.
 */
async function readyToSpend(
  request: RunRequest,
  checked: SoundManifest,
  open: OpenApi,
  desk: Desk,
): Promise<SoundManifest> {
  const { source, plan } = request;
  const { output } = desk;
  const priced = plan.probe ? await probeAloud(source, checked, plan.settings.budget, output) : checked;
  await checkSpend(spendFacts(priced.summary, plan, payerOf(request, open, desk)), output);
  return priced;
}

/** What is known of whoever pays. */
function payerOf({ plan }: RunRequest, { profile }: OpenApi, { person }: Desk): Payer {
  return { ...person, confirmAbove: plan.confirmAbove, balance: profile.quotaRemaining ?? null };
}

async function runRecorded(
  { manifestPath, source, flags, plan, server }: RunRequest,
  recorded: Recorded,
  desk: Desk,
): Promise<ExitName> {
  const { session, output } = desk;
  if (recorded.type === 'declined') throw new Error('What is not approved ends with its own words.');
  if (recorded.type === 'taken') {
    const commandAs = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
    throw new ExitError('usage', nameTakenText(recorded, source, commandAs));
  }
  const isNew = recorded.type === 'new';
  const { batch } = recorded;
  if (recorded.type === 'known') sayChanges(recorded, plan, output);
  const place = { batch: batch.name, out: plan.out };
  if (batch.state === 'closed') {
    output.say(`Batch "${batch.name}" is already finished. Its files are written again; nothing is sent.`);
    return finishRun({ ...place, why: 'closed' }, desk);
  }
  const rows = await rowsOf(await session.ledger(), batch, isNew);
  output.say(`Batch "${batch.name}": ${rows}, account ${batch.account}, ${(await session.api()).api.baseUrl}`);
  return workOnBatch({ record: batch, isNew, out: plan.out, server }, desk, (why) =>
    finishRun({ ...place, why }, desk),
  );
}

/** Flags hold for a batch that is there, too, as far as they can; what they cannot change is said. */
function sayChanges(
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

/** `20 of 100 rows`, where only those are chosen; `continuing: 14 of 20 rows done` */
async function rowsOf(ledger: Ledger, { name, rows }: BatchRecord, isNew: boolean): Promise<string> {
  const counts = await ledger.counts(name);
  if (isNew) return chosenInWords(chosenOf(counts), rows);
  return `continuing: ${number(doneOf(counts))} of ${rowsInWords(chosenOf(counts))} done`;
}
