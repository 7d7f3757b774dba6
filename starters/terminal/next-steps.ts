import {
  nextSteps as stepsOf,
  settleCommands,
  uncheckedCommands,
  type Finished,
  type NextStep,
  type NextWhy,
  type SettleCommands,
} from '../../client/status/next-steps.ts';
import type { Problem } from '../../client/problem-types.ts';
import { rowArg, takeArg } from '../../client/status/continue-command.ts';
import type { NamedRow } from '../../contract/row-parts.ts';
import type { EndWord } from '../../client/status/counts-view.ts';
import { type NextCommand, shellWord } from '../../contract/shell-word.ts';
import { commandLine, rowsInWords, unitsInWords, unnamedRows, form, number, plural } from './words.ts';
import { inCredits } from './money.ts';
import { oneLine } from './table.ts';

type SomeRows = Parameters<typeof settleCommands>[0];
type NextStepOf<W extends NextWhy> = Extract<NextStep, { readonly why: W }>;

/** Rows that a step lists. */
const MAX_ROWS = 5;

/** Appended to a command that sends the rows of `failed.csv`, if the file has other rows too. */
export const ALSO_OTHERS = ' (this also sends the other failed rows again)';

/** How the input of a single job is changed: it has no table, and its command is not recorded. */
export const OTHER_INPUT = 'To change its input: the same command with other arguments, which is a job of its own';

/**
 * Describes a finished batch's next steps, the most urgent first. `omitted`: outcomes that another text explains; see
 * {@link stepsOf}.
 */
export function nextSteps(finished: Finished, omitted: readonly EndWord[] = []): readonly string[] {
  return stepsOf(finished, omitted).map(stepWords);
}

/** Describes one next step. */
export function stepWords(step: NextStep): string {
  // Each entry takes its own reason's step; the compiler cannot see that through the table.
  const words: (step: never) => string = WORDS[step.why];
  return words(step as never);
}

