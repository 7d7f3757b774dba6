import { isDeepStrictEqual } from 'node:util';
import { defaultOut } from '../../batches/batch-name.ts';
import { asRecorded } from '../../batches/batch-settings.ts';
import { resolve } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { requireEditedRows } from './require-edited-rows.ts';
import type { RunContext } from '../command-context.ts';
import { ExitError } from '../exit-error.ts';
import { withInvocation } from '../invocation.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { redriveRows } from './redrive-rows.ts';
import { refuseCleaned } from '../../client/clean/refuse-cleaned.ts';
import { refuseLoading } from '../../client/refuse-loading.ts';
import type { Settings } from '../../client/settings.ts';
import type { RunFlags, RunPlan } from '../run/run-options.ts';

/** One of our outcome files, given as the manifest of `run`. */
export interface FileRequest {
  /** As typed. */
  readonly path: string;
  readonly source: ManifestSource;
  /** Its `_batch`. */
  readonly previousBatch: string;
  readonly plan: RunPlan;
  readonly flags: RunFlags;
  readonly settings: Settings;
  readonly context: RunContext;
}

/**
 * `voxbatch run failed.csv`: running an outcome file redrives its rows. Rows whose answer was lost and overdue rows
 * need `--resubmit`, because the intention is not clear: to pay again, or to look again.
 */
export async function redriveFile(request: FileRequest): Promise<ExitName> {
  const { path, source, previousBatch, plan, flags, settings, context } = request;
  return withInvocation({ settings, flags, context, mustExist: false, input: path }, async (invocation) => {
    const ledger = await invocation.session.ledger();
    const batch = await ledger.findBatch(previousBatch);
    if (batch === undefined) throw missing(request);
    refuseLoading(batch);
    refuseCleaned(batch);
    refuseFlags(request, batch);
    const rules = {
      step: null,
      resubmit: flags.resubmit ?? false,
      replace: false,
      accept: false,
      asksForOverdue: true,
    };
    const { rows, fileSha256 } = await requireEditedRows(source, { ledger, batch, output: invocation.output });
    const redrive = {
      batch,
      tuning: plan.tuning,
      draft: await draftRedrive(ledger, batch, rows, rules, plan.tuning),
      rows,
      command: `voxbatch run ${shellWord(path)}`,
      fileSha256,
      out: resolve(flags.out ?? defaultOut(batch.name)),
      confirmAbove: plan.confirmAbove,
    };
    return redriveRows(redrive, invocation);
  });
}

function missing({ path, previousBatch }: FileRequest): ExitError {
  return new ExitError(
    'usage',
    `${path} has rows of batch "${previousBatch}", which is not in this ledger. Nothing was sent. Nothing was spent. Choices:\n` +
      '  run it where you ran that batch (same folder, or same VOXBATCH_HOME)\n' +
      `  remove the _batch column and run it as a new batch: voxbatch run ${shellWord(path)} --name NEW-NAME`,
  );
}

/** The record says what the rows mean, and which batch they belong to; a flag that contradicts it is refused. */
function refuseFlags({ path, plan, flags }: FileRequest, batch: BatchRecord): void {
  const isRead =
    plan.givesReading && !isDeepStrictEqual(asRecorded(plan, batch.settings).settings.reading, batch.settings.reading);
  const isNamed = plan.givesTemplate && plan.settings.nameTemplate !== batch.settings.nameTemplate;
  const pricing = plan.pricingFlags;
  const wrong =
    flags.name !== undefined && flags.name !== batch.name
      ? '--name'
      : isNamed
        ? '--file-name'
        : isRead
          ? 'a flag that changes how its rows are read (--kind, --voice, --map, --tts …)'
          : plan.subset !== null
            ? `--${plan.subset.type}`
            : pricing.length > 0
              ? pricing.join(', ')
              : undefined;
  if (wrong === undefined) return;
  throw new ExitError(
    'usage',
    `${path} has rows of batch "${batch.name}": running it redrives them, and ${wrong} cannot be combined with that. Nothing was sent. Nothing ` +
      'was spent. To run them as a new batch, remove the _batch column.',
  );
}
