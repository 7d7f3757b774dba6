import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { batchHere } from '../../client/status/status.ts';
import { viewListed } from '../../client/status/status-view.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { reconcile as reconcileBatch } from '../../client/reconcile/reconcile.ts';
import type { ReconcileEnd, ReconcileEvent, ReconcileOptions } from '../../client/reconcile/reconcile-options.ts';
import { viewReconciled } from '../../client/reconcile/reconcile-view.ts';
import { claimOut } from '../../client/results/claim-out.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { jsonLine, type RunContext } from '../terminal/output.ts';
import { ExitError, unchangedError } from '../exit-error.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { finishRedrive, redrivePrinter, workOn, type RedriveCommand } from '../redrive/show-redrive.ts';
import { adoptAdvice, joblessAdvice, settleSteps, storedAdvice, uncheckedSteps } from '../terminal/next-steps.ts';
import { rowsInWords, unitsInWords, plural } from '../terminal/words.ts';
import { confirmedSettings } from '../trust/confirm.ts';
import {
  lostVoiceLines,
  olderVoiceLines,
  orphanLines,
  otherInputLines,
  priceLines,
  reconciledLine,
  reconciledWords,
} from './reconcile-words.ts';
import type { Flags } from '../commands/flags.ts';
import { defined } from '../../contract/defined.ts';
import { rowArg } from '../../client/status/continue-command.ts';

type Listed = Extract<ReconcileEvent, { readonly type: 'listed' }>;
type Settled = Exclude<ReconcileEnd, { readonly type: 'unconfirmed' } | { readonly word: string }>;

/**
 * `voxbatch reconcile [BATCH]`: settles unknown rows, by evidence from the API or by the user's decision, or undoes
 * such decisions; lists jobs that belong to no row; and works on the batch if a row was reopened. Only `--resubmit`
 * spends.
 */
export async function reconcile(
  name: string | undefined,
  flags: ReconcileFlags,
  context: RunContext,
): Promise<ExitName> {
  const settings = await confirmedSettings(flags);
  return withInvocation({ settings, flags, context, mustExist: true }, async (invocation) => {
    const { session, person, output, json, webhook } = invocation;
    const ledger = await session.ledger();
    const batch = await chooseBatch(ledger, name);
    const out = resolve(flags.out ?? defaultOut(batch.name));
    const request = { ...readRequest(flags), ...defined({ reason: flags.reason }), out, webhook };
    const end = await reconcileBatch(session, batch, request, person, eventPrinter({ batch, out }, invocation));
    if (end.type === 'unconfirmed') throw unconfirmedError(end.requests, batch.name);
    if ('word' in end) throw unchangedError(faultText(end, batch), `voxbatch status ${shellWord(batch.name)}`);
    if (areAllRefused(end.rows))
      throw new ExitError(
        'usage',
        `${end.rows.map(reconciledLine).join('\n')}\nNothing was changed. Nothing was spent.`,
      );
    const command = { batch, command: `voxbatch reconcile ${shellWord(batch.name)}`, out };
    const exit = await workOnOpened(end, command, { ...invocation, json: false });
    if (json) {
      const sums = await batchHere(ledger, session.settings, batch.name);
      const ended = { batch: batch.name, exit, out, next: context.takeNote?.taken?.next };
      output.data(jsonLine(viewReconciled(end, ended, sums, reconciledWords)));
    }
    return exit;
  });
}

/**
 * Returns the error for `--resubmit` without consent. It may pay twice, so the user must agree on a terminal, or by
 * `--yes` elsewhere.
 */
function unconfirmedError(requests: number, batch: string): ExitError {
  return new ExitError(
    'refused',
    `Not confirmed: ${plural(requests, 'request')} of "${batch}" may be charged a second time, and there is no terminal to ask on. ` +
      'Nothing was changed. Nothing was spent. To continue, run the same command with --yes.',
  );
}

function areAllRefused(rows: readonly { readonly type: string }[]): boolean {
  return rows.length > 0 && rows.every(({ type }) => type === 'refused');
}