const WORDS: { readonly [W in NextWhy]: (step: NextStepOf<W>) => string } = {
  halted: ({ message }) => haltMessage(message),
  stored: ({ rows, free }) =>
    `${rowsInWords(rows.count)} without a result, although the store has one from before the restore. To find out how ${form(rows.count, 'it is', 'they are')} given that, free: ${commandLine(free)}`,
  'not-cached': ({ rows, before, pay }) =>
    `${rowsInWords(rows.count)} without an earlier result, not sent. To pay for ${them(rows)}: ${before === undefined ? '' : `${commandLine(before)}, then: `}${commandLine(pay)}`,
  'over-budget': ({ rows, before, pay, isEnough }) => {
    const these = `${rowsInWords(rows.count)} not sent: over the`;
    if (isEnough) return `${these} earlier budget. The budget is sufficient now: ${commandLine(pay)}`;
    return before === undefined
      ? `${these} budget. To send ${them(rows)}: ${commandLine(pay)}`
      : `${these} budget. Raise it (${commandLine(before)}), then: ${commandLine(pay)}`;
  },
  unchecked: (step) => `${unitsInWords(step.rows)} with ${uncheckedWords(step.rows, step)}`,
  listed: ({ rows, free }) => `${unitsInWords(rows)} may have been charged. Find out, free: ${commandLine(free)}`,
  unlisted: (step) =>
    `${unitsInWords(step.rows)} may have been charged; the API has no list to look ${them(step.rows)} up in. ${settleWords(step.rows, step)}`,
  earlier: ({ rows, free, adopt, named }) =>
    `${plural(rows.count, 'request')} of earlier takes may also have been charged. If your account shows no job for ${them(rows)}, ` +
    `mark ${them(rows)} as not charged: ${commandLine(free)}${firstOf(named, rows.count)}. If it shows one: ${commandLine(adopt)}`,
  overdue: ({ rows, free }) =>
    `${unitsInWords(rows)} with a job that was still running. To fetch ${them(rows)}, free: ${commandLine(free)}`,
  refused: ({ rows, explain, file, pay, isMixed }) =>
    `${rowsInWords(rows.count)} rejected by the API, not charged. ${whyWords(explain)} Fix ${them(rows)} in ${shellWord(file)}, then: ${commandLine(pay)}${isMixed ? ALSO_OTHERS : ''}`,
  'refused-job': ({ explain, pay }) =>
    `The API rejected it; it was not charged. ${whyWords(explain)} ${OTHER_INPUT}. If the input was not the cause, and that is mended: ${commandLine(pay)}`,
  'too-long': ({ rows, explain, anew }) =>
    `${rowsInWords(rows.count)} with a text that is longer than the API takes, not charged. ${whyWords(explain)} ${splitWords(anew, them(rows))}`,
  'refused-parts': ({ rows, explain, anew }) =>
    `${rowsInWords(rows.count)} with parts that the API refused, not charged. ${whyWords(explain)} ${editWords(anew, form(rows.count, 'its text', 'their texts'))}`,
  fetchable: ({ rows, free }) =>
    `${rowsInWords(rows.count)} whose result was paid for but could not be fetched. Try again, free: ${commandLine(free)}${free.args.includes('--rows') ? unnamedRows(rows) : ''}`,
  voiceless: ({ rows, explain, makers }) =>
    `${rowsInWords(rows.count)} without a voice, which ${form(makers.length, 'row', 'rows')} ${makers.join(', ')} did not make. ` +
    `${form(rows.count, 'It goes on by itself', 'They go on by themselves')} once ${form(makers.length, 'that row has', 'those rows have')} succeeded. ` +
    `Why not: ${commandLine(explain)}`,
  'unfit-parts': ({ rows, explain, free, pay }) =>
    `${rowsInWords(rows.count)} with parts that failed a check, which are kept. ${whyWords(explain, 'Why, and their files')} ` +
    `To accept ${asTheyAre(rows)}, free: ${commandLine(free)}. To pay for such parts again: ${commandLine(pay)}`,
  failed: ({ rows, explain, pay }) =>
    `${rowsInWords(rows.count)} failed. ${whyWords(explain)} To send ${them(rows)} again, at ${their(rows)} price: ${commandLine(pay)}`,
  'other-parts': ({ rows, pay }) =>
    `${unitsInWords(rows)} of these rows in parts ${form(rows.count, 'has', 'have')} no result either. ` +
    `To send ${them(rows)} again, at ${their(rows)} price: ${commandLine(pay)}${unnamedRows(rows)}`,
  unfit: ({ rows, free, pay }) =>
    `${rowsInWords(rows.count)} with a result that failed a check, kept under media/unfit/. ` +
    `To accept ${asTheyAre(rows)}, free: ${commandLine(free)}. To pay for ${them(rows)} again: ${commandLine(pay)}`,
  overlong: ({ rows, edit, pay }) =>
    `${rowsInWords(rows.count)} with a result that plays longer than max_seconds allows (${rows.first
      .map(({ id }) => oneLine(id))
      .slice(0, MAX_ROWS)
      .join(', ')}${rows.count > MAX_ROWS ? ', …' : ''}); _message says by how much. ` +
    `Shorten the text${edit.includes('speed') ? ' or raise speed' : ''}, then: ${commandLine(pay)}`,
  cancelled: ({ rows, pay }) =>
    `${rowsInWords(rows.count)} cancelled. To send ${them(rows)}, at ${their(rows)} price: ${commandLine(pay)}`,
  'not-chosen': ({ rows, pay, expected }) =>
    `${rowsInWords(rows.count)} not chosen. To send ${them(rows)}, ${expected === null ? 'at their price' : `for about ${inCredits(expected)}`}: ${commandLine(pay)}`,
};

/** Returns the message for a batch that stopped at the failure threshold. */
export function haltMessage(halted: string): string {
  return `The batch stopped itself: ${halted}. Check the failures before you continue.`;
}

/** Describes rows that lack only their verification's answer, and the commands that settle them. */
export function uncheckedSteps(rows: SomeRows, batch: string): string {
  return uncheckedWords(rows, uncheckedCommands(rows, [batch]));
}

/** The text of {@link uncheckedSteps}, with these commands. */
export function uncheckedWords(rows: SomeRows, { free, pay }: ReturnType<typeof uncheckedCommands>): string {
  const unnamed = unnamedRows(rows);
  return (
    `${form(rows.count, 'a result', 'results')} stored and paid for; only the answer of ${their(rows)} verification is lost, which may have been charged. ` +
    `To take ${them(rows)} unverified, free: ${commandLine(free)}${unnamed}. To pay for another verification: ${commandLine(pay)}${unnamed}`
  );
}

/** Describes how to settle rows whose answers were lost: by naming the job, or by paying again. */
export function settleSteps(rows: SomeRows, batch: string): string {
  return settleWords(rows, settleCommands(rows, [batch]));
}

