import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { readsOtherwise } from '../../client/redrive/outcome-file.ts';
import { redrive } from '../../client/redrive/redrive.ts';
import type { Settings } from '../../client/settings.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { RunContext } from '../terminal/output.ts';
import { ExitError } from '../exit-error.ts';
import { withInvocation } from '../invocation.ts';
import type { openManifestArgument } from '../run/open-manifest-argument.ts';
import type { Flags } from '../commands/flags.ts';
import type { RunPlan } from '../run/run-options.ts';
import { finishRedrive, redrivePrinter, type RedriveCommand } from './show-redrive.ts';

/** An outcome file that `run` was given as its manifest. */
export interface FileRequest {
  /** As typed. */
  readonly path: string;
  readonly source: Awaited<ReturnType<typeof openManifestArgument>>;
  /** The batch in its column `_batch`. */
  readonly previousBatch: string;
  readonly plan: RunPlan;
  readonly flags: Flags;
  readonly settings: Settings;
  readonly context: RunContext;
}

/**
 * `voxbatch run failed.csv`: redrives the rows of an outcome file. Overdue and unknown rows need `--resubmit`: without
 * it, it is not clear whether the user wants to pay again or only to check again.
 */
export async function redriveFile(request: FileRequest): Promise<ExitName> {
  const { path, source, previousBatch, plan, flags, settings, context } = request;
  return withInvocation({ settings, flags, context, mustExist: false, input: path }, async (invocation) => {
    const { session, person, webhook } = invocation;
    const batch = await (await session.ledger()).findBatch(previousBatch);
    if (batch === undefined) throw missingBatchError(request);
    refuseFlags(request, batch);
    const { tuning, confirmAbove } = plan;
    const out = resolve(flags.out ?? defaultOut(batch.name));
    const { resubmit = false, reason } = flags;
    const options = { from: source, resubmit, asksForOverdue: true, tuning, confirmAbove, webhook, out, reason };
    const end = await redrive(session, batch, options, person, redrivePrinter({ batch, out }, invocation));
    const command = `voxbatch run ${shellWord(path)}`;
    return finishRedrive(
      end,
      { batch, command, file: source.label, givesBudget: tuning.budget !== undefined, out },
      invocation,
    );
  });
}

function missingBatchError({ path, previousBatch }: FileRequest): ExitError {
  return new ExitError(
    'usage',
    `${path} has rows of batch "${previousBatch}", which is not in this ledger. Nothing was sent. Nothing was spent. Choices:\n` +
      '  run it where you ran that batch (same folder, or same VOXBATCH_HOME)\n' +
      `  remove the _batch column and run it as a new batch: voxbatch run ${shellWord(path)} --name NEW-NAME`,
  );
}

/** Throws for a flag that contradicts the recorded batch, which decides how its rows are read and named. */
function refuseFlags(request: FileRequest, batch: RedriveCommand['batch']): void {
  const wrong = contradictingFlag(request, batch);
  if (wrong === undefined) return;
  const { path } = request;
  throw new ExitError(
    'usage',
    `${path} has rows of batch "${batch.name}": running it redrives them, and ${wrong} cannot be combined with that. Nothing was sent. Nothing ` +
      'was spent. To run them as a new batch, remove the _batch column.',
  );
}

function contradictingFlag({ plan, flags }: FileRequest, batch: RedriveCommand['batch']): string | undefined {
  if (flags.name !== undefined && flags.name !== batch.name) return '--name';
  if (flags.fileName !== undefined && plan.settings.nameTemplate !== batch.settings.nameTemplate) return '--file-name';
  if (plan.asksReading && readsOtherwise(plan, batch))
    return 'a flag that changes how its rows are read (--kind, --voice, --map, --tts …)';
  if (plan.subset !== null) return `--${plan.subset.type}`;
  return plan.pricingFlags.length > 0 ? plan.pricingFlags.join(', ') : undefined;
}
