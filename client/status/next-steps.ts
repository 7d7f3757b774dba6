import type { EndWord } from './counts-view.ts';
import type { Leftovers, SomeRows } from '../../batches/status/leftovers.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import { isSingle } from '../../contract/batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { FailureClass } from '../../contract/failures.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts, Money } from '../../ledger/batches/counts.ts';
import { headerFor } from '../../inputs/header-names.ts';
import { budgetFor, budgetLeft } from '../../policy/money/budget.ts';
import {
  failedFile,
  continueCommand,
  type ContinuedBatch,
  outArgs,
  pathArg,
  rowArg,
  rowsArg,
  STANDARD_INPUT,
  takeArg,
} from './continue-command.ts';

/** The facts about a finished batch that determine its next steps. */
export interface Finished {
  readonly batch: Pick<BatchRecord, 'name' | 'halted' | 'settings' | 'source' | 'subset' | 'columns'>;
  readonly counts: Counts;
  readonly money: Money;
  readonly leftovers: Leftovers;
  /**
   * Rows without a result that a restored ledger lacks and the store has: they are not to be paid for. Default: 0.
   */
  readonly stored?: number;
  /** Prices measured on the rows that ran, as a forecast for those left out; undefined if none. */
  readonly pilot?: Pick<Pilot, 'prices'> | undefined;
  /** The out folder as a user would type it. */
  readonly out: string;
}

/**
 * A next step for some rows (or for the batch, if it names none), keyed by its reason `why`. Its commands are keyed by
 * cost: `free`, or `pay` for rows. `before` is to be run first, and `explain` shows more. Other members are documented
 * in {@link stepsByEnd}.
 */
export type NextStep = ReturnType<typeof haltedSteps>[number] | ReturnType<typeof stepsByEnd>[EndWord][number];
/** Why a step is next: presenters have words for each. */
export type NextWhy = NextStep['why'];

/** Max jobs in an example of `--adopt`. */
const MAX_ADOPTED = 3;
/** Max earlier takes in an example of `--not-charged`. */
const MAX_SETTLED = 20;

/**
 * A finished batch's next steps, most urgent first; empty if every row has its result. Every command is safe to repeat
 * and works as is, except for placeholders in capitals. `reported`: outcomes the caller has already reported.
 */
export function nextSteps(finished: Finished, reported: readonly EndWord[] = []): readonly NextStep[] {
  const others = Object.entries(stepsByEnd(finished)).filter(([word]) => !reported.some((one) => one === word));
  return [...haltedSteps(finished.batch), ...others.flatMap(([, found]): readonly NextStep[] => found)];
}

/**
 * Returns the one command to run next after an exit `skipped` or `unknown`; undefined after any other. For rows in
 * doubt it is a free one: a program must not be advised to pay for them again.
 */
export function stepAfter(exit: ExitName, finished: Finished): NextCommand | undefined {
  const steps = nextSteps(finished);
  if (exit === 'skipped') {
    const step = steps.find((one) => one.why === 'stored' || one.why === 'not-cached' || one.why === 'over-budget');
    return step?.why === 'stored' ? step.free : (step?.before ?? step?.pay);
  }
  if (exit !== 'unknown') return undefined;
  const inDoubt = steps.filter((one) => IN_DOUBT.has(one.why));
  return inDoubt.flatMap((one) => ('free' in one ? one.free : 'adopt' in one ? (one.adopt ?? []) : []))[0];
}

/** The reasons of steps for rows that may have been charged without a result. */
const IN_DOUBT: ReadonlySet<NextWhy> = new Set(['unchecked', 'listed', 'unlisted', 'earlier', 'overdue']);

