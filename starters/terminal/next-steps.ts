import { budgetFor, budgetLeft } from '../../policy/money/budget.ts';
import { outcomeFile } from '../../results/batch-files.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { BatchRecord, Counts, EarlierUnresolved, Money } from '../../ledger/record-types.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import type { Leftovers, SomeRows } from '../../batches/look/leftovers.ts';
import { cutAnew, editInParts } from './edit-in-parts.ts';
import { goOnCommand } from './go-on-command.ts';
import type { EndWord } from './outcome-words.ts';
import { inCredits } from './money.ts';
import { outFlag } from './out-folder.ts';
import { rowsInWords, rowsWord, rowWord, takeWord, unitsInWords, unnamedRows } from './row-words.ts';
import { number } from './words.ts';

/** A finished batch, as far as next steps depend on it. */
export interface Finished {
  readonly batch: Pick<BatchRecord, 'name' | 'halted' | 'settings' | 'source' | 'subset'>;
  readonly counts: Counts;
  readonly money: Money;
  readonly leftovers: Leftovers;
  /** What the rows that were run show of the price of those that were left out; undefined: nothing. */
  readonly pilot?: Pick<Pilot, 'prices'> | undefined;
  /** The out folder as a person would write it. */
  readonly out: string;
}

/** Maximum jobs in an example of `--adopt`. */
const ADOPTED = 3;
/** Added to a command that sends the rows of `failed.csv`, if it holds other rows too. */
export const ALSO_OTHERS = ' (this also sends the other failed rows again)';
/** Maximum earlier takes in an example of `--not-charged`. */
const SETTLED = 20;

/**
 * What a person can do next about a finished batch, most urgent first; nothing if every row has its result. Every
 * command is safe to repeat, and works as printed, except for words in capitals. `told`: ends that the caller has told of.
 */
export function nextSteps(finished: Finished, told: readonly EndWord[] = []): readonly string[] {
  const { batch, counts, leftovers } = finished;
  const { outcomes } = counts;
  const name = nameWithOut(finished);
  const of = (outcome: Outcome, words: (rows: string, them: string) => string): string[] => {
    const count = outcomes[outcome];
    return count === 0 ? [] : [words(rowsInWords(count), count === 1 ? 'it' : 'them')];
  };
  const none: readonly string[] = [];
  // In the order in which they are said. Every outcome is here, so a new one has to say what can be done about it.
  const steps: Readonly<Record<EndWord, readonly string[]>> = {
    skipped: outcomes.skipped === counts.notChosen ? none : [skippedStep(finished)],
    unknown: [...lostSteps(leftovers.lost, name), ...earlierSteps(leftovers.earlierUnresolved, name)],
    overdue: lateSteps(outcomes.overdue, leftovers.lateParts, name),
    failed: [...failedSteps(finished), ...otherPartSteps(leftovers.otherParts, name)],
    unfit: of(
      'unfit',
      (rows, them) =>
        `${rows} with a result that failed a check, kept under media/unfit/. To accept ${them} as ${them === 'it' ? 'it is' : 'they are'}, ` +
        `free: ${redrive(name, 'unfit')} --accept. To pay for ${them} again: ${redrive(name, 'unfit')}`,
    ),
    cancelled: of(
      'cancelled',
      (rows, them) =>
        `${rows} cancelled. To send ${them}, at ${them === 'it' ? 'its' : 'their'} price: ${redrive(name, 'cancelled')}`,
    ),
    'not chosen': counts.notChosen === 0 ? none : [notChosenStep(finished)],
    succeeded: none,
    cached: none,
  };
  const untold = Object.entries(steps).filter(([word]) => !told.some((one) => one === word));
  return [...(batch.halted === null ? none : [haltMessage(batch.halted)]), ...untold.flatMap(([, said]) => said)];
}

/**
 * What to do about rows whose answers were lost. Only some can be looked up; a person has to decide about the others.
 */
