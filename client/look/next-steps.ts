import { type EndWord } from './counts-view.ts';
import type { Leftovers, SomeRows } from '../../batches/look/leftovers.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import type { FailureClass } from '../../contract/failures.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import { outcomeFile } from '../../contract/outcomes.ts';
import type { BatchRecord, Counts, Money } from '../../ledger/record-types.ts';
import { budgetFor, budgetLeft } from '../../policy/money/budget.ts';
import { continueCommand, type ContinuedBatch, outArgs, rowArg, rowsArg, takeArg } from './continue-command.ts';

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

/**
 * What a person can do next about some rows (none: about the batch), by why; with commands by what they cost: `free`, or `pay` for rows. `before`
 * comes first, and `explain` says more. What else is known of a step is at its place in {@link stepsByEnd}.
 */
export type NextStep = ReturnType<typeof haltedSteps>[number] | ReturnType<typeof stepsByEnd>[EndWord][number];
export type NextWhy = NextStep['why'];

/** Maximum jobs in an example of `--adopt`. */
const ADOPTED = 3;
/** Maximum earlier takes in an example of `--not-charged`. */
const SETTLED = 20;

/**
 * What a person can do next about a finished batch, most urgent first; nothing if every row has its result. Every
 * command is safe to repeat, and works as it is, except for words in capitals. `told`: ends that the caller has told of.
 */
export function nextSteps(finished: Finished, told: readonly EndWord[] = []): readonly NextStep[] {
  const untold = Object.entries(stepsByEnd(finished)).filter(([word]) => !told.some((one) => one === word));
  return [...haltedSteps(finished.batch), ...untold.flatMap(([, found]): readonly NextStep[] => found)];
}

/** In the order in which they are said. Every outcome is here, so a new one has to say what can be done about it. */
function stepsByEnd(finished: Finished) {
  const { batch, counts, leftovers, out } = finished;
  const { outcomes } = counts;
  const { lost, earlierUnresolved, otherParts, lateParts } = leftovers;
  const place = [batch.name, ...outArgs(batch.name, out)];
  const redrive = redriveOf(finished);
  const takes = earlierUnresolved.first.slice(0, SETTLED).map((one) => takeArg(one, one.take));
  return {
    skipped: skippedSteps(finished),
    // Only some can be looked up; a person has to decide about the others.
    unknown: [
      ...some('unchecked', lost.unchecked, uncheckedCommands(lost.unchecked, place)),
      ...some('listed', lost.listed, { free: nextCommand('reconcile', ...place) }),
      ...some('unlisted', lost.unlisted, settleCommands(lost.unlisted, place)),
      // Takes that were replaced leave their doubt in the sums and in the budget, until a person settles it.
      ...some('earlier', earlierUnresolved, {
        free: nextCommand('reconcile', ...place, '--not-charged', ...takes),
        named: takes.length,
      }),
    ],
    // Late parts of rows in doubt are among them.
    overdue: some(
      'overdue',
      { count: outcomes.overdue + lateParts, parts: lateParts, first: [] },
      { free: redrive('--where', 'outcome=overdue') },
    ),
    failed: [
      ...failedSteps(finished),
      // A row shows its gravest part alone.
      ...some('other-parts', otherParts, { pay: redrive('--rows', rowsArg(otherParts.first)) }),
    ],
    unfit: some('unfit', ofCount(outcomes.unfit), {
      free: redrive('--where', 'outcome=unfit', '--accept'),
      pay: redrive('--where', 'outcome=unfit'),
    }),
    cancelled: some('cancelled', ofCount(outcomes.cancelled), { pay: redrive('--where', 'outcome=cancelled') }),
    'not chosen': some('not-chosen', ofCount(counts.notChosen), sendNotChosen(finished)),
    succeeded: [],
    cached: [],
  } satisfies Readonly<Record<EndWord, readonly object[]>>;
}

/** That a batch gave up by itself; none if it did not. */
export function haltedSteps({
  halted,
}: Pick<BatchRecord, 'halted'>): readonly { readonly why: 'halted'; readonly message: string }[] {
  return halted === null ? [] : [{ why: 'halted', message: halted }];
}

function some<W extends string, F>(why: W, rows: SomeRows, facts: F): readonly ({ why: W; rows: SomeRows } & F)[] {
  return rows.count === 0 ? [] : [{ why, rows, ...facts }];
}

function ofCount(count: number): SomeRows {
  return { count, first: [] };
}

/** Makes a redrive of the batch. */
function redriveOf({ batch: { name }, out }: Pick<Finished, 'batch' | 'out'>) {
  return (...args: readonly string[]): NextCommand => nextCommand('redrive', name, ...outArgs(name, out), ...args);
}

/** Shows why the first of these rows is as it is. */
function explainFirst({ first: [row] }: SomeRows, batch: string): NextCommand | undefined {
  return row && nextCommand('explain', rowArg(row), '--batch', batch);
}

/** The commands for rows that lack only the answer of their checks. `place`: the batch, with its out folder. */
export function uncheckedCommands(
  { first }: SomeRows,
  place: readonly string[],
): { readonly free: NextCommand; readonly pay: NextCommand } {
  return {
    free: nextCommand('redrive', ...place, '--accept', rowsArg(first)),
    pay: nextCommand('reconcile', ...place, '--resubmit', rowsArg(first)),
  };
}

/** How a person settles rows whose answers were lost: by the job that the account shows, or by paying again. */
export interface SettleCommands {
  /** Names jobs in capitals. Undefined: such requests make nothing that could be named. */
  readonly adopt: NextCommand | undefined;
  /** Rows that `adopt` names, of those that it could. */
  readonly named: number;
  readonly nameable: number;
  /** What the requests make. */
  readonly made: readonly string[];
  readonly pay: NextCommand;
}