/** The next steps by outcome, in display order. Every outcome is a key, so a new one must declare its next steps. */
function stepsByEnd(finished: Finished) {
  const { batch, counts, leftovers, out } = finished;
  const { outcomes } = counts;
  const { lost, earlierUnresolved, otherParts, lateParts } = leftovers;
  const place = [batch.name, ...outArgs(batch.name, out)];
  const redrive = redriveOf(finished);
  const speed = headerFor('speed', batch.columns, batch.settings.reading);
  const takes = earlierUnresolved.first.slice(0, MAX_SETTLED).map((row) => takeArg(row, row.take));
  return {
    skipped: skippedSteps(finished),
    // `listed` rows can be looked up in the API's list; `unlisted` ones, and those that lack only the answer to the
    // transcription that checks them (`unchecked`), need a person's decision.
    unknown: [
      ...some('unchecked', lost.unchecked, uncheckedCommands(lost.unchecked, place)),
      ...some('listed', lost.listed, { free: nextCommand('reconcile', ...place) }),
      ...some('unlisted', lost.unlisted, settleCommands(lost.unlisted, place)),
      // Unresolved replaced takes stay in the sums and count against the budget until a person settles them.
      ...some('earlier', earlierUnresolved, {
        free: nextCommand('reconcile', ...place, '--not-charged', ...takes),
        adopt: nextCommand('reconcile', ...place, '--adopt', `${takes[0] ?? ''}=JOB`),
        named: takes.length,
      }),
    ],
    // Includes late parts of rows in doubt.
    overdue: some(
      'overdue',
      { count: outcomes.overdue + lateParts, parts: lateParts, first: [] },
      { free: redrive('--where', 'outcome=overdue') },
    ),
    failed: [
      ...failedSteps(finished),
      // A row's outcome reflects only its worst part.
      ...some('other-parts', otherParts, { pay: redrive('--rows', rowsArg(otherParts.first)) }),
    ],
    unfit: some('unfit', ofCount(outcomes.unfit), {
      free: redrive('--where', 'outcome=unfit', '--accept'),
      pay: redrive('--where', 'outcome=unfit'),
    }),
    cancelled: some('cancelled', ofCount(outcomes.cancelled), { pay: redrive('--where', 'outcome=cancelled') }),
    'not chosen': some('not-chosen', ofCount(counts.notChosen), sendNotChosen(finished)),
    // Results that are longer than their `max_seconds`.
    succeeded: some('overlong', leftovers.overlong, {
      // A redrive cannot add columns.
      edit: ['text', ...(batch.columns.includes(speed) ? ['speed'] : [])],
      pay: redrive('--from', batch.source === STANDARD_INPUT ? '-' : pathArg(batch.source)),
    }),
    cached: [],
  } satisfies Readonly<Record<EndWord, readonly object[]>>;
}

/** The step for a batch that gave up by itself; empty for any other. */
export function haltedSteps({
  halted,
}: Pick<BatchRecord, 'halted'>): readonly { readonly why: 'halted'; readonly message: string }[] {
  return halted === null ? [] : [{ why: 'halted', message: halted }];
}

/** A step for some rows; empty if there are none. */
function some<W extends string, F>(why: W, rows: SomeRows, facts: F): readonly ({ why: W; rows: SomeRows } & F)[] {
  return rows.count === 0 ? [] : [{ why, rows, ...facts }];
}

/** Rows of which only the number is known. */
function ofCount(count: number): SomeRows {
  return { count, first: [] };
}

/** Returns a function that builds redrive commands for the batch. */
function redriveOf({ batch: { name }, out }: Pick<Finished, 'batch' | 'out'>) {
  return (...args: readonly string[]): NextCommand => nextCommand('redrive', name, ...outArgs(name, out), ...args);
}

/** The command that explains the first of these rows. */
function explainFirst({ first: [row] }: SomeRows, batch: string): NextCommand | undefined {
  return row && nextCommand('explain', rowArg(row), '--batch', batch);
}

/** The commands for rows that lack only their verification's answer. `place`: the batch with its out folder. */
export function uncheckedCommands(
  { first }: SomeRows,
  place: readonly string[],
): { readonly free: NextCommand; readonly pay: NextCommand } {
  return {
    free: nextCommand('redrive', ...place, '--accept', rowsArg(first)),
    pay: nextCommand('reconcile', ...place, '--resubmit', rowsArg(first)),
  };
}