function lostSteps({ listed, unlisted, unchecked }: Leftovers['lost'], name: string): readonly string[] {
  return [
    ...(unchecked.count === 0 ? [] : [`${unitsInWords(unchecked)} with ${uncheckedSteps(unchecked, name)}`]),
    ...(listed.count === 0
      ? []
      : [`${unitsInWords(listed)} may have been charged. Find out, free: voxbatch reconcile ${name}`]),
    ...(unlisted.count === 0
      ? []
      : [
          `${unitsInWords(unlisted)} may have been charged; the API has no list to look ${themOf(unlisted)} up in. ${wordSteps(unlisted, name)}`,
        ]),
  ];
}

/** Late parts of rows in doubt are among them. */
function lateSteps(rows: number, parts: number, name: string): readonly string[] {
  const late = { count: rows + parts, parts };
  if (late.count === 0) return [];
  const them = late.count === 1 ? 'it' : 'them';
  return [
    `${unitsInWords(late)} with a job that was still running. To fetch ${them}, free: ${redrive(name, 'overdue')}`,
  ];
}

/** A row shows its gravest part alone, so the others are told here. */
function otherPartSteps(parts: SomeRows, name: string): readonly string[] {
  if (parts.count === 0) return [];
  const [has, its] = parts.count === 1 ? ['has', 'it'] : ['have', 'them'];
  return [
    `${unitsInWords(parts)} of these rows in parts ${has} no result either. To send ${its} again, at ${parts.count === 1 ? 'its' : 'their'} price: ` +
      `voxbatch redrive ${name} --rows ${rowsWord(parts.first)}${unnamedRows(parts)}`,
  ];
}

/** Takes that were replaced leave their doubt in the sums and in the budget, until a person settles it. */
function earlierSteps({ count, first }: EarlierUnresolved, name: string): readonly string[] {
  if (count === 0) return [];
  const [requests, them] = count === 1 ? ['request', 'it'] : ['requests', 'them'];
  const takes = first.slice(0, SETTLED).map((one) => takeWord(one, one.take));
  return [
    `${number(count)} ${requests} of earlier takes may also have been charged. If your account shows no job for ${them}, ` +
      `mark ${them} as not charged: voxbatch reconcile ${name} --not-charged ${takes.join(' ')}${firstOf(takes.length, count)}`,
  ];
}

/** What is known of rows that lack only the answer of their checks, and the commands by which a person settles them. */
export function uncheckedSteps(rows: SomeRows, name: string): string {
  const [result, its, it] = rows.count === 1 ? ['a result', 'its', 'it'] : ['results', 'their', 'them'];
  const named = `${rowsWord(rows.first)}${unnamedRows(rows)}`;
  return (
    `${result} stored and paid for; only the answer of ${its} verification is lost, which may have been charged. To take ${it} unverified, ` +
    `free: voxbatch redrive ${name} --accept ${named}. To pay for another verification: voxbatch reconcile ${name} --resubmit ${named}`
  );
}

/** The commands by which a person settles rows whose answers were lost: by the job, or by paying again. */
export function wordSteps(rows: SomeRows, name: string): string {
  const withJobs = rows.first.filter((row) => row.makes !== 'nothing');
  const named = withJobs.slice(0, ADOPTED);
  const pairs = named.map((row) => shellWord(`${rowWord(row)}=${row.makes === 'voice' ? 'VOICE' : 'JOB'}`));
  const resubmit = `voxbatch reconcile ${name} --resubmit ${rowsWord(rows.first)}${unnamedRows(rows)}`;
  const nameable = rows.count - (rows.first.length - withJobs.length);
  const made = [...new Set(withJobs.map((row) => row.makes ?? 'job'))].sort();
  const [job, is] =
    rows.count === 1
      ? [`its ${made.join()}`, 'it is']
      : [`their ${made.map((one) => `${one}s`).join(' or ')}`, 'they are'];
  if (pairs.length === 0) return `Such a request makes no job to fetch. To send again at a new charge: ${resubmit}`;
  return (
    `If your account shows ${job}: voxbatch reconcile ${name} --adopt ${pairs.join(' ')}${firstOf(pairs.length, nameable)}. ` +
    `If ${is} not there, send again at a new charge: ${resubmit}`
  );
}

