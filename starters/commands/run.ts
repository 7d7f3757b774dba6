import { openFolderStore } from '../../store/folder-store.ts';
import { checkManifest } from '../../inputs/read-manifest.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import type { Witness } from '../../activities/dependencies.ts';
import type { BatchRecord, Ledger } from '../../ledger/ledger.ts';
import { findOrLoadBatch } from '../load-batch.ts';
import { openApi, type OpenApi } from '../open-api.ts';
import { beforeWork } from '../machine-trouble.ts';
import { openRecords } from '../open-records.ts';
import { requireWritableOut } from '../out-folder.ts';
import { refuseProblems } from '../report-problems.ts';
import { finishRun } from '../finish-run.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { Output } from '../terminal/output.ts';
import { workOnBatch } from '../work-on-batch.ts';
import { planRun, type RunFlags, type RunPlan } from './run-options.ts';
import type { ExitName } from '../../contract/exit-codes.ts';

/** Everything `run` needs from its process. */
export interface RunContext {
  readonly output: Output;
  readonly witness?: Witness;
}

/**
 * `voxbatch run MANIFEST`: reads the manifest, loads the batch into the ledger or finds it there, sees to it that it is
 * worked on, follows it, and writes its files. Running the same command again continues, attaches, or says that it is
 * finished.
 */
export async function run(manifestPath: string, flags: RunFlags, context: RunContext): Promise<ExitName> {
  const { output } = context;
  const settings = await readSettings();
  const plan = planRun(manifestPath, flags, settings);
  const source = await openManifest(manifestPath);
  try {
    const summary = await checkManifest(source, plan.manifest);
    refuseProblems(summary, manifestPath, output, { json: flags.json ?? false });
    await requireWritableOut(plan.out);
    const open = await openApi(settings, flags);
    try {
      return await withRecords(settings, async (ledger) => {
        const load = {
          ledger,
          home: settings.home,
          source,
          options: plan.manifest,
          identity: {
            name: plan.name,
            digest: summary.digest ?? '',
            apiUrl: open.api.baseUrl,
            account: open.profile.userId,
          },
          settings: plan.settings,
          givesReading: plan.givesReading,
          checked: summary,
        };
        const { batch, isNew } = await beforeWork(() => findOrLoadBatch(load));
        return await runLoaded({ settings, plan, flags, context, ledger, open, batch, isNew });
      });
    } finally {
      open.api.close();
    }
  } finally {
    await source.close();
  }
}

async function runLoaded(world: {
  readonly settings: Settings;
  readonly plan: RunPlan;
  readonly flags: RunFlags;
  readonly context: RunContext;
  readonly ledger: Ledger;
  readonly open: OpenApi;
  readonly batch: BatchRecord;
  readonly isNew: boolean;
}): Promise<ExitName> {
  const { settings, plan, flags, context, ledger, open, batch, isNew } = world;
  const { output } = context;
  const store = await beforeWork(() => openFolderStore(settings.store));
  const finish = { ledger, store, batch: batch.name, out: plan.out, output, json: flags.json ?? false };
  if (batch.state === 'closed') {
    output.say(`Batch "${batch.name}" is finished already; its files are written again, nothing is sent.`);
    return finishRun({ ...finish, why: 'closed' });
  }
  output.say(
    `Batch "${batch.name}": ${isNew ? '' : 'going on with '}${String(batch.rows)} rows, account ${batch.account}, ${open.api.baseUrl}`,
  );
  const end = await workOnBatch({
    ...finish,
    settings,
    open,
    record: batch,
    isNew,
    detach: flags.detach ?? false,
    yes: flags.yes ?? false,
    witness: context.witness,
  });
  return finishRun({ ...finish, why: end });
}

async function withRecords<T>(settings: Settings, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openRecords(settings, { mustExist: false });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