/** Commands that settle rows whose answers were lost: adopt the job that the account shows, or pay again. */
export interface SettleCommands {
  /** Has placeholders for jobs. Undefined if such requests create nothing that could be named. */
  readonly adopt: NextCommand | undefined;
  /** Number of rows named by `adopt`, and of those that could be. */
  readonly named: number;
  readonly nameable: number;
  /** What the requests create. */
  readonly made: readonly string[];
  readonly pay: NextCommand;
}

/** Builds the commands that settle rows whose answers were lost. */
export function settleCommands({ count, first }: SomeRows, place: readonly string[]): SettleCommands {
  const made = first.map((row) => ({ row, makes: row.makes ?? 'job' })).filter(({ makes }) => makes !== 'nothing');
  const named = made.slice(0, MAX_ADOPTED).map(({ row, makes }) => `${rowArg(row)}=${makes.toUpperCase()}`);
  return {
    adopt: named.length === 0 ? undefined : nextCommand('reconcile', ...place, '--adopt', ...named),
    named: named.length,
    nameable: count - (first.length - made.length),
    made: [...new Set(made.map(({ makes }) => makes))].sort(),
    pay: nextCommand('reconcile', ...place, '--resubmit', rowsArg(first)),
  };
}

/**
 * Returns the batch budget that would cover the rows that the budget skipped, in credits; null if there are none, or
 * their price is unknown.
 */
export function budgetForSkipped({
  counts,
  money,
  leftovers,
}: Pick<Finished, 'counts' | 'money' | 'leftovers'>): number | null {
  const { overBudget } = leftovers.skippedQuotes;
  return overBudgetOf(counts) === 0 || overBudget === null ? null : budgetFor(money, overBudget);
}

/** Returns the number of rows that the budget skipped. */
function overBudgetOf({ outcomes, notChosen, notCached }: Counts): number {
  return outcomes.skipped - notChosen - notCached;
}

function skippedSteps(finished: Finished) {
  const { batch, counts, money, leftovers, stored = 0, out } = finished;
  const redrive = redriveOf(finished);
  const tune = (...args: readonly string[]): NextCommand => nextCommand('tune', batch.name, ...args);
  const { overBudget: quoted } = leftovers.skippedQuotes;
  const left = budgetLeft(money, batch.settings.budget);
  const isEnough = left === null || (quoted !== null && left >= quoted);
  const budget = ['--budget', String(budgetForSkipped(finished) ?? 'CREDITS')];
  // A single job's command cannot be shown: it would reveal the text.
  const isJob = isSingle(batch);
  const again = isJob
    ? redrive('--where', counts.notChosen + counts.notCached === 0 ? 'outcome=skipped' : 'class=OverBudget')
    : continueCommand(batch, out);
  return [
    ...some('stored', ofCount(stored), { free: nextCommand('reconcile', batch.name, ...outArgs(batch.name, out)) }),
    ...some('not-cached', ofCount(stored > 0 ? 0 : counts.notCached), {
      // Only a redrive opens such rows again: `run` does not, whatever the mode is now.
      before: batch.settings.cache === 'only' ? tune('--cache', 'on') : undefined,
      pay: redrive('--where', 'class=NotCached'),
    }),
    ...some('over-budget', ofCount(overBudgetOf(counts)), {
      isEnough,
      before: isJob && !isEnough ? tune(...budget) : undefined,
      pay: isJob || isEnough ? again : withArgs(again, budget),
    }),
  ];
}

/**
 * Rows that were never selected: the command without the selecting flag runs all of them, with a larger budget if
 * theirs is too small. It also pays for rows that the budget skipped, whose own command is listed earlier and may be
 * run first.
 */