/** Returns a function that prints what happened to each row, then what was not settled, and the next steps. */
function eventPrinter(
  place: Pick<RedriveCommand, 'batch' | 'out'>,
  { output, json, takeNote }: Invocation,
): (event: ReconcileEvent) => void {
  const batch = place.batch.name;
  const printRedrive = redrivePrinter(place, { output, takeNote });
  return (event) => {
    if (event.type === 'settled') {
      const { row } = event;
      // Refusals are printed with the list that follows, or, if every row was refused, as the error.
      if (!json && row.type !== 'refused') output.data(reconciledLine(row));
      for (const line of [...priceLines(row, batch), ...olderVoiceLines(row, batch), ...otherInputLines(row, batch)])
        output.say(line);
    } else if (event.type !== 'listed') printRedrive(event);
    else if (!areAllRefused(event.rows)) {
      const { rows, orphans, voices, again } = event;
      if (rows.length === 0 && !json) output.data(`Batch "${batch}" has no unknown row.`);
      if (orphans.type === 'unreadable') output.say(`Jobs that belong to no row could not be listed: ${orphans.why}`);
      if (voices.type === 'unreadable') output.say(`Voices that rows may have made could not be listed: ${voices.why}`);
      if (json) return;
      for (const line of leftLines(event, batch)) output.data(line);
      if (again.length > 0 && rows.some(({ type }) => type === 'refused'))
        output.say('No row was paid for again, because a job was refused. Fix that first, then run the same command.');
    }
  };
}

/** Lists what is not settled. `again`: rows that are paid for again; `forgotten`: requests that only receipts have. */
function leftLines({ rows, orphans, voices, again, forgotten, stored = [] }: Listed, batch: string): readonly string[] {
  const isWanted = rows.some((row) => row.type === 'still-unknown' && row.hasList);
  return [
    ...lostVoiceLines(voices, batch),
    ...orphanLines(orphans, batch, { isWanted }),
    ...rows.filter(({ type }) => type === 'refused').map(reconciledLine),
    ...stillUnknown(rows, again, shellWord(batch)),
    ...(forgotten === undefined ? [] : forgottenLines(forgotten, stored.length, batch)),
    ...(stored.length === 0 ? [] : [storedLine(stored, batch)]),
  ];
}

type Forgotten = NonNullable<Listed['forgotten']>;

/** Describes what only receipts in the out folder have, and which of them cannot be read. */
function forgottenLines(forgotten: Forgotten, stored: number, batch: string): readonly string[] {
  const { folders, rows, jobs, unread } = forgotten;
  return [
    ...(rows.length + jobs.length === 0 ? [] : [forgottenLine(forgotten, stored, batch)]),
    ...(unread === undefined ? [] : [`The receipts in ${folders.join(' and ')} cannot all be read: ${unread}.`]),
  ];
}

/**
 * Describes the requests that only receipts have, and the commands that give rows what can be found. `stored`: how many
 * of them have a result in the store, which is named beside.
 */
function forgottenLine({ folders, rows, jobs, jobless }: Forgotten, stored: number, batch: string): string {
  const what = rows.length === 0 ? plural(jobs.length, 'job') : `paid requests of ${rowsInWords(rows.length)}`;
  const known = `The receipts in ${folders.join(' and ')} have ${what} that the ledger lacks.`;
  const later = `Its rows need the results of their present jobs first. Then: voxbatch reconcile ${shellWord(batch)}`;
  if (jobs.length + jobless.length === 0) return `${known} ${later}`;
  return `${known} ${adoptAdvice(batch, jobs)}${joblessAdvice(batch, Math.max(0, jobless.length - stored))}`.trimEnd();
}

/** Describes results in the store that no row has, and the command that gives them to their rows. */
function storedLine(stored: NonNullable<Listed['stored']>, batch: string): string {
  const what = `The store has results of ${rowsInWords(stored.length)} whose requests are not in the ledger, by row number`;
  return `${what}: compare the rows with what they were. ${storedAdvice(batch, stored)}`.trimEnd();
}

/** The next steps for rows that stay unknown. `batch`: its name, quoted for a shell. */
function stillUnknown(rows: Listed['rows'], again: readonly number[], batch: string): readonly string[] {
  const left = rows.filter(
    ({ type, row }) => (type === 'still-unknown' || type === 'unreadable') && !again.includes(row),
  );
  const unchecked = someRows(left.filter(isUnchecked));
  const others = someRows(left.filter((row) => !isUnchecked(row)));
  return [
    ...(unchecked.count === 0 ? [] : [`${unitsInWords(unchecked)} with ${uncheckedSteps(unchecked, batch)}`]),
    ...(others.count === 0 ? [] : [settleSteps(others, batch)]),
  ];
}

