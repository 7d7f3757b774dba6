import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { batchHere } from '../../client/look/status.ts';
import { viewListed } from '../../client/look/status-view.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { reconcile as reconcileBatch } from '../../client/reconcile/reconcile.ts';
import type { ReconcileEnd, ReconcileEvent, ReconcileOptions } from '../../client/reconcile/reconcile-options.ts';
import { viewReconciled } from '../../client/reconcile/reconcile-view.ts';
import { claimOut } from '../../client/look/claim-out.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { jsonLine, type RunContext } from '../terminal/output.ts';
import { ExitError, unchangedError } from '../exit-error.ts';
import { adoptAdvice } from '../exit-of-problem.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { finishRedrive, redriveTeller, workOn, type RedriveCommand } from '../redrive/show-redrive.ts';
import { uncheckedSteps, wordSteps } from '../terminal/next-steps.ts';
import { rowsInWords, unitsInWords, plural } from '../terminal/words.ts';
import { confirmedSettings } from '../trust/confirm.ts';
import {
  lostVoiceLines,
  olderLines,
  orphanLines,
  otherInputLines,
  priceLines,
  reconciledLine,
  reconciledWords,
} from './reconcile-words.ts';
import type { Flags } from '../commands/flags.ts';
import { defined } from '../../contract/defined.ts';
import { rowArg } from '../../client/look/continue-command.ts';

type Listed = Extract<ReconcileEvent, { readonly type: 'listed' }>;
type Settled = Exclude<ReconcileEnd, { readonly type: 'unconfirmed' } | { readonly word: string }>;

/**
 * `voxbatch reconcile [BATCH]`: settles rows whose answer was lost, by evidence or by a person's decision, reverts such
 * decisions, lists jobs that belong to no row, and works on the batch if a row was reopened. Only `--resubmit` spends
 * money.
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
    const end = await reconcileBatch(session, batch, request, person, tellerOf({ batch, out }, invocation));
    if (end.type === 'unconfirmed') throw unconfirmed(end.requests, batch.name);
    if ('word' in end) throw unchangedError(faultText(end, batch), `voxbatch status ${shellWord(batch.name)}`);
    if (areAllRefused(end.rows))
      throw new ExitError(
        'usage',
        `${end.rows.map(reconciledLine).join('\n')}\nNothing was changed. Nothing was spent.`,
      );
    const command = { batch, command: `voxbatch reconcile ${shellWord(batch.name)}`, out };
    const exit = await goOn(end, command, { ...invocation, json: false });
    if (json) {
      const sums = await batchHere(ledger, session.settings, batch.name);
      output.data(
        jsonLine(
          viewReconciled(
            end,
            { batch: batch.name, exit, out, next: context.takeNote?.taken?.next },
            sums,
            reconciledWords,
          ),
        ),
      );
    }
    return exit;
  });
}

/**
 * Paying again for what may have been charged requires a person's consent: an answer on a terminal, `--yes` elsewhere.
 */
function unconfirmed(requests: number, batch: string): ExitError {
  return new ExitError(
    'refused',
    `Not confirmed: ${plural(requests, 'request')} of "${batch}" may be charged a second time, and there is no terminal to ask on. ` +
      'Nothing was changed. Nothing was spent. To continue, run the same command with --yes.',
  );
}

function areAllRefused(rows: readonly { readonly type: string }[]): boolean {
  return rows.length > 0 && rows.every(({ type }) => type === 'refused');
}