/** The commands by which a person settles rows whose answers were lost. */
export function settleCommands({ count, first }: SomeRows, place: readonly string[]): SettleCommands {
  const made = first.map((row) => ({ row, makes: row.makes ?? 'job' })).filter(({ makes }) => makes !== 'nothing');
  const named = made.slice(0, ADOPTED).map(({ row, makes }) => `${rowArg(row)}=${makes.toUpperCase()}`);
  return {
    adopt: named.length === 0 ? undefined : nextCommand('reconcile', ...place, '--adopt', ...named),
    named: named.length,
    nameable: count - (first.length - made.length),
    made: [...new Set(made.map(({ makes }) => makes))].sort(),
    pay: nextCommand('reconcile', ...place, '--resubmit', rowsArg(first)),
  };
}

function skippedSteps(finished: Finished) {
  const { batch, counts, money, leftovers, out } = finished;
  const rows = ofCount(counts.outcomes.skipped - counts.notChosen);
  const redrive = redriveOf(finished);
  const tune = (...args: readonly string[]): NextCommand => nextCommand('tune', batch.name, ...args);
  if (batch.settings.cache === 'only')
    return some('not-cached', rows, {
      before: tune('--cache', 'on'),
      pay: redrive('--where', 'class=NotCached'),
    });
  const { overBudget: quoted } = leftovers.skippedQuotes;
  const left = budgetLeft(money, batch.settings.budget);
  const isEnough = left === null || (quoted !== null && left >= quoted);
  const budget = ['--budget', quoted === null ? 'CREDITS' : String(budgetFor(money, quoted))];
  // A single job has no command that can be shown: it would show its text.
  const isSingle = batch.settings.single !== undefined;
  const again = isSingle
    ? redrive('--where', counts.notChosen === 0 ? 'outcome=skipped' : 'class=OverBudget')
    : continueCommand(batch, out);
  return some('over-budget', rows, {
    isEnough,
    before: isSingle && !isEnough ? tune(...budget) : undefined,
    pay: isSingle || isEnough ? again : withArgs(again, budget),
  });
}

/**
 * Rows that nobody has asked for yet: the command without the flag runs all of them, at a larger budget if theirs is
 * too small. It also pays for the rows that the budget skipped, whose command comes before and may be run first.
 */
function sendNotChosen({ batch, counts, money, leftovers, pilot, out }: Finished) {
  const { notChosen, overBudget } = leftovers.skippedQuotes;
  const expected = pilot?.prices.open.expected ?? notChosen;
  // A request is held to the budget by its quote, so the budget must cover that, even if less will be charged.
  const quoted = expected === null || notChosen === null ? expected : Math.max(expected, notChosen);
  const before = counts.outcomes.skipped === counts.notChosen ? 0 : (overBudget ?? 0);
  const left = budgetLeft(money, batch.settings.budget);
  const isShort = left !== null && quoted !== null && left < before + quoted;
  const budget = isShort ? ['--budget', String(budgetFor(money, before + quoted))] : [];
  return { pay: withArgs(continueCommand({ ...batch, subset: null }, out), budget), expected };
}

function withArgs(command: NextCommand, args: readonly string[]): NextCommand {
  return { ...command, args: [...command.args, ...args] };
}

/** Rows that the API refused fail the same way until they are fixed; those whose job can be read again need no money. */
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
  const file = `${out}/${outcomeFile('failed') ?? ''}`;
  const unfitHere = ['--where', 'outcome=failed', '--where', 'class=Unfit'];
  return [
    ...some('refused', refused, {
      explain: explain(refused),
      file,
      pay: nextCommand('run', file, ...outArgs(name, out)),
      isMixed: failed.size > 1 || fetchable.count + tooLong.count + refusedInParts.count > 0,
    }),
    ...some('too-long', tooLong, { explain: explain(tooLong), anew: cutAnew(batch) }),
    ...some('refused-parts', refusedInParts, { explain: explain(refusedInParts), anew: editedAnew(batch) }),
    // Others of the class are paid for.
    ...some('fetchable', fetchable, {
      free: failed.has('ResultGone')
        ? redrive('--rows', rowsArg(fetchable.first))
        : redrive('--where', 'class=ResultGone'),
    }),
    ...some(
      'voiceless',
      { count: voiceless.count, first: [] },
      {
        explain: nextCommand('explain', String(voiceless.makers[0] ?? 0), '--batch', name),
        makers: voiceless.makers,
      },
    ),
    ...some('unfit-parts', unfit, {
      explain: explain(unfit),
      free: redrive(...unfitHere, '--accept'),
      pay: redrive(...unfitHere),
    }),
    // Rows whose answer was lost are settled in another way.
    ...some('failed', rest, {
      explain: explain(rest),
      pay: redrive('--where', rest.count === counts.outcomes.failed ? 'outcome=failed' : classesOf(others)),
    }),
  ];
}

function classesOf(groups: readonly (readonly [FailureClass | '', SomeRows])[]): string {
  return `class=${groups.flatMap(([name]) => (name === '' ? [] : [name])).join(',')}`;
}

/** Runs a manifest whose texts were edited as a batch of its own, which does not pay again for what is there. */
export function editedAnew(batch: ContinuedBatch): NextCommand | undefined {
  return batch.settings.single === undefined ? continueCommand({ ...batch, name: 'NEW-NAME' }) : undefined;
}

/** Runs a manifest as a batch of its own whose texts are cut, now that their limit is known: a batch on record is not cut again. */
export function cutAnew(batch: ContinuedBatch): NextCommand | undefined {
  const { reading } = batch.settings;
  const settings = { ...batch.settings, reading: { ...reading, split: reading.split ?? 'sentences' } };
  return editedAnew({ ...batch, settings });
}
