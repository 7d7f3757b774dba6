import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import { type Remaining, remainingAfter } from '../../batches/reconcile/settle.ts';
import type { SettledRow } from '../../batches/reconcile/settled-row.ts';
import type { SettlementPlan } from '../../batches/reconcile/settlement-request.ts';
import type { SomeRows } from '../../batches/look/leftovers.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { claimOut } from '../../client/run/out-folder.ts';
import { draftResubmit, reconcileBatch, type OrphanList } from '../../client/reconcile/reconcile-batch.ts';
import { refuseLoading } from '../../client/refuse-loading.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { RunContext } from '../command-context.ts';
import type { WebhookFlags } from '../commands/webhook-flags.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { ExitError } from '../exit-error.ts';
import { batchHere } from '../../client/look/status.ts';
import { redriveRows, workOn } from '../redrive/redrive-rows.ts';
import { number } from '../terminal/words.ts';
import { confirmedSettings } from '../trust/confirmed-settings.ts';
import { uncheckedSteps, wordSteps } from '../terminal/next-steps.ts';
import { unitsInWords } from '../terminal/row-words.ts';
import { lostVoiceLines, lostVoicesJson } from './lost-voice-words.ts';
import { olderLines, orphanLines, priceLines, reconciledJson, reconciledLine } from './reconcile-words.ts';
import { requireOrder, type WishFlags } from './row-flags.ts';

/** Flags of `reconcile`. */
export interface ReconcileFlags extends WishFlags, WebhookFlags {
  readonly yes?: boolean;
  readonly out?: string;
  readonly apiUrl?: string;
  readonly json?: boolean;
}

/** What the parts of the command share. */
interface Task {
  readonly batch: BatchRecord;
  readonly order: SettlementPlan;
  /** Absolute. */
  readonly out: string;
}

/**
 * `voxbatch reconcile [BATCH]`: settles rows whose answer was lost, by what can be found or by a person's word, takes
 * such a word back, lists the jobs that no row has, and works on the batch if a row is open again. Only `--resubmit`
 * pays.
 */
export async function reconcile(
  name: string | undefined,
  flags: ReconcileFlags,
  context: RunContext,
): Promise<ExitName> {
  const settings = await confirmedSettings(flags);
  return withInvocation({ settings, flags, context, mustExist: true }, async (invocation) => {
    const ledger = await invocation.session.ledger();
    const batch = await chooseBatch(ledger, name);
    refuseLoading(batch);
    const order = await requireOrder(ledger, batch, flags);
    requireWord(order, batch, invocation);
    return settleAll({ batch, order, out: resolve(flags.out ?? defaultOut(batch.name)) }, invocation);
  });
}

/** Paying again for what may have been charged takes a person's word: an answer on a terminal, `--yes` elsewhere. */
function requireWord({ again }: SettlementPlan, batch: BatchRecord, { person }: Invocation): void {
  if (again.length === 0 || person.yes || person.canAsk) return;
  throw new ExitError(
    'refused',
    `Not confirmed: ${again.length === 1 ? '1 request' : `${number(again.length)} requests`} of "${batch.name}" may be charged a second time, and there is no terminal to ask on. ` +
      'Nothing was changed. Nothing was spent. To continue, run the same command with --yes.',
  );
}

