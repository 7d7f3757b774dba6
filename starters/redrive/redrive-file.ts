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
import type { openTyped } from '../run/open-typed.ts';
import type { Flags } from '../commands/flags.ts';
import type { RunPlan } from '../run/run-options.ts';
import { finishRedrive, redriveTeller, type RedriveCommand } from './show-redrive.ts';

/** One of our outcome files, given as the manifest of `run`. */
export interface FileRequest {
  /** As typed. */
  readonly path: string;
  readonly source: Awaited<ReturnType<typeof openTyped>>;
  /** Its `_batch`. */
  readonly previousBatch: string;
  readonly plan: RunPlan;
  readonly flags: Flags;
  readonly settings: Settings;
  readonly context: RunContext;
}

/**
 * `voxbatch run failed.csv`: running an outcome file redrives its rows. Overdue rows and rows whose answer was lost
 * need `--resubmit`, because the intent is ambiguous: pay again, or look again.
 */
export async function redriveFile(request: FileRequest): Promise<ExitName> {
  const { path, source, previousBatch, plan, flags, settings, context } = request;
  return withInvocation({ settings, flags, context, mustExist: false, input: path }, async (invocation) => {
    const { session, person, webhook } = invocation;
    const batch = await (await session.ledger()).findBatch(previousBatch);
    if (batch === undefined) throw missing(request);
    refuseFlags(request, batch);
    const { tuning, confirmAbove } = plan;
    const out = resolve(flags.out ?? defaultOut(batch.name));
    const { resubmit = false, reason } = flags;
    const asked = { from: source, resubmit, asksForOverdue: true, tuning, confirmAbove, webhook, out, reason };
    const end = await redrive(session, batch, asked, person, redriveTeller({ batch, out }, invocation));
    const command = `voxbatch run ${shellWord(path)}`;
    return finishRedrive(
      end,
      { batch, command, file: source.label, givesBudget: tuning.budget !== undefined, out },
      invocation,
    );
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

/** The record determines the rows' meaning and their batch; a flag that contradicts it is refused. */
function refuseFlags({ path, plan, flags }: FileRequest, batch: RedriveCommand['batch']): void {
  const isNamed = flags.fileName !== undefined && plan.settings.nameTemplate !== batch.settings.nameTemplate;
  const pricing = plan.pricingFlags;
  const wrong =
    flags.name !== undefined && flags.name !== batch.name
      ? '--name'
      : isNamed
        ? '--file-name'
        : plan.asksReading && readsOtherwise(plan, batch)
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
