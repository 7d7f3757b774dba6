import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { RunContext } from '../command-context.ts';
import { ExitError } from '../exit-error.ts';
import { shellWord } from '../go-on-command.ts';
import { lookAtLedger, viewHere } from '../look-at.ts';
import { exitOfView } from '../../batches/view-batch.ts';
import { requireSameRealm, type OpenApi } from '../../client/open-api.ts';
import { withApi } from '../open-api.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { claimOut, requireOwnOut } from '../../client/out-folder.ts';
import { readAdoptions, readTakes, rowsToResubmit } from './row-flags.ts';
import { readsOf, settleWanted, type Wanted } from './settle-wanted.ts';
import type { FreeReads } from '../../batches/free-reads.ts';
import { listOrphans, type Orphan } from '../../batches/list-orphans.ts';
import { unknownRows } from '../../batches/settle-unknown.ts';
import type { SettledRow } from '../../batches/settled-row.ts';
import { draftRedrive } from '../../batches/redrive.ts';
import { redriveRows, workOn } from '../redrive/redrive-rows.ts';
import { refuseLoading } from '../../client/refuse-loading.ts';
import { chosenRows } from '../../batches/choose-rows.ts';
import type { Settings } from '../../client/settings.ts';
import { rowsInWords } from '../row-words.ts';
import { wordSteps } from '../terminal/next-steps.ts';
import { orphanLines, priceLines, reconciledJson, reconciledLine } from './reconcile-words.ts';

/** What `reconcile` was told on the command line. */
export interface ReconcileFlags {
  readonly adopt?: readonly string[];
  readonly resubmit?: readonly string[];
  readonly release?: readonly string[];
  readonly notCharged?: readonly string[];
  readonly yes?: boolean;
  readonly out?: string;
  readonly apiUrl?: string;
  readonly json?: boolean;
}

/** What the parts of the command share. */
interface Desk {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  readonly open: OpenApi;
  readonly reads: FreeReads;
  readonly flags: ReconcileFlags;
  readonly context: RunContext;
  /** Absolute. */
  readonly out: string;
}

/**
 * `voxbatch reconcile [BATCH]`: settles rows whose answer was lost, by what can be found or by a person's word, takes such a word back, lists the jobs
 * that no row has, and works on the batch if a row is open again. Only `--resubmit` pays.
 */
export async function reconcile(
  name: string | undefined,
  flags: ReconcileFlags,
  context: RunContext,
): Promise<ExitName> {
  return lookAtLedger(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    refuseLoading(batch);
    const adoptions = await readAdoptions(ledger, batch, flags.adopt ?? []);
    const again = await rowsToResubmit(ledger, batch, flags.resubmit ?? []);
    const releases = await readTakes(ledger, batch, flags.release ?? []);
    const notCharged = await readTakes(ledger, batch, flags.notCharged ?? []);
    const isForAll = [adoptions, releases, notCharged, again].every((named) => named.length === 0);
    const lookFor = isForAll ? await unknownRows(ledger, batch.name) : again;
    const wanted: Wanted = { releases, notCharged, adoptions, lookFor };
    requireWord(again, batch, flags, context);
    return withApi(settings, flags, async (openApi) => {
      const open = await openApi();
      requireSameRealm(batch, open);
      const out = resolve(flags.out ?? defaultOut(batch.name));
      await requireOwnOut(out, batch);
      const reads = await readsOf(settings, ledger, open);
      return settleAll({ settings, ledger, batch, open, reads, flags, context, out }, wanted, again);
    });
  });
}

/** To pay again for what may have been charged takes a person's word: an answer on a terminal, `--yes` elsewhere. */
function requireWord(
  again: readonly number[],
  batch: BatchRecord,
  { yes }: ReconcileFlags,
  { output }: RunContext,
): void {
  if (again.length === 0 || yes === true || output.isInteractive) return;
  throw new ExitError(
    'refused',
    `Not confirmed: ${rowsInWords(again.length)} of "${batch.name}" may be charged a second time, and there is no terminal to ask on. ` +
      'Nothing was changed, nothing was spent. To continue, run the same command with --yes.',
  );
}