/** The text of {@link settleSteps}, with these commands. */
export function settleWords(rows: SomeRows, { adopt, named, nameable, made, pay }: SettleCommands): string {
  const resubmit = `${commandLine(pay)}${unnamedRows(rows)}`;
  if (adopt === undefined) return `Such a request makes no job to fetch. To send again at a new charge: ${resubmit}`;
  const jobs = form(rows.count, made.join(), made.map((noun) => `${noun}s`).join(' or '));
  return (
    `If your account shows ${their(rows)} ${jobs}: ${commandLine(adopt)}${firstOf(named, nameable)}. ` +
    `If ${form(rows.count, 'it is', 'they are')} not there, send again at a new charge: ${resubmit}`
  );
}

/**
 * Describes how to change a text spoken in parts: the recorded parts are those of the old text. `what`: the text or
 * texts.
 */
export function editWords(anew: NextCommand | undefined, what: string): string {
  const free = 'parts that did not change come from the cache, free';
  if (anew === undefined) return `Give ${what}, changed, to the same command again: ${free}`;
  return `Change ${what} in the manifest, and run that under another name, where ${free}: ${commandLine(anew)}`;
}

/** Describes how to split a text that is too long for the API, without changing it. `it`: it, or them. */
export function splitWords(anew: NextCommand | undefined, it: string): string {
  if (anew === undefined) return `To split ${it}, run the same command with --split sentences`;
  return `No edit is needed. To split ${it}, run the manifest under another name, where finished rows come from the cache, free: ${commandLine(anew)}`;
}

/** Returns ` (the first 3 of 57)` after a command that does not name all rows; else nothing. */
function firstOf(named: number, count: number): string {
  return count > named ? ` (the first ${number(named)} of ${number(count)})` : '';
}

function whyWords(explain: NextCommand | undefined, what = 'Why'): string {
  return explain === undefined ? '' : `${what}: ${commandLine(explain)}.`;
}

function them({ count }: SomeRows): string {
  return form(count, 'it', 'them');
}

function their({ count }: SomeRows): string {
  return form(count, 'its', 'their');
}

function asTheyAre({ count }: SomeRows): string {
  return form(count, 'it as it is', 'them as they are');
}

/*
 * For what a restored ledger lacks: the commands that give rows their jobs and stored results, free.
 */

type ProblemOf<T extends Problem['type']> = Extract<Problem, { readonly type: T }>;

/** Jobs that a command lists. */
const MAX_JOBS = 20;

/** Returns the command that adopts these jobs for their rows; empty without jobs. */
export function adoptAdvice(batch: string, jobs: ProblemOf<'forgotten-requests'>['jobs']): string {
  if (jobs.length === 0) return '';
  const words = jobs.slice(0, MAX_JOBS).map((job) => shellWord(`${rowOrTake(job)}=${job.jobId}`));
  const more = jobs.length > words.length ? ` (and ${String(jobs.length - words.length)} more there)` : '';
  return `These jobs were paid for; to fetch them, free: voxbatch reconcile ${shellWord(batch)} --adopt ${words.join(' ')}${more}. `;
}

/** Returns the command that gives these rows their stored results; empty without any. */
export function storedAdvice(batch: string, results: ProblemOf<'forgotten-results'>['rows']): string {
  const files = results.filter(({ isAdoptable }) => isAdoptable);
  const words = files.slice(0, MAX_JOBS).map((one) => shellWord(`${rowOrTake(one)}=${one.key}`));
  const name = shellWord(batch);
  const more = files.length > words.length ? ` (and ${String(files.length - words.length)} more there)` : '';
  const others = results.length - files.length;
  return (
    (words.length === 0 ? '' : `To take these, free: voxbatch reconcile ${name} --adopt ${words.join(' ')}${more}. `) +
    (others === 0
      ? ''
      : `${rowsInWords(others)} ${form(others, 'needs the job that made it', 'need the jobs that made them')}, as your account shows: voxbatch reconcile ${name} --adopt ROW=JOB. `)
  );
}

/** Returns what to do about requests whose receipts name no job; empty if there are none. `requests`: how many. */
export function joblessAdvice(batch: string, requests: number): string {
  if (requests === 0) return '';
  return (
    `The receipts name no job of ${plural(requests, 'request')}, so no row can be given one. Once the rows have the other jobs, find the results in the store, free: ` +
    `voxbatch ledger compare-store, then voxbatch reconcile ${shellWord(batch)}. What is not there: look in your account. `
  );
}

function rowOrTake(one: NamedRow & { readonly take?: number }): string {
  return one.take === undefined ? rowArg(one) : takeArg(one, one.take);
}