/** ` (the first 3 of 57)`, after a command that does not name all. */
function firstOf(named: number, count: number): string {
  return count > named ? ` (the first ${number(named)} of ${number(count)})` : '';
}

function skippedStep(finished: Finished): string {
  const { batch, counts, money, leftovers, out } = finished;
  const name = shellWord(batch.name);
  const place = nameWithOut(finished);
  const rows = rowsInWords(counts.outcomes.skipped - counts.notChosen);
  const { overBudget: quoted } = leftovers.skippedQuotes;
  if (batch.settings.cache === 'only') {
    const redriven = `voxbatch redrive ${place} --where class=NotCached`;
    return `${rows} without an earlier result, not sent. To pay for them: voxbatch tune ${name} --cache on, then: ${redriven}`;
  }
  const again =
    counts.notChosen === 0 ? redrive(place, 'skipped') : `voxbatch redrive ${place} --where class=OverBudget`;
  const left = budgetLeft(money, batch.settings.budget);
  // A single job has no command that can be shown: it would show its text.
  const isSingle = batch.settings.single !== undefined;
  if (left === null || (quoted !== null && left >= quoted)) {
    return `${rows} not sent: over the earlier budget. The budget is sufficient now: ${isSingle ? again : goOnCommand(batch, out)}`;
  }
  const enough = quoted === null ? 'CREDITS' : String(budgetFor(money, quoted));
  return isSingle
    ? `${rows} not sent: over the budget. Raise it (voxbatch tune ${name} --budget ${enough}), then: ${again}`
    : `${rows} not sent: over the budget. To send ${counts.outcomes.skipped - counts.notChosen === 1 ? 'it' : 'them'}: ${goOnCommand(batch, out)} --budget ${enough}`;
}

/**
 * Rows that nobody has asked for yet: the command without the flag runs all of them, at a larger budget if theirs is
 * too small. It also pays for the rows that the budget skipped, whose command is printed before and may be run first.
 */
function notChosenStep({ batch, counts, money, leftovers, pilot, out }: Finished): string {
  const { notChosen, overBudget } = leftovers.skippedQuotes;
  const expected = pilot?.prices.open.expected ?? notChosen;
  // A request is held to the budget by its quote, so the budget must cover that, even if less will be charged.
  const quoted = expected === null || notChosen === null ? expected : Math.max(expected, notChosen);
  const before = counts.outcomes.skipped === counts.notChosen ? 0 : (overBudget ?? 0);
  const left = budgetLeft(money, batch.settings.budget);
  const isShort = left !== null && quoted !== null && left < before + quoted;
  const budget = isShort ? ` --budget ${String(budgetFor(money, before + quoted))}` : '';
  const cost = expected === null ? 'at their price' : `for about ${inCredits(expected)}`;
  return `${rowsInWords(counts.notChosen)} not chosen. To send ${counts.notChosen === 1 ? 'it' : 'them'}, ${cost}: ${goOnCommand({ ...batch, subset: null }, out)}${budget}`;
}