function sendNotChosen({ batch, counts, money, leftovers, pilot, out }: Finished) {
  const { overBudget } = leftovers.skippedQuotes;
  // Less what earlier results save, where rows were tried.
  const { expected, quoted: notChosen } = pilot?.prices.rest ?? {
    expected: leftovers.skippedQuotes.notChosen,
    quoted: leftovers.skippedQuotes.notChosen,
  };
  // The budget check uses a request's quote, so the budget must cover the quotes even if less will be charged.
  const quoted = expected === null || notChosen === null ? expected : Math.max(expected, notChosen);
  const before = overBudgetOf(counts) === 0 ? 0 : (overBudget ?? 0);
  const left = budgetLeft(money, batch.settings.budget);
  const isShort = left !== null && quoted !== null && left < before + quoted;
  const budget = isShort ? ['--budget', String(budgetFor(money, before + quoted))] : [];
  return { pay: withArgs(continueCommand({ ...batch, subset: null }, out), budget), expected };
}

function withArgs(command: NextCommand, args: readonly string[]): NextCommand {
  return { ...command, args: [...command.args, ...args] };
}

/** Steps for failed rows. Rows that the API refused fail again until they are edited; reading a job again is free. */
function failedSteps(finished: Finished) {
  const { batch, counts, leftovers, out } = finished;
  const { failed, tooLong, refusedInParts, fetchable, voiceless } = leftovers;
  const { name } = batch;
  const redrive = redriveOf(finished);
  const explain = (rows: SomeRows): NextCommand | undefined => explainFirst(rows, name);
  const none = ofCount(0);
  const refused = failed.get('BadRequest') ?? none;
  const unfit = failed.get('Unfit') ?? none;
  const others = [...failed].filter(([name]) => name !== 'BadRequest' && name !== 'Unfit');
  const rest = { count: others.reduce((sum, [, { count }]) => sum + count, 0), first: others[0]?.[1].first ?? [] };
  const { file, sheet } = failedFile(batch, out);
  const unfitHere = ['--where', 'outcome=failed', '--where', 'class=Unfit'];
  const isJob = isSingle(batch);
  return [
    // A single job has no table to edit.
    ...some('refused-job', isJob ? refused : none, {
      explain: explain(refused),
      pay: redrive('--where', 'outcome=failed'),
    }),
    ...some('refused', isJob ? none : refused, {
      explain: explain(refused),
      file,
      pay: nextCommand('run', file, ...sheet, ...outArgs(name, out)),
      isMixed: failed.size > 1 || fetchable.count + tooLong.count + refusedInParts.count > 0,
    }),
    ...some('too-long', tooLong, { explain: explain(tooLong), anew: cutAnew(batch) }),
    ...some('refused-parts', refusedInParts, { explain: explain(refusedInParts), anew: editedAnew(batch) }),
    // The other rows of the class are charged again.
    ...some('fetchable', fetchable, {
      free: failed.has('ResultGone')
        ? redrive('--rows', rowsArg(fetchable.first))
        : redrive('--where', 'class=ResultGone'),
    }),
    ...some('voiceless', ofCount(voiceless.count), {
      explain: nextCommand('explain', String(voiceless.makers[0] ?? 0), '--batch', name),
      makers: voiceless.makers,
    }),
    ...some('unfit-parts', unfit, {
      explain: explain(unfit),
      free: redrive(...unfitHere, '--accept'),
      pay: redrive(...unfitHere),
    }),
    // Rows whose answer was lost are settled differently.
    ...some('failed', rest, {
      explain: explain(rest),
      pay: redrive('--where', rest.count === counts.outcomes.failed ? 'outcome=failed' : classesOf(others)),
    }),
  ];
}

function classesOf(groups: readonly (readonly [FailureClass | '', SomeRows])[]): string {
  return `class=${groups.flatMap(([name]) => (name === '' ? [] : [name])).join(',')}`;
}

/** Runs an edited manifest as a separate batch, which reuses existing results for free. */
export function editedAnew(batch: ContinuedBatch): NextCommand | undefined {
  return isSingle(batch) ? undefined : continueCommand({ ...batch, name: 'NEW-NAME' });
}

/**
 * Runs a manifest as a separate batch that splits long texts, now that the limit is known: a recorded batch is never
 * split again.
 */
export function cutAnew(batch: ContinuedBatch): NextCommand | undefined {
  const { reading } = batch.settings;
  const settings = { ...batch.settings, reading: { ...reading, split: reading.split ?? 'sentences' } };
  return editedAnew({ ...batch, settings });
}
