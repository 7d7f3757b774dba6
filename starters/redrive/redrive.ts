import { resolve } from 'node:path';
import { batchOfFile } from '../../batches/batch-of-file.ts';
import { defaultOut } from '../../batches/batch-name.ts';
import type { SearchedStore } from '../../batches/redrive/find-loss.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { type RedriveSelection, rulesOf } from '../../batches/redrive/selection.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { beginStore } from '../../client/claim-store.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { refuseCleaned } from '../../client/clean/refuse-cleaned.ts';
import { refuseLoading } from '../../client/refuse-loading.ts';
import { searchedStore } from '../../client/redrive/searched-store.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { RunContext } from '../command-context.ts';
import type { OutputFlags } from '../commands/output-flags.ts';
import type { WebhookFlags } from '../commands/webhook-flags.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { unchangedError } from '../exit-error.ts';
import { confirmedSettings } from '../trust/confirmed-settings.ts';
import { forecastRedrive } from './forecast-redrive.ts';
import { redriveRows } from './redrive-rows.ts';
import { requireEditedRows } from './require-edited-rows.ts';
import { openTyped } from '../run/open-typed.ts';
import { readConditions, requireRows } from './row-flags.ts';

/** Flags of `redrive`. */
export interface RedriveFlags extends OutputFlags, WebhookFlags {
  readonly where?: readonly string[];
  readonly rows?: readonly string[];
  /** Only rows with a result whose stored file is lost or damaged. */
  readonly damaged?: boolean;
  /** Begin an empty store where there is none: its files are lost for good. */
  readonly newStore?: boolean;
  readonly from?: string;
  readonly step?: Step;
  readonly resubmit?: boolean;
  /** Rows whose results are accepted as they are; true: those that `--where` and `--rows` select. */
  readonly accept?: readonly string[] | true;
  readonly confirm?: number;
  readonly yes?: boolean;
  readonly out?: string;
  readonly apiUrl?: string;
  /** Only say what it would do and cost. */
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/**
 * `voxbatch redrive [BATCH]`: runs ended rows again. If no row is selected, it says so; the exit code is always that of
 * the batch.
 */
export async function redrive(name: string | undefined, given: RedriveFlags, context: RunContext): Promise<ExitName> {
  const flags = withAccepted(given);
  requireChoice(flags);
  if (flags.from === undefined) return redriveFrom(name, undefined, flags, context);
  const source = await openTyped(flags.from);
  try {
    return await redriveFrom(name ?? (await batchOfFile(source)), source, flags, context);
  } finally {
    await source.close();
  }
}

async function redriveFrom(
  name: string | undefined,
  source: ManifestSource | undefined,
  flags: RedriveFlags,
  context: RunContext,
): Promise<ExitName> {
  const settings = await confirmedSettings(flags);
  return withInvocation({ settings, flags, context, mustExist: true, input: flags.from }, async (invocation) => {
    const ledger = await invocation.session.ledger();
    const batch = await chooseBatch(ledger, name);
    requireSomeChoice(flags);
    refuseLoading(batch);
    // Only a person can tell a disk that is lost from one that is not mounted. Of cleaned batches alone, none can be redriven.
    if (flags.newStore === true) await beginStore(settings, ledger);
    refuseCleaned(batch);
    const wish = wishOf(flags);
    const rules = rulesOf(wish);
    const { rows, fileSha256 } =
      source === undefined
        ? {
            rows: withLostFiles(
              await requireRows(ledger, batch, wish),
              { ledger, batch: batch.name, store: tellingStore(flags, invocation, { ledger, batch }) },
              rules,
            ),
            fileSha256: null,
          }
        : await requireEditedRows(source, { ledger, batch, output: invocation.output });
    const request = {
      batch,
      draft: await draftRedrive(ledger, batch, rows, rules),
      rows,
      command: commandOf(batch.name, flags),
      fileSha256,
      out: resolve(flags.out ?? defaultOut(batch.name)),
      confirmAbove: flags.confirm ?? settings.config.confirmAbove ?? null,
    };
    return flags.dryRun === true ? forecastRedrive(request, invocation) : redriveRows(request, invocation);
  });
}

/** The store that files are looked for in. Each text that is stored again, without the API, is told. */
function tellingStore(
  { dryRun }: Pick<RedriveFlags, 'dryRun'>,
  { session, output }: Invocation,
  { ledger, batch }: { readonly ledger: Ledger; readonly batch: BatchRecord },
): SearchedStore {
  const open = dryRun === true ? undefined : session.store;
  const store = searchedStore(session.settings, ledger, batch, open);
  const becomes = dryRun === true ? 'would be' : 'is';
  return {
    ...store,
    rewrite: async (lost) => {
      await store.rewrite?.(lost);
      output.say(`${lost.file.key} was lost, and ${becomes} written again from what is on record, free.`);
    },
  };
}

function wishOf({ where = [], rows, damaged, step, resubmit, accept }: RedriveFlags): RedriveSelection {
  const isAccepting = accept === undefined ? undefined : true;
  return { ...readConditions(where), ...defined({ rows, damaged, step, resubmit, accept: isAccepting }) };
}

/** The rows that `--accept` names are selected as by `--rows`. */
function withAccepted(flags: RedriveFlags): RedriveFlags {
  const { accept, rows = [] } = flags;
  return accept === undefined || accept === true ? flags : { ...flags, accept: true, rows: [...rows, ...accept] };
}

/** Rows must be selected; checked once the batch is found. */
function requireSomeChoice({ where, rows, damaged, from }: RedriveFlags): void {
  if ((where ?? rows ?? damaged ?? from) !== undefined) return;
  throw unchangedError(
    'Which rows? Give --where (such as --where outcome=failed), --rows (such as --rows a1,a7), --damaged or --from EDITED-FILE.',
  );
}

/** Rows are selected either by conditions and names together, or by a file. */
function requireChoice({ where, rows, damaged, newStore, dryRun, from, accept, step, resubmit }: RedriveFlags): void {
  if (accept !== undefined && (from ?? step ?? resubmit) !== undefined) {
    throw unchangedError('--accept cannot be combined with --from, --step or --resubmit.');
  }
  if (damaged !== undefined && (accept ?? from ?? step ?? resubmit) !== undefined) {
    throw unchangedError('--damaged cannot be combined with --accept, --from, --step or --resubmit.');
  }
  if (newStore !== undefined && dryRun !== undefined) {
    throw unchangedError('--new-store cannot be combined with --dry-run, which makes nothing.');
  }
  if ((where ?? rows) !== undefined && from !== undefined) {
    throw unchangedError('--from cannot be combined with --where or --rows.');
  }
}

/** The command without the flags that only say how it is worked on. */
function commandOf(batch: string, { where = [], rows = [], damaged, from, step, accept }: RedriveFlags): string {
  const words = [
    ...where.flatMap((each) => ['--where', each]),
    ...rows.flatMap((each) => ['--rows', each]),
    ...(damaged === undefined ? [] : ['--damaged']),
    ...(from === undefined ? [] : ['--from', from]),
    ...(step === undefined ? [] : ['--step', step]),
    ...(accept === undefined ? [] : ['--accept']),
  ];
  return ['voxbatch', 'redrive', batch, ...words].map(shellWord).join(' ');
}
