import { findOrLoadBatch } from '../../batches/load-batch.ts';
import { spendFacts } from '../../batches/bill-lines.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { checkManifest, type SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { newIn } from '../../policy/tuning.ts';
import type { Store } from '../../store/store.ts';
import type { RunContext } from '../command-context.ts';
import { checkSpend } from '../check-spend.ts';
import type { EarlyServer } from '../../client/early-server.ts';
import { ExitError } from '../exit-error.ts';
import type { OpenApi } from '../../client/open-api.ts';
import { openApi } from '../open-api.ts';
import { beforeWork } from '../../client/before-work.ts';
import { openRecords } from '../../client/open-records.ts';
import { withStore } from '../../client/open-store.ts';
import { claimOut, requireOwnOut, requireWritableOut } from '../out-folder.ts';
import { probeAloud } from '../probe-manifest.ts';
import { refuseProblems, sayWarnings } from '../report-problems.ts';
import { finishRun } from '../finish-run.ts';
import type { Settings } from '../../client/settings.ts';
import { nameTakenText } from '../terminal/name-taken.ts';
import type { Output } from '../terminal/output.ts';
import { doneOf, number } from '../terminal/progress.ts';
import { rowsInWords } from '../row-words.ts';
import { describeTuning } from '../terminal/tunable-words.ts';
import { workOnBatch } from '../work-on-batch.ts';
import { redriveFile } from '../redrive/redrive-file.ts';
import { manifestCommand, reportOptions } from './run-command.ts';
import type { RunFlags, RunPlan } from './run-options.ts';
import { requirePrices } from './tune.ts';
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
  if (checked.is === 'outcome-file') {
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
  if (checked.is === 'faulty') {
    throw refuseProblems(checked.summary, manifestPath, output, reportOptions(manifestPath, flags));
  }
  await requireWritableOut(plan.out);
  const open = await openApi(settings, flags);
  try {
    return await withRecords(settings, async (ledger) => {
      const identity = {
        name: plan.name,
        digest: checked.summary.digest ?? '',
        apiUrl: open.api.baseUrl,
        account: open.profile.userId,
      };
      const found = await beforeWork(() => ledger.findBatch(plan.name));
      // About a batch that is finished they were said before.
      if (found?.state !== 'closed' && checked.summary.warnings.length > 0) {
        sayWarnings(checked.summary, output, reportOptions(manifestPath, flags));
      }
      if (found === undefined || found.state === 'loading') await requireOwnOut(plan.out, identity);
      const priced =
        found === undefined || found.state === 'loading'
          ? await readyToSpend({ source, checked, plan, flags, open, output, fromStdin: manifestPath === '-' })
          : checked;
      const loaded = await beforeWork(() =>
        findOrLoadBatch({
          ledger,
          source,
          options: priced.options,
          identity,
          settings: plan.settings,
          givesReading: plan.givesReading,
          givesTemplate: plan.givesTemplate,
          checked: priced.summary,
        }),
      );
      if (loaded.is === 'taken') {
        const commandAs = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
        throw new ExitError('usage', nameTakenText(loaded, source, commandAs));
      }
      await claimOut(plan.out, loaded.batch);
      const isNew = loaded.is === 'new';
      const batch = isNew ? loaded.batch : await beforeWork(() => applyFlags(ledger, loaded.batch, plan, output));
      return await withStore(settings, ledger, (store) =>
        runLoaded({ ...request, context, ledger, store, open, batch, isNew }),
      );
    });
  } finally {
    open.api.close();
  }
}

/** What stands before a new batch: prices for all that can have one, then the checks of `check-spend.ts`. */
async function readyToSpend(request: {
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  readonly plan: RunPlan;
  readonly flags: RunFlags;
  readonly open: OpenApi;
  readonly output: Output;
  /** An answer cannot come from where the manifest came from. */
  readonly fromStdin: boolean;
}): Promise<SoundManifest> {
  const { source, checked, plan, flags, open, output, fromStdin } = request;
  const priced = plan.probe ? await probeAloud(source, checked, plan.settings.budget, output) : checked;
  const person = { yes: flags.yes ?? false, canAsk: output.isInteractive && !fromStdin };
  const balance = open.profile.quotaRemaining ?? null;
  await checkSpend(spendFacts(priced.summary, plan, { ...person, balance }), output);
  return priced;
}

/** Flags hold for a batch that is there, too, as far as they can; what they cannot change is said. Returns the batch as it is then. */
async function applyFlags(ledger: Ledger, batch: BatchRecord, plan: RunPlan, output: Output): Promise<BatchRecord> {
  if (plan.pricingFlags.length > 0) {
    output.say(`Its rows keep their original prices (${plan.pricingFlags.join(', ')}).`);
  }
  const words = describeTuning(newIn(plan.tuning, batch.settings));
  if (words === '') return batch;
  await requirePrices(ledger, batch, plan.tuning);
  const tuned = await ledger.tune(batch.name, plan.tuning);
  output.say(`Batch "${batch.name}" from now on: ${words}.`);
  return { ...batch, settings: { ...batch.settings, ...tuned } };
}

async function runLoaded(
  world: RunRequest & {
    readonly context: RunContext;
    readonly ledger: Ledger;
    readonly store: Store;
    readonly open: OpenApi;
    readonly batch: BatchRecord;
    readonly isNew: boolean;
  },
): Promise<ExitName> {
  const { settings, server, plan, flags, context, ledger, store, open, batch, isNew } = world;
  const { output } = context;
  const finish = { settings, ledger, store, batch: batch.name, out: plan.out, output, json: flags.json ?? false };
  if (batch.state === 'closed') {
    output.say(`Batch "${batch.name}" is already finished. Its files are written again; nothing is sent.`);
    return finishRun({ ...finish, why: 'closed' });
  }
  output.say(
    `Batch "${batch.name}": ${isNew ? rowsInWords(batch.rows) : await goingOn(ledger, batch)}, account ${batch.account}, ${open.api.baseUrl}`,
  );
  const work = {
    ...finish,
    open,
    server,
    record: batch,
    isNew,
    detach: flags.detach ?? false,
    yes: flags.yes ?? false,
    atFaultPoint: context.atFaultPoint,
  };
  return workOnBatch(work, (why) => finishRun({ ...finish, why }));
}

/** `continuing: 14 of 30 rows done` */
async function goingOn(ledger: Ledger, { name, rows }: BatchRecord): Promise<string> {
  return `continuing: ${number(doneOf(await ledger.counts(name)))} of ${rowsInWords(rows)} done`;
}

async function withRecords<T>(settings: Settings, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openRecords(settings, { mustExist: false, thread: true });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
