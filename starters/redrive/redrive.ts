import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import { DEFAULT_TEMPLATE } from '../../inputs/output-name.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import { BUILT_IN_PRICES, type Step } from '../../contract/row-kinds.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { requireEditedRows } from './require-edited-rows.ts';
import type { RunContext } from '../command-context.ts';
import { unchangedError } from '../exit-error.ts';
import { shellWord } from '../go-on-command.ts';
import { lookAtLedger } from '../look-at.ts';
import { withApi } from '../open-api.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { chosenRows } from '../../batches/choose-rows.ts';
import type { FoundRows, RedriveRules } from '../../batches/redrive-draft.ts';
import { draftRedrive } from '../../batches/redrive.ts';
import { redriveRows } from './redrive-rows.ts';
import { refuseLoading } from '../../client/refuse-loading.ts';
import { readConditions, requireRows } from './row-flags.ts';
import type { OutputFlags } from '../commands/output-flags.ts';

/** What `redrive` was told on the command line. */
export interface RedriveFlags extends OutputFlags {
  readonly where?: readonly string[];
  readonly rows?: readonly string[];
  readonly from?: string;
  readonly step?: Step;
  readonly resubmit?: boolean;
  /** Rows whose unfit results are taken as they are; true: those that `--where` and `--rows` choose. */
  readonly accept?: readonly string[] | true;
  readonly confirm?: number;
  readonly yes?: boolean;
  readonly out?: string;
  readonly apiUrl?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/**
 * `voxbatch redrive [BATCH]`: runs rows again that have ended. Where no row is meant, it says so; the exit code is that of
 * the batch in any case.
 */
export async function redrive(name: string | undefined, given: RedriveFlags, context: RunContext): Promise<ExitName> {
  const flags = withAccepted(given);
  requireChoice(flags);
  if (flags.from === undefined) return redriveFrom(name, undefined, flags, context);
  const source = await openManifest(flags.from);
  try {
    return await redriveFrom(name ?? (await batchOf(source)), source, flags, context);
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
  const { output } = context;
  return lookAtLedger(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    requireSomeChoice(flags);
    refuseLoading(batch);
    const json = flags.json ?? false;
    const conditions = readConditions(flags.where ?? []);
    const rules: RedriveRules = {
      step: flags.step ?? null,
      resubmit: flags.resubmit ?? false,
      accept: flags.accept !== undefined,
      replace: flags.rows !== undefined || isForResults(conditions.outcomes),
      asksForOverdue: false,
    };
    const { rows, fileSha256 } =
      source === undefined
        ? { rows: await rowsOf(ledger, batch, flags, conditions), fileSha256: null }
        : await requireEditedRows(source, { ledger, batch, output });
    const draft = await draftRedrive(ledger, batch, rows, rules);
    return withApi(settings, flags, (openApi) =>
      redriveRows({
        settings,
        ledger,
        batch,
        draft,
        rows,
        command: commandOf(batch.name, flags),
        fileSha256,
        out: resolve(flags.out ?? defaultOut(batch.name)),
        json,
        detach: flags.detach ?? false,
        yes: flags.yes ?? false,
        canAsk: output.isInteractive && flags.from !== '-',
        confirmAbove: flags.confirm ?? settings.config.confirmAbove ?? null,
        output,
        atFaultPoint: context.atFaultPoint,
        openApi,
      }),
    );
  });
}

async function rowsOf(
  ledger: Ledger,
  batch: BatchRecord,
  flags: RedriveFlags,
  conditions: ReturnType<typeof readConditions>,
): Promise<FoundRows> {
  const rows = flags.rows === undefined ? {} : { rows: await requireRows(ledger, batch, flags.rows) };
  return chosenRows(ledger, batch.name, { ...conditions, ...rows });
}

/** The rows that `--accept` names are chosen as by `--rows`. */
function withAccepted(flags: RedriveFlags): RedriveFlags {
  const { accept, rows = [] } = flags;
  return accept === undefined || accept === true ? flags : { ...flags, accept: true, rows: [...rows, ...accept] };
}

/** Rows must be chosen; said of a batch that there is. */
function requireSomeChoice({ where, rows, from }: RedriveFlags): void {
  if ((where ?? rows ?? from) !== undefined) return;
  throw unchangedError(
    'Which rows? Give --where (such as --where outcome=failed), --rows (such as --rows a1,a7) or --from EDITED-FILE.',
  );
}

/** Rows are chosen by conditions and names together or by a file. */
function requireChoice({ where, rows, from, accept, step, resubmit }: RedriveFlags): void {
  if (accept !== undefined && (from ?? step ?? resubmit) !== undefined) {
    throw unchangedError('--accept cannot be combined with --from, --step or --resubmit.');
  }
  if ((where ?? rows) !== undefined && from !== undefined) {
    throw unchangedError('--from cannot be combined with --where or --rows.');
  }
}

/** The batch of one of our outcome files; undefined for any other file. */
async function batchOf(source: ManifestSource): Promise<string | undefined> {
  const neutral = { defaults: {}, map: {}, strict: false, nameTemplate: DEFAULT_TEMPLATE, prices: BUILT_IN_PRICES };
  const { previousBatch } = await summarizeManifest(source, { ...neutral, tts: 'job' });
  return previousBatch ?? undefined;
}

function isForResults(outcomes: readonly string[] | undefined): boolean {
  return outcomes?.some(hasResult) ?? false;
}

/** The command without the flags that only say how it is worked on. */
function commandOf(batch: string, { where = [], rows = [], from, step, accept }: RedriveFlags): string {
  const words = [
    ...where.flatMap((each) => ['--where', each]),
    ...rows.flatMap((each) => ['--rows', each]),
    ...(from === undefined ? [] : ['--from', from]),
    ...(step === undefined ? [] : ['--step', step]),
    ...(accept === undefined ? [] : ['--accept']),
  ];
  return ['voxbatch', 'redrive', batch, ...words].map(shellWord).join(' ');
}