/** Rows that the API refused fail the same way until they are fixed; those whose job can be read again need no money. */
function failedSteps(finished: Finished): readonly string[] {
  const { batch, counts, leftovers, out } = finished;
  const { failed, tooLong, refusedInParts, fetchable, voiceless } = leftovers;
  const name = shellWord(batch.name);
  const place = nameWithOut(finished);
  const rejected = failed.get('BadRequest');
  const inParts = failed.get('Unfit');
  const others = [...failed].filter(([name]) => name !== 'BadRequest' && name !== 'Unfit');
  const steps: string[] = [];
  if (rejected !== undefined) {
    const file = shellWord(`${out}/${outcomeFile('failed') ?? ''}`);
    const also = failed.size > 1 || fetchable.count + tooLong.count + refusedInParts.count > 0 ? ALSO_OTHERS : '';
    steps.push(
      `${rowsInWords(rejected.count)} rejected by the API, not charged. ${whyOf(rejected, name)} Fix ${themOf(rejected)} in ${file}, then: voxbatch run ${file}${outFlag(batch.name, out)}${also}`,
    );
  }
  if (tooLong.count > 0) {
    steps.push(
      `${rowsInWords(tooLong.count)} with a text that is longer than the API takes, not charged. ${whyOf(tooLong, name)} ${cutAnew(batch, themOf(tooLong))}`,
    );
  }
  if (refusedInParts.count > 0) {
    const texts = refusedInParts.count === 1 ? 'its text' : 'their texts';
    steps.push(
      `${rowsInWords(refusedInParts.count)} with parts that the API refused, not charged. ${whyOf(refusedInParts, name)} ${editInParts(batch, texts)}`,
    );
  }
  if (fetchable.count > 0) {
    // Others of the class are paid for.
    const these = failed.has('ResultGone')
      ? `--rows ${rowsWord(fetchable.first)}${unnamedRows(fetchable)}`
      : '--where class=ResultGone';
    steps.push(
      `${rowsInWords(fetchable.count)} whose result was paid for but could not be fetched. Try again, free: voxbatch redrive ${place} ${these}`,
    );
  }
  if (voiceless.count > 0) steps.push(voicelessStep(voiceless, name));
  if (inParts !== undefined) {
    const these = `${redrive(place, 'failed')} --where class=Unfit`;
    const [are, them] = inParts.count === 1 ? ['it is', 'it'] : ['they are', 'them'];
    steps.push(
      `${rowsInWords(inParts.count)} with parts that failed a check, which are kept. ${whyOf(inParts, name, 'Why, and their files')} To accept ${them} as ${are}, free: ` +
        `${these} --accept. To pay for such parts again: ${these}`,
    );
  }
  if (others.length > 0) {
    const count = others.reduce((sum, [, rows]) => sum + rows.count, 0);
    const all = { count, first: others[0]?.[1].first ?? [] };
    // Rows whose answer was lost are settled in another way.
    const where = count === counts.outcomes.failed ? 'outcome=failed' : classesOf(others);
    steps.push(
      `${rowsInWords(count)} failed. ${whyOf(all, name)} To send ${themOf(all)} again, at ${count === 1 ? 'its' : 'their'} price: voxbatch redrive ${place} --where ${where}`,
    );
  }
  return steps;
}

/** A redrive of these alone fails again: the rows that make their voices come first. */
function voicelessStep({ count, makers }: Leftovers['voiceless'], name: string): string {
  const [first = 0, ...more] = makers;
  const [row, have] = more.length === 0 ? ['row', 'that row has'] : ['rows', 'those rows have'];
  return (
    `${rowsInWords(count)} without a voice, which ${row} ${makers.join(', ')} did not make. ${count === 1 ? 'It goes' : 'They go'} on by ` +
    `${count === 1 ? 'itself' : 'themselves'} once ${have} succeeded. Why not: voxbatch explain ${shellWord(String(first))} --batch ${name}`
  );
}

function classesOf(groups: readonly (readonly [FailureClass | '', SomeRows])[]): string {
  return shellWord(`class=${groups.flatMap(([name]) => (name === '' ? [] : [name])).join(',')}`);
}

function whyOf({ first }: SomeRows, batch: string, what = 'Why'): string {
  const row = first[0];
  return row === undefined ? '' : `${what}: voxbatch explain ${shellWord(rowWord(row))} --batch ${batch}.`;
}

/** The message for a batch that gave up by itself. */
export function haltMessage(halted: string): string {
  return `The batch stopped itself: ${halted}. Check the failures before you continue.`;
}

/** The batch for a command that writes its files, as words of a shell. */
function nameWithOut({ batch: { name }, out }: Finished): string {
  return `${shellWord(name)}${outFlag(name, out)}`;
}

function redrive(batch: string, outcome: Outcome): string {
  return `voxbatch redrive ${batch} --where outcome=${outcome}`;
}

function themOf({ count }: SomeRows): string {
  return count === 1 ? 'it' : 'them';
}