/** Whether the row's result is stored, and only the answer of its verification is lost. */
function isUnchecked(row: Listed['rows'][number]): boolean {
  return row.type === 'still-unknown' && row.lacksOnlyCheck === true;
}

/** Returns rows as `next-steps.ts` takes them: how many, how many of them are parts, and the rows themselves. */
function someRows(rows: Listed['rows']): Parameters<typeof settleSteps>[0] {
  return { count: rows.length, parts: rows.filter(({ partOf }) => (partOf ?? null) !== null).length, first: rows };
}

/** Works on the rows that were opened, and writes the files. Returns the exit code. */
async function workOnOpened(end: Settled, command: RedriveCommand, invocation: Invocation): Promise<ExitName> {
  const { batch, out } = command;
  const { session, output } = invocation;
  // `paid`: rows were opened to be paid for again, too (`--resubmit`), so the redrive's counts are printed.
  if (end.type === 'open')
    return end.paid === undefined
      ? workOn(batch, out, invocation, end.rows.length > 0)
      : finishRedrive(end.paid, command, invocation);
  if (end.type !== 'settled') return finishRedrive(end, command, invocation);
  const ledger = await session.ledger();
  const now = await batchHere(ledger, session.settings, batch.name);
  if (end.changed === 'nothing') return viewListed(now).exit;
  if (now.batch.state !== 'closed') {
    // No row was opened, so the batch is left to the workers that it has.
    output.say(`To write its files as they stand: voxbatch results ${shellWord(batch.name)}`);
    return viewListed(now).exit;
  }
  await claimOut(out, batch, ledger);
  return workOn(batch, out, invocation, false);
}

type RequestFault = Extract<ReconcileEnd, { readonly word: string }>;

/** Parts that are listed if an operand may mean several. */
const MAX_PARTS = 20;

/** Flags of `reconcile`, whose `--resubmit` takes rows. */
export type ReconcileFlags = Omit<Flags, 'resubmit'> & { readonly resubmit?: readonly string[] };

/** Parses the flags. Throws {@link ExitError} `usage`. */
export function readRequest({ adopt = [], resubmit, release, notCharged }: ReconcileFlags): ReconcileOptions {
  return defined({
    adopt: adopt.length === 0 ? undefined : readAdoptions(adopt),
    resubmit: splitAtCommas(resubmit),
    release: splitAtCommas(release),
    notCharged: splitAtCommas(notCharged),
  });
}

/** Parses `ROW=JOB` or `ROW/TAKE=JOB`: the row is an id or a number. Ids may have an equals sign, job ids have none. */
function readAdoptions(texts: readonly string[]): NonNullable<ReconcileOptions['adopt']> {
  return texts.map((text) => {
    const at = text.lastIndexOf('=');
    const [row, job] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (row === '' || job === '') throw unchangedError(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    return { row, job };
  });
}

/** Returns the names in all texts; undefined if there are none. */
function splitAtCommas(texts: readonly string[] = []): readonly string[] | undefined {
  const names = texts.flatMap((text) => text.split(',').map((name) => name.trim())).filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
}

/** Returns why the request cannot be carried out; `word` is the operand at fault. */
export function faultText(fault: RequestFault, batch: { readonly name: string; readonly rows: number }): string {
  const { word } = fault;
  switch (fault.type) {
    case 'no-row':
      return `Batch "${batch.name}" has no row "${word}". Expected an id, or a number from 1 to ${String(batch.rows)}.`;
    case 'no-take': {
      const { take, takes } = fault;
      return `Row "${word}" has had ${plural(takes, 'take')}, not ${String(take)}.`;
    }
    case 'several-parts': {
      const names = fault.parts.slice(0, MAX_PARTS).map((part) => shellWord(rowArg(part)));
      const more = fault.parts.length > names.length ? ` and ${String(fault.parts.length - names.length)} more` : '';
      return `Row "${word}" is spoken in parts, and more than one of them may be meant: ${names.join(', ')}${more}. Name the part, as in ${names[0] ?? ''}.`;
    }
    case 'not-unknown':
      return `--resubmit ${word}: the row is not unknown. To run other rows again: voxbatch redrive ${shellWord(batch.name)} --rows ${shellWord(word)}.`;
    case 'adopted-twice':
      return fault.what === 'row'
        ? `--adopt names row ${word} twice; a row has one job.`
        : `--adopt names job ${word} twice; a job belongs to one row.`;
  }
}