/** Reports what happened to each row, then what was not settled, and the next steps. */
function tellerOf(
  place: Pick<RedriveCommand, 'batch' | 'out'>,
  { output, json, takeNote }: Invocation,
): (event: ReconcileEvent) => void {
  const batch = place.batch.name;
  const tellRedrive = redriveTeller(place, { output, takeNote });
  return (event) => {
    if (event.type === 'settled') {
      const { row } = event;
      // Print a refusal once: if nothing else was done, it is the error.
      if (!json && row.type !== 'refused') output.data(reconciledLine(row));
      for (const line of [...priceLines(row, batch), ...olderLines(row, batch), ...otherInputLines(row, batch)])
        output.say(line);
    } else if (event.type !== 'listed') tellRedrive(event);
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

function leftLines({ rows, orphans, voices, again, forgotten }: Listed, batch: string): readonly string[] {
  const isWanted = rows.some((row) => row.type === 'still-unknown' && row.hasList);
  return [
    ...lostVoiceLines(voices, batch),
    ...orphanLines(orphans, batch, { isWanted }),
    ...rows.filter(({ type }) => type === 'refused').map(reconciledLine),
    ...stillUnknown(rows, again, shellWord(batch)),
    ...(forgotten === undefined ? [] : [forgottenLine(forgotten, batch)]),
  ];
}

/** Requests that only the receipts know. Only those with a job can be given to their rows. */
function forgottenLine({ folders, rows, jobs }: NonNullable<Listed['forgotten']>, batch: string): string {
  const known = `The receipts in ${folders.join(' and ')} have paid requests of ${rowsInWords(rows.length)} that the ledger lacks.`;
  return `${known} ${adoptAdvice(batch, jobs)}`.trimEnd();
}

/** The next steps for rows without any trace. */
function stillUnknown(rows: Listed['rows'], again: readonly number[], batch: string): readonly string[] {
  const left = rows.filter(
    ({ type, row }) => (type === 'still-unknown' || type === 'unreadable') && !again.includes(row),
  );
  const unchecked = someRows(left.filter(isUnchecked));
  const others = someRows(left.filter((row) => !isUnchecked(row)));
  return [
    ...(unchecked.count === 0 ? [] : [`${unitsInWords(unchecked)} with ${uncheckedSteps(unchecked, batch)}`]),
    ...(others.count === 0 ? [] : [wordSteps(others, batch)]),
  ];
}

function isUnchecked(row: Listed['rows'][number]): boolean {
  return row.type === 'still-unknown' && row.lacksOnlyCheck === true;
}

function someRows(rows: Listed['rows']): Parameters<typeof wordSteps>[0] {
  return { count: rows.length, parts: rows.filter(({ partOf }) => (partOf ?? null) !== null).length, first: rows };
}

/** Works on the open rows and writes the files. */
async function goOn(end: Settled, command: RedriveCommand, invocation: Invocation): Promise<ExitName> {
  const { batch, out } = command;
  const { session, output } = invocation;
  if (end.type === 'open')
    return end.paid === undefined ? workOn(batch, out, invocation, true) : finishRedrive(end.paid, command, invocation);
  if (end.type !== 'settled') return finishRedrive(end, command, invocation);
  const ledger = await session.ledger();
  const now = await batchHere(ledger, session.settings, batch.name);
  if (end.changed === 'nothing') return viewListed(now).exit;
  if (now.batch.state !== 'closed') {
    // No row was opened, so there is no new work, and the batch is left to its current workers.
    output.say(`To write its files as they stand: voxbatch results ${shellWord(batch.name)}`);
    return viewListed(now).exit;
  }
  await claimOut(out, batch, ledger);
  return workOn(batch, out, invocation, false);
}

type RequestFault = Extract<ReconcileEnd, { readonly word: string }>;

/** Parts that are named when a row is not clear enough. */
const NAMED = 20;

/** Flags of `reconcile`. `resubmit`: rows. */
export type ReconcileFlags = Omit<Flags, 'resubmit'> & { readonly resubmit?: readonly string[] };

/** Reads what the flags ask for. Throws {@link ExitError} `usage`. */
export function readRequest({ adopt = [], resubmit, release, notCharged }: ReconcileFlags): ReconcileOptions {
  return defined({
    adopt: adopt.length === 0 ? undefined : readAdoptions(adopt),
    resubmit: wordsOf(resubmit),
    release: wordsOf(release),
    notCharged: wordsOf(notCharged),
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

/** Splits at commas; undefined: there are no words. */
function wordsOf(texts: readonly string[] = []): readonly string[] | undefined {
  const words = texts.flatMap((text) => text.split(',').map((word) => word.trim())).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}

/** Why rows cannot be settled as asked for. */
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
      const names = fault.parts.slice(0, NAMED).map((part) => shellWord(rowArg(part)));
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