async function settleAll(task: Task, invocation: Invocation): Promise<ExitName> {
  const { batch, order, out } = task;
  const { session, output, json } = invocation;
  const { rows: settling, orphans: listOrphans, lostVoices } = await reconcileBatch(session, task);
  const rows: SettledRow[] = [];
  for await (const row of settling) {
    rows.push(row);
    // Print a refusal once: if nothing else was done, it is the error.
    if (!json && row.type !== 'refused') output.data(reconciledLine(row));
    for (const line of [...priceLines(row, batch.name), ...olderLines(row, batch.name)]) output.say(line);
  }
  if (rows.length > 0 && rows.every(({ type }) => type === 'refused')) {
    throw new ExitError('usage', `${rows.map(reconciledLine).join('\n')}\nNothing was changed. Nothing was spent.`);
  }
  if (rows.length === 0 && !json) output.data(`Batch "${batch.name}" has no unknown row.`);
  const found = await listOrphans();
  if (found.type === 'unreadable') output.say(`Jobs that belong to no row could not be listed: ${found.why}`);
  const voices = await lostVoices(rows.flatMap(({ type, row }) => (type === 'still-unknown' ? row : [])));
  if (voices.type === 'unreadable') output.say(`Voices that rows may have made could not be listed: ${voices.why}`);
  const mayBeTheirs = voices.type === 'listed' ? voices.voices : null;
  if (!json) {
    for (const line of lostVoiceLines(mayBeTheirs ?? [], batch.name)) output.data(line);
    sayLeft(rows, found, task, invocation);
  }
  const after = remainingAfter(rows, order);
  const exit = await goOn(task, after, invocation);
  if (json) {
    const { counts, money } = await batchHere(await session.ledger(), session.settings, batch.name);
    const end = { batch: batch.name, exit, outcomes: counts.outcomes, credits: money, out };
    const became = rows.map((row) =>
      after.toPay.includes(row.row) ? ({ ...row, type: 'resubmitted' } as const) : row,
    );
    output.data(
      JSON.stringify({ ...end, ...reconciledJson(became, orphansOf(found)), voices: lostVoicesJson(mayBeTheirs) }),
    );
  }
  return exit;
}

/** Says what was not settled, and what a person can do about it. */
function sayLeft(
  rows: readonly SettledRow[],
  found: OrphanList,
  { batch, order: { again } }: Task,
  invocation: Invocation,
): void {
  const { output } = invocation;
  const isWanted = rows.some((row) => row.type === 'still-unknown' && row.hasList);
  const refused = rows.filter(({ type }) => type === 'refused').map(reconciledLine);
  const lines = [
    ...orphanLines(orphansOf(found), batch.name, { isWanted }),
    ...refused,
    ...stillUnknown(rows, again, batch),
  ];
  for (const line of lines) output.data(line);
  if (refused.length > 0 && again.length > 0)
    output.say('No row was paid for again, because a job was refused. Fix that first, then run the same command.');
}

function orphansOf(found: OrphanList): Parameters<typeof orphanLines>[0] {
  return found.type === 'listed' ? found.orphans : null;
}

/** What a person can do for rows of which no trace was found. */
function stillUnknown(rows: readonly SettledRow[], again: readonly number[], batch: BatchRecord): readonly string[] {
  const left = rows.filter(
    ({ type, row }) => (type === 'still-unknown' || type === 'unreadable') && !again.includes(row),
  );
  const unchecked = someRows(left.filter(isUnchecked));
  const others = someRows(left.filter((row) => !isUnchecked(row)));
  const name = shellWord(batch.name);
  return [
    ...(unchecked.count === 0 ? [] : [`${unitsInWords(unchecked)} with ${uncheckedSteps(unchecked, name)}`]),
    ...(others.count === 0 ? [] : [wordSteps(others, name)]),
  ];
}

function isUnchecked(row: SettledRow): boolean {
  return row.type === 'still-unknown' && row.lacksOnlyCheck === true;
}

function someRows(rows: readonly SettledRow[]): SomeRows {
  return { count: rows.length, parts: rows.filter(({ partOf }) => (partOf ?? null) !== null).length, first: rows };
}

/** Pays for the rows that are to be sent again, works on what is open, writes the files. */
async function goOn({ batch, out }: Task, { toPay, changed }: Remaining, invocation: Invocation): Promise<ExitName> {
  const { session, output } = invocation;
  const { settings } = session;
  const ledger = await session.ledger();
  // `reconcile` prints the line of JSON.
  const quietInvocation = { ...invocation, json: false };
  if (toPay.length > 0) {
    const command = `voxbatch reconcile ${shellWord(batch.name)}`;
    const confirmAbove = settings.config.confirmAbove ?? null;
    const drafted = await draftResubmit(ledger, batch, toPay);
    return redriveRows({ ...drafted, batch, command, fileSha256: null, out, confirmAbove }, quietInvocation);
  }
  const view = await batchHere(ledger, settings, batch.name);
  if (changed === 'nothing') return exitOfView(view);
  if (changed === 'sums' && view.batch.state !== 'closed') {
    // No row was opened, so there is no new work: the batch is left to its current workers.
    output.say(`To write its files as they stand: voxbatch results ${shellWord(batch.name)}`);
    return exitOfView(view);
  }
  await claimOut(out, batch, ledger);
  return workOn(batch, out, quietInvocation);
}