/** `again`: rows to be paid for once more, where nothing is found of them. */
async function settleAll(desk: Desk, wanted: Wanted, again: readonly number[]): Promise<ExitName> {
  const { settings, ledger, batch, flags, context } = desk;
  const rows: SettledRow[] = [];
  for await (const row of settleWanted(desk, wanted)) {
    rows.push(row);
    // A refusal is said once: where nothing else was done it is the error.
    if (flags.json !== true && row.type !== 'refused') context.output.data(reconciledLine(row));
    for (const line of priceLines(row, batch.name)) context.output.say(line);
  }
  const isRefused = rows.some(({ type }) => type === 'refused');
  if (rows.length > 0 && rows.every(({ type }) => type === 'refused')) {
    throw new ExitError('usage', `${rows.map(reconciledLine).join('\n')}\nNothing was changed, nothing was spent.`);
  }
  if (rows.length === 0 && flags.json !== true) context.output.data(`Batch "${batch.name}" has no unknown row.`);
  const orphans = await findOrphans(desk);
  if (flags.json !== true) {
    const refused = rows.filter(({ type }) => type === 'refused').map(reconciledLine);
    const lines = [
      ...orphanLines(orphans, batch.name, {
        isWanted: rows.some((row) => row.type === 'still-unknown' && row.hasList),
      }),
      ...refused,
      ...stillUnknown(rows, again, batch),
    ];
    for (const line of lines) context.output.data(line);
    if (isRefused && again.length > 0)
      context.output.say(
        'No row was paid for again, because a job was refused. Fix that first, then run the same command.',
      );
  }
  const settled = new Set(
    rows.filter(({ type }) => type === 'found' || type === 'adopted' || type === 'released').map(({ row }) => row),
  );
  const toPay = isRefused ? [] : again.filter((row) => !settled.has(row));
  // The charge of an earlier take changes the sums of the batch, though its row stays as it is.
  const hasNewSums = rows.some(({ type }) => type === 'charged' || type === 'not-charged');
  const exit = await goOn(desk, toPay, settled.size > 0 ? 'rows' : hasNewSums ? 'sums' : 'nothing');
  if (flags.json === true) {
    const { counts, money } = await viewHere(ledger, settings, batch.name);
    const end = { batch: batch.name, exit, outcomes: counts.outcomes, credits: money, out: desk.out };
    const became = rows.map((row) => (toPay.includes(row.row) ? ({ ...row, type: 'resubmitted' } as const) : row));
    context.output.data(JSON.stringify({ ...end, ...reconciledJson(became, orphans) }));
  }
  return exit;
}

/** The jobs from the time of the batch that no row has; null where the API does not say, which is told. */
async function findOrphans({ ledger, reads, batch, context }: Desk): Promise<readonly Orphan[] | null> {
  const found = await listOrphans(ledger, reads, batch.name);
  if (found.type === 'listed') return found.orphans;
  context.output.say(`Jobs that belong to no row could not be listed: ${found.why}`);
  return null;
}

/** What is left to a person, for rows of which no trace was found. */
function stillUnknown(rows: readonly SettledRow[], again: readonly number[], batch: BatchRecord): readonly string[] {
  const left = rows.filter(
    ({ type, row }) => (type === 'still-unknown' || type === 'unreadable') && !again.includes(row),
  );
  return left.length === 0 ? [] : [wordSteps({ count: left.length, first: left }, shellWord(batch.name))];
}

/** Pays for the rows that are to be sent again, works on what is open, writes the files. `changed`: what was settled before that. */
async function goOn(desk: Desk, again: readonly number[], changed: 'rows' | 'sums' | 'nothing'): Promise<ExitName> {
  const { settings, ledger, batch, open, flags, context, out } = desk;
  const { output } = context;
  const work = {
    settings,
    ledger,
    batch,
    out,
    json: false,
    detach: false,
    yes: flags.yes ?? false,
    canAsk: output.isInteractive,
    output,
    atFaultPoint: context.atFaultPoint,
  };
  if (again.length > 0) {
    const rules = { step: null, resubmit: true, replace: false, accept: false, asksForOverdue: false };
    const rows = chosenRows(ledger, batch.name, { rows: again });
    const draft = await draftRedrive(ledger, batch, rows, rules);
    const command = `voxbatch reconcile ${shellWord(batch.name)}`;
    const confirmAbove = settings.config.confirmAbove ?? null;
    return redriveRows({
      ...work,
      draft,
      rows,
      command,
      fileSha256: null,
      confirmAbove,
      openApi: () => Promise.resolve(open),
    });
  }
  const view = await viewHere(ledger, settings, batch.name);
  if (changed === 'nothing') return exitOfView(view);
  if (changed === 'sums' && view.batch.state !== 'closed') {
    // No row was opened, so there is no new work: the batch is left to whoever has it.
    output.say(`To write its files as they stand: voxbatch results ${shellWord(batch.name)}`);
    return exitOfView(view);
  }
  await claimOut(out, batch);
  return workOn(work, open);
}
