import { spendFacts } from '../../batches/bill-lines.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { checkManifest, type SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { RunContext } from '../command-context.ts';
import { checkSpend } from '../check-spend.ts';
import type { EarlyServer } from '../../client/early-server.ts';
import { ExitError } from '../exit-error.ts';
import type { OpenApi } from '../../client/open-api.ts';
import { openSession } from '../open-api.ts';
import { putOnRecord, type Recorded } from '../../client/put-on-record.ts';
import type { Session } from '../../client/session.ts';
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
  const session = openSession(settings, flags, { mustExist: false, thread: true });
  try {
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
      approve: (open) => readyToSpend(request, checked, open, output),
      approveMore: async (more, open) => checkMore(more, { ...personOf(request, open, output), session, output }),
    });
    return await runRecorded(request, recorded, session, context);
  } finally {
    await session.close();
  }
}

/**
 * What stands before a new batch: prices for all that can have one, then the checks of `check-spend.ts`. Throws {@link ExitError} where it
 * may not be paid for.
 */
async function readyToSpend(
  request: RunRequest,
  checked: SoundManifest,
  open: OpenApi,
  output: Output,
): Promise<SoundManifest> {
  const { source, plan } = request;
  const priced = plan.probe ? await probeAloud(source, checked, plan.settings.budget, output) : checked;
  await checkSpend(spendFacts(priced.summary, plan, personOf(request, open, output)), output);
  return priced;
}

/** What is known of whoever pays. An answer cannot come from where the manifest came from. */
function personOf({ flags, plan, manifestPath }: RunRequest, open: OpenApi, output: Output): Payer {
  const { confirmAbove } = plan;
  const canAsk = output.isInteractive && manifestPath !== '-';
  return { yes: flags.yes ?? false, canAsk, confirmAbove, balance: open.profile.quotaRemaining ?? null };
}

async function runRecorded(
  { manifestPath, source, flags, settings, plan, server }: RunRequest,
  recorded: Recorded,
  session: Session,
  { output, atFaultPoint }: RunContext,
): Promise<ExitName> {
  if (recorded.type === 'declined') throw new Error('What is not approved ends with its own words.');
  if (recorded.type === 'taken') {
    const commandAs = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
    throw new ExitError('usage', nameTakenText(recorded, source, commandAs));
  }
  const isNew = recorded.type === 'new';
  const { batch } = recorded;
  if (recorded.type === 'known') sayChanges(recorded, plan, output);
  const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
  const finish = { settings, ledger, store, batch: batch.name, out: plan.out, output, json: flags.json ?? false };
  if (batch.state === 'closed') {
    output.say(`Batch "${batch.name}" is already finished. Its files are written again; nothing is sent.`);
    return finishRun({ ...finish, why: 'closed' });
  }
  output.say(
    `Batch "${batch.name}": ${await rowsOf(ledger, batch, isNew)}, account ${batch.account}, ${open.api.baseUrl}`,
  );
  const work = {
    ...finish,
    open,
    server,
    record: batch,
    isNew,
    detach: flags.detach ?? false,
    yes: flags.yes ?? false,
    atFaultPoint,
  };
  return workOnBatch(work, (why) => finishRun({ ...finish, why }));
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
